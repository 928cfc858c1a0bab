/** Which tab of the dock is shown, and what was asked to be looked at in it. */
import { create } from "zustand";
import { setOpen } from "./layout";
import { remembered, rememberPanel } from "./settings";

export const DOCK_TABS = ["conversation", "timeline", "events", "problems"] as const;
export type DockTab = (typeof DOCK_TABS)[number];

type DockState = { tab: DockTab /** Counts the wishes to have the keyboard in the answer. */; focusAnswer: number };

export const dockStore = create<DockState>(() => ({ tab: "conversation", focusAnswer: 0 }));

export function loadDock(): void {
  const tab = remembered<DockTab>("dockTab");
  if (tab && DOCK_TABS.includes(tab)) dockStore.setState({ tab });
}

/** Shows a tab, and the dock if it is folded away. */
export function showDockTab(tab: DockTab): void {
  setOpen("dock", true);
  selectDockTab(tab);
}

export function selectDockTab(tab: DockTab): void {
  dockStore.setState({ tab });
  rememberPanel("dockTab", tab);
}

/** Shows the open question and puts the keyboard there. */
export function goToAnswer(): void {
  showDockTab("conversation");
  dockStore.setState((state) => ({ focusAnswer: state.focusAnswer + 1 }));
}
