/** Nodes as plain rectangles: in the minimap, and on the canvas where cards would be too small to read. */
import type { Node } from "@/bindings";
import { shade } from "@/canvas/elements/elements";
import { frameBoxes } from "@/canvas/measure/boxes";
import type { Boxes, Point } from "@/flow/align/align";
import { tint } from "@/flow/edits/canvas-colors";
import type { NodeTypes } from "@/flow/node-types/node-types";
import type { CanvasNode, FrameData, FrameNode } from "@/workspace/canvas-store";

const LOOP_OPACITY = 0.3;
const FRAME_OPACITY = 0.22;
/** Screen pixels. */
const MIN_SIDE = 1.5;
const MIN_ROUNDED = 4;
const CATEGORY_COLORS: Partial<Record<string, string>> = {
  people: "var(--wait)",
  tools: "var(--tools)",
  data: "var(--data)",
};

/** From the canvas to the picture. */
export type PaintMapping = { scale: number; toMap(at: Point): Point };

/** Frames, to be painted before their nodes. `boxes` are the boxes of the nodes. */
export function paintFrames(
  pen: CanvasRenderingContext2D,
  resolve: (css: string) => string,
  types: NodeTypes,
  frames: readonly FrameNode[],
  boxes: Boxes,
  map: PaintMapping,
): void {
  const places = frameBoxes(frames, boxes);
  for (const { id, data, selected } of frames) {
    const box = places.get(id);
    if (!box) continue;
    const at = map.toMap(box);
    pen.globalAlpha = data.folded ? 1 : FRAME_OPACITY;
    pen.fillStyle = resolve(selected ? "var(--fg)" : frameColor(types, data));
    pen.beginPath();
    pen.roundRect(at.x, at.y, box.width * map.scale, box.height * map.scale, 1.5);
    pen.fill();
  }
  pen.globalAlpha = 1;
}

/** The color of a frame; without one, that of the kind of node that it stands for while it is folded. */
export function frameColor(types: NodeTypes, { frame, folded, main }: FrameData): string {
  return tint(frame.color) ?? (folded && main ? kindColor(types, main) : "var(--tint-gray)");
}

/** `boxes` are the boxes of the nodes. */
export function paintNodes(
  pen: CanvasRenderingContext2D,
  resolve: (css: string) => string,
  types: NodeTypes,
  nodes: readonly CanvasNode[],
  boxes: Boxes,
  map: PaintMapping,
): void {
  for (const node of nodes) {
    const box = boxes.get(node.id);
    if (!box) continue;
    const at = map.toMap(box);
    pen.fillStyle = resolve(ownColor(types, node));
    // What a loop has inside is to be seen through it.
    pen.globalAlpha = node.type === "loop" ? LOOP_OPACITY : 1;
    const width = Math.max(MIN_SIDE, box.width * map.scale);
    const height = Math.max(MIN_SIDE, box.height * map.scale);
    // Corners that nobody sees take time with thousands of nodes.
    if (height < MIN_ROUNDED) {
      pen.fillRect(at.x, at.y, width, height);
      continue;
    }
    pen.beginPath();
    pen.roundRect(at.x, at.y, width, height, 1.5);
    pen.fill();
  }
  pen.globalAlpha = 1;
}

function ownColor(types: NodeTypes, node: CanvasNode): string {
  return node.selected ? "var(--fg)" : (tint(node.data.color) ?? nodeColor(types, node));
}

/** The color of a node's context; outside of all contexts, that of its kind. */
export function nodeColor(types: NodeTypes, node: CanvasNode): string {
  return shade(node.data.context) ?? kindColor(types, node.data.node);
}

function kindColor(types: NodeTypes, { type }: Node): string {
  const category = types.byType.get(type)?.category ?? "wiring";
  return CATEGORY_COLORS[category] ?? "var(--line-2)";
}
