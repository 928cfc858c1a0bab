/** The shade of a context, the same as on the canvas. */
import type { NodeId } from "@/bindings";
import { contextColor, contextIndexes } from "./context-colors";
import { displayedFlow, flowStore } from "./store";

/** The color of the context that a node works in or makes; the strand's own color without one. */
export function contextShade(node: NodeId): string {
  const state = flowStore.getState();
  const index = contextIndexes(displayedFlow(state), state.checked).get(node);
  return index === undefined ? "var(--context)" : contextColor(index);
}
