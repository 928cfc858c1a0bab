/** Aligning, distributing and nudging the selected nodes. */
import type { Flow, NodeId } from "@/bindings";
import { frameElement } from "@/canvas/elements/frame-ids";
import { leastLoopSize } from "@/canvas/elements/loop-elements";
import { selectedFrame } from "@/canvas/frames/frame-commands";
import { boxesOf, sizesOf } from "@/canvas/measure/boxes";
import { MIN_COMMENT_SIZE } from "@/canvas/measure/geometry";
import { type Alignment, type Axis, align, type Box, type Boxes, distribute, type Point } from "@/flow/align/align";
import { containerOf, cornerOf, outermost, relativeTo } from "@/flow/containers/containers";
import { place } from "@/flow/edits/edits";
import { moveFrames, resizeFrame } from "@/flow/edits/frames";
import type { Workspace } from "@/workspace/workspace";

export function alignSelection(workspace: Workspace, to: Alignment): void {
  placeCorners(workspace, "Align", align(selectedBoxes(workspace), to));
}

export function distributeSelection(workspace: Workspace, axis: Axis): void {
  placeCorners(workspace, "Distribute", distribute(selectedBoxes(workspace), axis));
}

/** Moves the selected nodes a little. A key held down is one undo step; letting go of it seals the step. */
export function nudge(workspace: Workspace, dx: number, dy: number): void {
  const boxes = selectedBoxes(workspace);
  const { editor } = workspace;
  const { selection } = editor.state;
  const frames = [...(selection.frames ?? [])];
  const key = [...boxes.keys(), ...frames].sort().join(" ");
  const moved = new Map([...boxes].map(([id, { x, y }]) => [id, { x: x + dx, y: y + dy }]));
  const moves = new Map(frames.map((id) => [id, { x: dx, y: dy }]));
  const change = (flow: Flow) => moveFrames(place(flow, relative(flow, moved)), moves, new Set(boxes.keys()));
  editor.edit("Move", change, { merge: `nudge:${key}` });
}

/** Puts nodes at corners of the canvas; those in a loop are stored relative to it. */
function placeCorners({ editor }: Workspace, label: string, corners: ReadonlyMap<NodeId, Point>): void {
  editor.place(label, relative(editor.state.flow, corners));
}

function relative(flow: Flow, corners: ReadonlyMap<NodeId, Point>): Map<NodeId, Point> {
  return new Map([...corners].map(([id, at]) => [id, relativeTo(flow, containerOf(flow, id), at)]));
}

/** Makes the selected comment, loop or frame larger or smaller. A key held down is one undo step, as with `nudge`. */
export function resizeSelected(workspace: Workspace, dx: number, dy: number): void {
  const frameId = selectedFrame(workspace);
  const frame = workspace.editor.state.flow.frames?.[frameId ?? ""];
  if (frameId !== undefined && frame) {
    const resized = { ...frame, width: frame.width + dx, height: frame.height + dy };
    const change = (flow: Flow) => resizeFrame(flow, frameId, resized, sizesOf(workspace));
    workspace.editor.edit("Resize", change, { merge: `resize:${frameElement(frameId)}` });
    return;
  }
  const [[id, box] = []] = selectedBoxes(workspace);
  if (id === undefined || box === undefined) return;
  const drawn = workspace.canvas.drawnNodes();
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

/** The selected nodes' boxes on the canvas as they are drawn. The nodes of a selected loop move with it. */
export function selectedBoxes({ editor, canvas }: Workspace): Boxes {
  const { selection, flow } = editor.state;
  const drawn = boxesOf(canvas.drawnNodes());
  const boxes = new Map<string, Box>();
  for (const id of outermost(flow, selection.nodes)) {
    const box = drawn.get(id);
    if (box) boxes.set(id, flow.layout[id] ? { ...box, ...cornerOf(flow, id) } : box);
  }
  return boxes;
}
