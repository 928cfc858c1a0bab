/** Aligning, distributing and nudging the selected nodes. */
import type { NodeId } from "@/bindings";
import { type Alignment, type Axis, align, type Box, type Boxes, distribute, type Point } from "@/flow/align";
import { containerOf, cornerOf, outermost, relativeTo } from "@/flow/containers";
import type { Workspace } from "@/workspace/workspace";
import { boxesOf } from "./boxes";
import { MIN_COMMENT_SIZE } from "./geometry";
import { leastLoopSize } from "./loop-elements";

export function alignSelection(workspace: Workspace, to: Alignment): void {
  placeCorners(workspace, "Align", align(selectedBoxes(workspace), to));
}

export function distributeSelection(workspace: Workspace, axis: Axis): void {
  placeCorners(workspace, "Distribute", distribute(selectedBoxes(workspace), axis));
}

/** Moves the selected nodes a little. A key held down is one undo step; letting go of it seals the step. */
export function nudge(workspace: Workspace, dx: number, dy: number): void {
  const boxes = selectedBoxes(workspace);
  const key = [...boxes.keys()].sort().join(" ");
  const moved = new Map([...boxes].map(([id, { x, y }]) => [id, { x: x + dx, y: y + dy }]));
  placeCorners(workspace, "Move", moved, `nudge:${key}`);
}

/** Puts nodes at corners of the canvas; those in a loop are stored relative to it. */
function placeCorners({ editor }: Workspace, label: string, corners: ReadonlyMap<NodeId, Point>, merge?: string): void {
  const { flow } = editor.state;
  const places = new Map([...corners].map(([id, at]) => [id, relativeTo(flow, containerOf(flow, id), at)]));
  editor.place(label, places, merge);
}

/** Makes the selected comment or loop larger or smaller. A key held down is one undo step, as with `nudge`. */
export function resizeSelected(workspace: Workspace, dx: number, dy: number): void {
  const [[id, box] = []] = selectedBoxes(workspace);
  if (id === undefined || box === undefined) return;
  const drawn = workspace.canvas.instance?.getNodes() ?? [];
  const loop = drawn.find((node) => node.id === id && node.type === "loop");
  const least = loop
    ? leastLoopSize(
        loop,
        drawn.filter((node) => node.parentId === id),
      )
    : MIN_COMMENT_SIZE;
  const width = Math.max(least.width, box.width + dx);
  const height = Math.max(least.height, box.height + dy);
  workspace.editor.place("Resize", new Map([[id, { width, height }]]), `resize:${id}`);
}

/** The selected nodes' boxes on the canvas as they are drawn. What is in a selected loop moves with it. */
export function selectedBoxes({ editor, canvas }: Workspace): Boxes {
  const { selection, flow } = editor.state;
  const drawn = boxesOf(canvas.instance?.getNodes() ?? []);
  const boxes = new Map<string, Box>();
  for (const id of outermost(flow, selection.nodes)) {
    const box = drawn.get(id);
    if (box) boxes.set(id, flow.layout[id] ? { ...box, ...cornerOf(flow, id) } : box);
  }
  return boxes;
}
