/** The inspector's tab, shared by all nodes. */
import { create } from "zustand";

export const inspectorStore = create<{ tab: string }>(() => ({ tab: "config" }));

export function showTab(tab: string): void {
  inspectorStore.setState({ tab });
}
