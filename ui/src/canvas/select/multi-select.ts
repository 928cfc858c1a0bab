/** Keyboard selection: the focused item is selected; Shift+Space adds items to a multi-selection or removes them. */

import { frameIdOf } from "@/canvas/elements/frame-ids";
import type { Items } from "@/flow/edits/edits";
import type { Workspace } from "@/workspace/workspace";

type Parts = Pick<Workspace, "editor" | "canvas">;

type Item = { kind: "nodes" | "edges" | "frames"; id: string };

/** Whether moving the focus leaves the selection alone, because several items were selected on purpose. */
export function isMultiSelecting({ editor, canvas }: Parts): boolean {
  const { selection } = editor.state;
  return selection === canvas.multiSelection || selectedCount(selection) > 1;
}

/** The node or edge that has the keyboard. */
export function focusedItem(): Item | undefined {
  return document.activeElement ? itemOf(document.activeElement) : undefined;
}

/** Selects the node or edge that the keyboard has come to. */
export function selectFocused(parts: Parts, element: Element): void {
  const item = itemOf(element);
  if (item && !isMultiSelecting(parts)) parts.editor.selectOnly({ [item.kind]: [item.id] });
}

/** Adds the focused node or edge to the selection, or removes it. */
export function toggleFocused(parts: Parts): void {
  const { editor, canvas } = parts;
  const item = focusedItem();
  if (!item) return;
  const { selection } = editor.state;
  const ids = new Set<string>(selection[item.kind]);
  // An item that is selected only because it has the focus is the first of the multi-selection.
  const begins = ids.has(item.id) && !isMultiSelecting(parts);
  if (!begins && !ids.delete(item.id)) ids.add(item.id);
  editor.selectOnly({ ...selection, [item.kind]: ids });
  const { selection: next } = editor.state;
  canvas.multiSelection = selectedCount(next) > 0 ? next : undefined;
}

function selectedCount({ nodes, edges, frames }: Items): number {
  return nodes.size + edges.size + (frames?.size ?? 0);
}

function itemOf(element: Element): Item | undefined {
  const id = element.getAttribute("data-id");
  if (id === null) return undefined;
  if (element.matches(".react-flow__node")) {
    const frame = frameIdOf(id);
    return frame === undefined ? { kind: "nodes", id } : { kind: "frames", id: frame };
  }
  return element.matches(".react-flow__edge") ? { kind: "edges", id } : undefined;
}
