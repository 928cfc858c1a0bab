/** Which tab of the dock is selected, and requests to focus the answer field in it. The tabs are declared in `dock/`. */
import { create } from "zustand";
import { setOpen } from "./layout";
import { remembered, rememberPanel } from "./settings";

type DockState = {
  tab: string;
  /** Counts the requests to focus the answer field. */
  focusAnswer: number;
};

export const dockStore = create<DockState>(() => ({ tab: "conversation", focusAnswer: 0 }));
export const useDock = dockStore;

export function loadDock(): void {
  const tab = remembered<string>("dockTab");
  if (tab) dockStore.setState({ tab });
}

/** Selects a tab and opens the dock. */
export function showDockTab(tab: string): void {
  setOpen("dock", true);
  selectDockTab(tab);
}

export function selectDockTab(tab: string): void {
  dockStore.setState({ tab });
  rememberPanel("dockTab", tab);
}

/** Shows the open question and focuses its answer field. */
export function goToAnswer(): void {
  showDockTab("conversation");
  dockStore.setState((state) => ({ focusAnswer: state.focusAnswer + 1 }));
}
