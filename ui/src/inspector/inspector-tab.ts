/** Which tab the inspector shows; kept while one goes from node to node. */
import { create } from "zustand";

export const inspectorStore = create<{ tab: string }>(() => ({ tab: "config" }));

export function showTab(tab: string): void {
  inspectorStore.setState({ tab });
}
