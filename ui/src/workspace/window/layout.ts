/** Which parts of the window are open, and what the left panel and the dock show. Remembered between sessions. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { SettingsStore } from "@/workspace/settings/settings";
import { floats, type Part, type Room, type WindowSize, windowSize } from "./window-size";

export type { Part } from "./window-size";

export type Layout = {
  /** The id of a panel; `panels/` declares them. */
  leftPanel: string;
  /** The id of a dock tab; `dock/` declares them. */
  dockTab: string;
  open: Record<Part, boolean>;
  /** Whether the left panel stands beside the canvas where there is room, instead of opening over it for a moment. */
  pinned: boolean;
  /** Where the conversation stands while there is room for a column: below the canvas in the dock, or on the right. */
  chat: "below" | "right";
  /** Whether something is selected that the inspector is about. Without it, the inspector is not there. */
  inspected: boolean;
  /** Whether the inspector shows the settings of the flow while nothing is selected. */
  flowSettings: boolean;
  size: WindowSize;
  /** The inspector's tab, shared by all nodes. */
  inspectorTab: string;
  /** The question (`pauseKey`) to focus in the dock once its answer field is drawn. */
  focusAnswer: string | undefined;
  /** What covers the canvas and the parts around it, as a page. */
  page: "settings" | "guide" | undefined;
  /** The section of the settings that is to be brought into view. */
  shownSection: string | undefined;
  /** The provider to bring into view in the settings. */
  shownProvider: string | undefined;
};

const DEFAULT: Layout = {
  leftPanel: "nodes",
  dockTab: "conversation",
  open: { left: true, right: true, dock: true },
  pinned: true,
  chat: "below",
  inspected: false,
  flowSettings: false,
  size: "wide",
  inspectorTab: "config",
  focusAnswer: undefined,
  page: undefined,
  shownSection: undefined,
  shownProvider: undefined,
};

export class LayoutStore {
  readonly store: StoreApi<Layout> = createStore<Layout>(() => DEFAULT);

  /** What a person opened of the parts beside the canvas. One that floats over it is open for a moment, and is not remembered. */
  #docked: Record<Part, boolean> = DEFAULT.open;

  constructor(readonly settings: SettingsStore) {}

  /** Restores what was remembered. Call once the settings are loaded. */
  load(): void {
    const {
      leftPanel = DEFAULT.leftPanel,
      open,
      pinned = DEFAULT.pinned,
      chat = DEFAULT.chat,
    } = this.settings.remembered<Partial<Layout>>("layout") ?? {};
    const dockTab = this.settings.remembered<string>("dockTab") ?? DEFAULT.dockTab;
    const inspectorTab = this.settings.remembered<string>("inspectorTab") ?? DEFAULT.inspectorTab;
    this.#docked = { ...DEFAULT.open, ...open };
    const { size } = this.store.getState();
    this.store.setState({
      leftPanel,
      dockTab,
      inspectorTab,
      pinned,
      chat,
      open: beside(this.#docked, { size, pinned }),
    });
  }

  /** Shows a left panel, or closes the left side when it shows that panel already. */
  togglePanel(panel: string): void {
    const { leftPanel, open, page } = this.store.getState();
    if (open.left && leftPanel === panel && page === undefined) this.setOpen("left", false);
    else this.showPanel(panel);
  }

  showPanel(panel: string): void {
    this.store.setState({ leftPanel: panel, page: undefined });
    this.setOpen("left", true);
    this.#remember();
  }

  /** Shows the settings: a section of them, or those of a provider. */
  showSettings({ section, provider }: { section?: string; provider?: string } = {}): void {
    this.store.setState({ page: "settings", shownSection: section, shownProvider: provider });
    for (const part of PARTS) this.uncoverCanvas(part);
  }

  showGuide(): void {
    this.store.setState({ page: "guide" });
    this.uncoverCanvas("left");
  }

  closePage(): void {
    this.store.setState({ page: undefined });
  }

  /** The section of the settings is in view. */
  sectionShown(): void {
    this.store.setState({ shownSection: undefined });
  }

  /** The settings of the provider are in view. */
  providerShown(): void {
    this.store.setState({ shownProvider: undefined });
  }

  /** Selects a dock tab and opens the dock. The conversation may stand in its own column, which is always open. */
  showDockTab(tab: string): void {
    this.closePage();
    if (tab === CONVERSATION && showsChat(this.store.getState())) return;
    this.setOpen("dock", true);
    this.selectDockTab(tab);
  }

  selectDockTab(tab: string): void {
    this.store.setState({ dockTab: tab });
    this.settings.remember("dockTab", tab);
  }

  showInspectorTab(tab: string): void {
    if (this.store.getState().inspectorTab === tab) return;
    this.store.setState({ inspectorTab: tab });
    this.settings.remember("inspectorTab", tab);
  }

  /** Shows an open question (`pauseKey`) and focuses its answer field. */
  goToAnswer(pause: string): void {
    this.showQuestions();
    this.store.setState({ focusAnswer: pause });
  }

  /** Shows the open questions: in the dock, or in the line that it is folded to. */
  showQuestions(): void {
    if (floats("dock", this.store.getState())) this.selectDockTab(CONVERSATION);
    else this.showDockTab(CONVERSATION);
  }

  /** The answer field has got the focus that was requested. */
  answerFocused(): void {
    this.store.setState({ focusAnswer: undefined });
  }

  toggle(part: Part): void {
    this.closePage();
    const layout = this.store.getState();
    if (part !== "right") this.setOpen(part, !layout.open[part]);
    else if (!showsInspector(layout)) this.#showInspector(!layout.inspected);
    else if (layout.inspected) this.setOpen("right", false);
    else this.hideFlowSettings();
  }

  #showInspector(flowSettings: boolean): void {
    this.store.setState({ flowSettings });
    this.setOpen("right", true);
  }

