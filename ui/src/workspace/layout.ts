/** Which parts of the window are open, and what the left panel and the dock show. Remembered between sessions. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { SettingsStore } from "./settings";

export type Part = "left" | "right" | "dock";

export type Layout = {
  /** The id of a panel; `panels/` declares them. */
  leftPanel: string;
  /** The id of a dock tab; `dock/` declares them. */
  dockTab: string;
  open: Record<Part, boolean>;
  /** The inspector's tab, shared by all nodes. */
  inspectorTab: string;
  /** The question (`pauseKey`) whose answer field in the dock is to get the focus, once it is drawn. */
  focusAnswer: string | undefined;
  /** The provider whose settings are to be brought into view. */
  shownProvider: string | undefined;
};

const DEFAULT: Layout = {
  leftPanel: "nodes",
  dockTab: "conversation",
  open: { left: true, right: true, dock: true },
  inspectorTab: "config",
  focusAnswer: undefined,
  shownProvider: undefined,
};

export class LayoutStore {
  readonly store: StoreApi<Layout> = createStore<Layout>(() => DEFAULT);

  /** The left panel is folded because the window is narrow. */
  #leftFolded = false;

  constructor(readonly settings: SettingsStore) {}

  /** Restores what was remembered. Call once the settings are loaded. */
  load(): void {
    const { leftPanel = DEFAULT.leftPanel, open } = this.settings.remembered<Partial<Layout>>("layout") ?? {};
    const dockTab = this.settings.remembered<string>("dockTab") ?? DEFAULT.dockTab;
    const inspectorTab = this.settings.remembered<string>("inspectorTab") ?? DEFAULT.inspectorTab;
    this.store.setState({ leftPanel, dockTab, inspectorTab, open: { ...DEFAULT.open, ...open } });
  }

  /** Shows a left panel, or closes the left side when it shows that panel already. */
  togglePanel(panel: string): void {
    const { leftPanel, open } = this.store.getState();
    if (open.left && leftPanel === panel) this.setOpen("left", false);
    else this.showPanel(panel);
  }

  showPanel(panel: string): void {
    this.store.setState({ leftPanel: panel });
    this.setOpen("left", true);
    this.#remember();
  }

  /** Shows the settings; with a provider, those of it. */
  showSettings(provider?: string): void {
    this.showPanel("settings");
    this.store.setState({ shownProvider: provider });
  }

  /** The settings of the provider are in view. */
  providerShown(): void {
    this.store.setState({ shownProvider: undefined });
  }

  /** Selects a dock tab and opens the dock. */
  showDockTab(tab: string): void {
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
    this.showDockTab("conversation");
    this.store.setState({ focusAnswer: pause });
  }

  /** The answer field has got the focus that was requested. */
  answerFocused(): void {
    this.store.setState({ focusAnswer: undefined });
  }

  toggle(part: Part): void {
    this.setOpen(part, !this.store.getState().open[part]);
  }

  setOpen(part: Part, open: boolean): void {
    const before = this.store.getState().open;
    if (before[part] === open) return;
    if (part === "left") this.#leftFolded = false;
    this.store.setState({ open: { ...before, [part]: open } });
    this.#remember();
  }

  /** Folds the left panel while the window is too narrow for it beside the canvas, and unfolds it afterwards. */
  setNarrow(narrow: boolean): void {
    const { open } = this.store.getState();
    if (narrow === this.#leftFolded || (narrow && !open.left)) return;
    this.#leftFolded = narrow;
    this.store.setState({ open: { ...open, left: !narrow } });
  }

  /** What a person chose, not what a narrow window imposes. */
  #remember(): void {
    const { leftPanel, open } = this.store.getState();
    this.settings.remember("layout", { leftPanel, open: { ...open, left: open.left || this.#leftFolded } });
  }
}
