/** Keyboard selection: the focused item is selected; Shift+Space adds items to a multi-selection or removes them. */
import { selectOnly } from "@/flow/actions";
import type { Items } from "@/flow/edits";
import { flowStore } from "@/flow/store";

type Item = { kind: "nodes" | "edges"; id: string };

/** The last selection made with Shift+Space. A different selection ends multi-select mode. */
let gathered: Items | undefined;

/** Whether going about with the keyboard leaves the selection alone: what was put together would be lost. */
export function isGathering(): boolean {
  const { selection } = flowStore.getState();
  return selection === gathered || selection.nodes.size + selection.edges.size > 1;
}

/** The node or edge that has the keyboard. */
export function focusedItem(): Item | undefined {
  return document.activeElement ? itemOf(document.activeElement) : undefined;
}

/** Selects the node or edge that the keyboard has come to. */
export function selectFocused(element: Element): void {
  const item = itemOf(element);
  if (item && !isGathering()) selectOnly({ [item.kind]: [item.id] });
}

/** Takes the node or edge that has the keyboard into the selection, or out of it. */
export function gatherFocused(): void {
  const item = focusedItem();
  if (!item) return;
  const { selection } = flowStore.getState();
  const ids = new Set(selection[item.kind]);
  // What is selected only because the keyboard came to it is what one begins with.
  const begins = ids.has(item.id) && !isGathering();
  if (!begins && !ids.delete(item.id)) ids.add(item.id);
  selectOnly({ ...selection, [item.kind]: ids });
  const { selection: next } = flowStore.getState();
  gathered = next.nodes.size + next.edges.size > 0 ? next : undefined;
}

function itemOf(element: Element): Item | undefined {
  const id = element.getAttribute("data-id");
  if (id === null) return undefined;
  if (element.matches(".react-flow__node")) return { kind: "nodes", id };
  return element.matches(".react-flow__edge") ? { kind: "edges", id } : undefined;
}