  /** Shows the settings of the flow, once nothing is selected. */
  showFlowSettings(): void {
    this.closePage();
    this.#showInspector(true);
  }

  hideFlowSettings(): void {
    this.store.setState({ flowSettings: false });
  }

  setInspected(inspected: boolean): void {
    if (this.store.getState().inspected !== inspected) this.store.setState({ inspected });
  }

  setOpen(part: Part, open: boolean): void {
    const layout = this.store.getState();
    if (layout.open[part] === open) return;
    this.store.setState({ open: { ...layout.open, [part]: open } });
    if (floats(part, layout)) return;
    this.#docked = { ...this.#docked, [part]: open };
    this.#remember();
  }

  /** Closes a part if it covers the canvas. */
  uncoverCanvas(part: Part): void {
    if (floats(part, this.store.getState())) this.setOpen(part, false);
  }

  /** Puts the left panel beside the canvas, or leaves the room to the canvas. */
  togglePin(): void {
    const { open, pinned } = this.store.getState();
    this.store.setState({ pinned: !pinned, open: { ...open, left: !pinned } });
    this.#docked = { ...this.#docked, left: true };
    this.#remember();
  }

  /** Puts the conversation below the canvas, or on the right. */
  putChat(chat: Layout["chat"]): void {
    this.store.setState({ chat });
    this.#remember();
    if (chat === "below") this.showDockTab(CONVERSATION);
  }

  /** Folds the parts for which the window has no room beside the canvas, and opens those again for which it has. */
  setWindowWidth(width: number): void {
    const { open, size: before, pinned } = this.store.getState();
    const size = windowSize(width);
    if (size === before) return;
    const next = { ...beside(this.#docked, { size, pinned }) };
    for (const part of PARTS)
      if (floats(part, { size, pinned }) && floats(part, { size: before, pinned })) next[part] = open[part];
    this.store.setState({ size, open: next });
  }

  #remember(): void {
    const { leftPanel, pinned, chat } = this.store.getState();
    this.settings.remember("layout", { leftPanel, pinned, chat, open: this.#docked });
  }
}

/** Whether the inspector is there: it is open, and about something. */
export function showsInspector({ open, inspected, flowSettings }: Layout): boolean {
  return open.right && (inspected || flowSettings);
}

/** The id of the dock's tab with the conversation. */
export const CONVERSATION = "conversation";

/** Whether the conversation is a column on the right. A small window has no room for it: there it is in the dock. */
export function showsChat({ chat, size }: Pick<Layout, "chat" | "size">): boolean {
  return chat === "right" && (size === "wide" || size === "medium");
}

const PARTS: readonly Part[] = ["left", "right", "dock"];

/** The parts that are open and have room beside the canvas. */
function beside(docked: Record<Part, boolean>, room: Room): Record<Part, boolean> {
  const shows = (part: Part) => docked[part] && !floats(part, room);
  return { left: shows("left"), right: shows("right"), dock: shows("dock") };
}
