/** Which parts of the window are open, and which panel the left side shows. Remembered between sessions. */
import { create } from "zustand";
import { remembered, rememberPanel } from "./settings";

export type Part = "left" | "right" | "dock";

type Layout = {
  /** The id of a panel; `panels/` declares them. */
  leftPanel: string;
  open: Record<Part, boolean>;
};

const DEFAULT: Layout = { leftPanel: "nodes", open: { left: true, right: true, dock: true } };

export const layoutStore = create<Layout>(() => DEFAULT);
export const useLayout = layoutStore;

export function loadLayout(): void {
  const kept = remembered<Partial<Layout>>("layout");
  if (kept) layoutStore.setState({ ...DEFAULT, ...kept, open: { ...DEFAULT.open, ...kept.open } });
}

/** Shows a left panel; the one that is shown already is folded away. */
export function togglePanel(panel: string): void {
  const { leftPanel, open } = layoutStore.getState();
  if (open.left && leftPanel === panel) setOpen("left", false);
  else showPanel(panel);
}

export function showPanel(panel: string): void {
  layoutStore.setState({ leftPanel: panel });
  setOpen("left", true);
}

export function setOpen(part: Part, open: boolean): void {
  const state = layoutStore.getState();
  if (state.open[part] !== open) layoutStore.setState({ open: { ...state.open, [part]: open } });
  rememberPanel("layout", layoutStore.getState());
}

export function toggle(part: Part): void {
  setOpen(part, !layoutStore.getState().open[part]);
}
