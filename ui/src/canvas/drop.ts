/** Dragging nodes into loops and out of them. */
import type { MouseEvent as ReactMouseEvent } from "react";
import type { NodeId } from "@/bindings";
import type { Box, Point } from "@/flow/align";
import type { Size } from "@/flow/container-box";
import { moveInto } from "@/flow/container-edits";
import { containerOf } from "@/flow/containers";
import { place } from "@/flow/edits";
import type { CanvasNode } from "@/workspace/canvas-store";
import type { Workspace } from "@/workspace/workspace";
import { boxesOf } from "./boxes";

/** A mouse or touch event. */
export type PointerLike = MouseEvent | TouchEvent | ReactMouseEvent;
type Parts = Pick<Workspace, "canvas" | "editor">;

/** The innermost open loop at a place of the canvas. */
export function loopAt(
  { canvas }: Pick<Workspace, "canvas">,
  at: Point,
  except: ReadonlySet<NodeId> = new Set(),
): NodeId | undefined {
  const nodes = canvas.instance?.getNodes() ?? [];
  const boxes = boxesOf(nodes);
  const left = new Set(except);
  let found: NodeId | undefined;
  for (const node of nodes) {
    // What is dragged takes its whole body with it.
    if (left.has(node.parentId ?? "")) left.add(node.id);
    if (node.type !== "loop" || left.has(node.id)) continue;
    const box = boxes.get(node.id);
    if (box && contains(box, at)) found = node.id;
  }
  return found;
}

/** While nodes are dragged: shows which loop would take them. */
export function showDropTarget(parts: Parts, event: PointerLike, dragged: readonly CanvasNode[]): void {
  const target = targetOf(parts, event, dragged);
  const stays = dragged.every((node) => node.parentId === target);
  const dropTarget = stays ? undefined : target;
  if (parts.canvas.state.dropTarget !== dropTarget) parts.canvas.set({ dropTarget });
}

/** Dragged nodes go where they were dropped, into the loop below the pointer. One undo step. */
export function dropNodes(parts: Parts, event: PointerLike, dragged: readonly CanvasNode[]): void {
  const { editor, canvas } = parts;
  const target = targetOf(parts, event, dragged);
  canvas.set({ dropTarget: undefined });
  const { flow } = editor.state;
  const moves = dragged.some((node) => containerOf(flow, node.id) !== target);
  const label = !moves ? "Move" : target === undefined ? "Move out of loop" : "Move into loop";
  editor.edit(label, (before) => {
    const placed = place(before, new Map(dragged.map(({ id, position }) => [id, position])));
    return moveInto(
      placed,
      dragged.map((node) => node.id),
      target,
    );
  });
}

/** A loop was made larger or smaller by its border. */
export function resizeLoop(parts: Parts, id: NodeId, { width, height }: Size): void {
  parts.editor.place("Resize", new Map([[id, { width: Math.round(width), height: Math.round(height) }]]));
}

/** Where the pointer is decides; from the keyboard or without one, where the first node's middle is. */
function targetOf({ canvas }: Parts, event: PointerLike, dragged: readonly CanvasNode[]): NodeId | undefined {
  const { instance } = canvas;
  const [first] = dragged;
  if (!instance || !first) return undefined;
  const pointer = "clientX" in event ? event : event.changedTouches[0];
  const at = pointer
    ? instance.screenToFlowPosition({ x: pointer.clientX, y: pointer.clientY })
    : middleOf(instance.getNodes(), first.id);
  return at && loopAt({ canvas }, at, new Set(dragged.map((node) => node.id)));
}

function middleOf(nodes: readonly CanvasNode[], id: NodeId): Point | undefined {
  const box = boxesOf(nodes).get(id);
  return box && { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

function contains(box: Box, { x, y }: Point): boolean {
  return x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
}
