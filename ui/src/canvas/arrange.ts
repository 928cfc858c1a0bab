/** Aligning, distributing and nudging the selected nodes. */
import { type Alignment, type Axis, align, type Box, type Boxes, distribute } from "@/flow/align";
import type { Workspace } from "@/workspace/workspace";
import { MIN_COMMENT_SIZE } from "./geometry";

export function alignSelection(workspace: Workspace, to: Alignment): void {
  workspace.editor.place("Align", align(selectedBoxes(workspace), to));
}

export function distributeSelection(workspace: Workspace, axis: Axis): void {
  workspace.editor.place("Distribute", distribute(selectedBoxes(workspace), axis));
}

/** Moves the selected nodes a little. A key held down is one undo step; letting go of it seals the step. */
export function nudge(workspace: Workspace, dx: number, dy: number): void {
  const boxes = selectedBoxes(workspace);
  const key = [...boxes.keys()].sort().join(" ");
  const moved = new Map([...boxes].map(([id, { x, y }]) => [id, { x: x + dx, y: y + dy }]));
  workspace.editor.place("Move", moved, `nudge:${key}`);
}

/** Makes the selected comment larger or smaller. A key held down is one undo step, as with `nudge`. */
export function resizeComment(workspace: Workspace, dx: number, dy: number): void {
  const [[id, box] = []] = selectedBoxes(workspace);
  if (id === undefined || box === undefined) return;
  const width = Math.max(MIN_COMMENT_SIZE.width, box.width + dx);
  const height = Math.max(MIN_COMMENT_SIZE.height, box.height + dy);
  workspace.editor.place("Resize", new Map([[id, { x: box.x, y: box.y, width, height }]]), `resize:${id}`);
}

/** The selected nodes' boxes as they are drawn. */
export function selectedBoxes({ editor, canvas }: Workspace): Boxes {
  const { selection, flow } = editor.state;
  const drawn = new Map((canvas.instance?.getNodes() ?? []).map((node) => [node.id, node]));
  const boxes = new Map<string, Box>();
  for (const id of selection.nodes) {
    const node = drawn.get(id);
    const at = flow.layout[id] ?? node?.position;
    if (!node || !at) continue;
    boxes.set(id, {
      x: at.x,
      y: at.y,
      width: node.measured?.width ?? node.initialWidth ?? 0,
      height: node.measured?.height ?? node.initialHeight ?? 0,
    });
  }
  return boxes;
}
