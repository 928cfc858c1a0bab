/** The titles of loops and frames in the picture of a large flow. */
import { frameBoxes } from "@/canvas/measure/boxes";
import type { Box, Boxes } from "@/flow/align/align";
import type { NodeTypes } from "@/flow/node-types/node-types";
import type { CanvasNode, FrameNode } from "@/workspace/canvas-store";
import type { PaintMapping } from "./paint-nodes";

/** Screen pixels. */
const FONT_SIZE = 12;
const ABOVE = 4;
/** A container that is less wide has no title: hardly a letter would fit. */
const MIN_WIDTH = 24;

export type ContainerTitle = { title: string; box: Box };

/** The titles of all open loops and frames. `boxes` are those of the nodes. */
export function titlesOf(
  types: NodeTypes,
  nodes: readonly CanvasNode[],
  frames: readonly FrameNode[],
  boxes: Boxes,
): ContainerTitle[] {
  const places = frameBoxes(frames, boxes);
  return [
    ...frames.map(({ id, data }) => ({ title: data.frame.title, box: places.get(id) })),
    ...nodes
      .filter(({ type }) => type === "loop")
      .map(({ id, data: { node } }) => ({
        title: node.title ?? types.byType.get(node.type)?.title ?? node.type,
        box: boxes.get(id),
      })),
  ].filter((one): one is ContainerTitle => one.box !== undefined);
}

/** Writes each title above the upper left corner of its container, no wider than that. */
export function paintTitles(
  pen: CanvasRenderingContext2D,
  resolve: (css: string) => string,
  titles: readonly ContainerTitle[],
  map: PaintMapping,
): void {
  pen.font = `600 ${FONT_SIZE}px ${getComputedStyle(pen.canvas).fontFamily}`;
  pen.fillStyle = resolve("var(--fg)");
  for (const { title, box } of titles) {
    const width = box.width * map.scale;
    if (width < MIN_WIDTH) continue;
    const { x, y } = map.toMap(box);
    pen.fillText(shortened(pen, title, width), x, y - ABOVE);
  }
}

function shortened(pen: CanvasRenderingContext2D, title: string, width: number): string {
  let text = title;
  for (let length = title.length - 1; length > 0 && pen.measureText(text).width > width; length -= 1)
    text = `${title.slice(0, length).trimEnd()}…`;
  return text;
}
