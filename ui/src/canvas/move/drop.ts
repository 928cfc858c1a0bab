/** Dragging nodes into loops and frames and out of them. */
import type { MouseEvent as ReactMouseEvent } from "react";
import type { FrameId, NodeId } from "@/bindings";
import { frameElement } from "@/canvas/elements/frame-ids";
import { boxesOf, contains } from "@/canvas/measure/boxes";
import type { Point } from "@/flow/align/align";
import type { Size } from "@/flow/containers/container-box";
import { containerOf } from "@/flow/containers/containers";
import { frameOf } from "@/flow/containers/frame-box";
import { moveInto } from "@/flow/edits/container-edits";
import { place } from "@/flow/edits/edits";
import type { CanvasNode } from "@/workspace/canvas-store";
import type { Workspace } from "@/workspace/workspace";
import { frameAt, joinFrame } from "./frame-drag";

/** A mouse or touch event. */
export type PointerLike = MouseEvent | TouchEvent | ReactMouseEvent;
/** The dragged nodes, and the one under the pointer. */
export type Dragged = { grabbed: CanvasNode; all: readonly CanvasNode[] };
type Parts = Pick<Workspace, "canvas" | "editor">;

/** The innermost open loop at a place of the canvas. */
export function loopAt(
  { canvas }: Pick<Workspace, "canvas">,
  at: Point,
  except: ReadonlySet<NodeId> = new Set(),
): NodeId | undefined {
  const nodes = canvas.drawnNodes();
  const boxes = boxesOf(nodes);
  const left = new Set(except);
  let found: NodeId | undefined;
  for (const node of nodes) {
    // A dragged loop takes its whole body with it.
    if (left.has(node.parentId ?? "")) left.add(node.id);
    if (node.type !== "loop" || left.has(node.id)) continue;
    const box = boxes.get(node.id);
    if (box && contains(box, at)) found = node.id;
  }
  return found;
}

/** While nodes are dragged: shows which loop or frame would take them. */
export function showDropTarget(parts: Parts, event: PointerLike, dragged: Dragged): void {
  const { loop, frame } = targetOf(parts, event, dragged);
  const isOther = frame !== undefined && frameOf(parts.editor.state.flow, dragged.grabbed.id) !== frame;
  const dropTarget = isOther ? frameElement(frame) : dragged.grabbed.parentId === loop ? undefined : loop;
  if (parts.canvas.state.dropTarget !== dropTarget) parts.canvas.set({ dropTarget });
}

/**
 * Dragged nodes go where they were dropped, into the loop and the frame below the pointer. Nodes from another loop or
 * frame than the one under the pointer stay in theirs. One undo step.
 */
export function dropNodes(parts: Parts, event: PointerLike, dragged: Dragged): void {
  const { editor, canvas } = parts;
  const { loop: target, frame } = targetOf(parts, event, dragged);
  canvas.set({ dropTarget: undefined });
  const from = containerOf(editor.state.flow, dragged.grabbed.id);
  const label = from === target ? "Move" : target === undefined ? "Move out of loop" : "Move into loop";
  editor.edit(label, (before) => {
    const placed = place(before, new Map(dragged.all.map(({ id, position }) => [id, position])));
    const together = dragged.all.map((node) => node.id).filter((id) => containerOf(before, id) === from);
    return joinFrame(from === target ? placed : moveInto(placed, together, target), together, frame);
  });
}

/** A loop was made larger or smaller by its border. */
export function resizeLoop(parts: Parts, id: NodeId, { width, height }: Size): void {
  parts.editor.place("Resize", new Map([[id, { width: Math.round(width), height: Math.round(height) }]]));
}

/** Where the pointer is decides. */
function targetOf(parts: Parts, event: PointerLike, { all }: Dragged): { loop?: NodeId; frame?: FrameId } {
  const { canvas } = parts;
  const pointer = "clientX" in event ? event : event.changedTouches[0];
  if (!canvas.instance || !pointer) return {};
  const at = canvas.instance.screenToFlowPosition({ x: pointer.clientX, y: pointer.clientY });
  const loop = loopAt({ canvas }, at, new Set(all.map((node) => node.id)));
  return { loop, frame: frameAt(parts, at, loop) };
}
