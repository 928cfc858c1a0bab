/** Aligning, distributing and nudging the selected nodes. */
import { place } from "@/flow/actions";
import { type Alignment, type Axis, align, type Box, type Boxes, distribute } from "@/flow/align";
import { flowStore } from "@/flow/store";
import { canvasStore } from "./canvas-store";
import { MIN_NOTE_SIZE } from "./geometry";

export function alignSelection(to: Alignment): void {
  place("Align", align(selectedBoxes(), to));
}

export function distributeSelection(axis: Axis): void {
  place("Distribute", distribute(selectedBoxes(), axis));
}

/** Moves the selected nodes a little. A key held down is one undo step; letting go of it seals the step. */
export function nudge(dx: number, dy: number): void {
  const boxes = selectedBoxes();
  const key = [...boxes.keys()].sort().join(" ");
  place("Move", new Map([...boxes].map(([id, { x, y }]) => [id, { x: x + dx, y: y + dy }])), `nudge:${key}`);
}

/** Makes the selected note larger or smaller. A key held down is one undo step, as with `nudge`. */
export function resizeNote(dx: number, dy: number): void {
  const [[id, box] = []] = selectedBoxes();
  if (id === undefined || box === undefined) return;
  const width = Math.max(MIN_NOTE_SIZE.width, box.width + dx);
  const height = Math.max(MIN_NOTE_SIZE.height, box.height + dy);
  place("Resize", new Map([[id, { x: box.x, y: box.y, width, height }]]), `resize:${id}`);
}

/** The selected nodes' boxes as they are drawn. */
export function selectedBoxes(): Boxes {
  const { selection, flow } = flowStore.getState();
  const drawn = new Map((canvasStore.getState().instance?.getNodes() ?? []).map((node) => [node.id, node]));
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
