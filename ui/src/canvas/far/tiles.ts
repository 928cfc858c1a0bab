/** What the far view paints: the boxes of all nodes and frames, with what their tiles show besides the state of a run. */
import { withFrameElements } from "@/canvas/elements/frame-elements";
import { boxesOf, frameBoxes } from "@/canvas/measure/boxes";
import { frameColor, nodeColor } from "@/canvas/overview/paint-nodes";
import { plain } from "@/design/markdown/plain-text";
import type { Box } from "@/flow/align/align";
import { tint } from "@/flow/edits/canvas-colors";
import { commentField, type NodeTypes } from "@/flow/node-types/node-types";
import type { CanvasElement, CanvasNode, FrameNode } from "@/workspace/canvas-store";

/** A folded frame or loop is a card. */
export type TileKind = "card" | "comment" | "loop" | "frame";

export type Tile = {
  id: string;
  kind: TileKind;
  element: CanvasElement;
  /** Canvas units. */
  box: Box;
  title: string;
  /** The name of its icon. */
  icon?: string;
  /** The color of its left edge: its context's, else its kind's. */
  hue: string;
  /** The color that a person gave it. */
  tint?: string;
  disabled: boolean;
  selected: boolean;
};

export const PIN_ICON = "pin";
export const FRAME_ICON = "square-dashed";

/** All tiles in the order in which they cover each other. */
export function tilesOf(types: NodeTypes, nodes: readonly CanvasNode[], frames: readonly FrameNode[]): Tile[] {
  const boxes = boxesOf(nodes);
  const places = frameBoxes(frames, boxes);
  const tiles: Tile[] = [];
  for (const element of withFrameElements(frames, nodes)) {
    const box = boxes.get(element.id) ?? places.get(element.id);
    if (box) tiles.push({ ...(element.type === "frame" ? frameTile(types, element) : nodeTile(types, element)), box });
  }
  // A stable sort: containers keep their order, from the outside in.
  return tiles.sort((a, b) => LAYERS[a.kind] - LAYERS[b.kind]);
}

const LAYERS: Record<TileKind, number> = { frame: 0, loop: 0, comment: 1, card: 2 };

function frameTile(types: NodeTypes, element: FrameNode): Omit<Tile, "box"> {
  const { id, selected = false } = element;
  const { frame, folded, main, disabled = false } = element.data;
  const kind = folded ? "card" : "frame";
  const icon = types.byType.get(main?.type ?? "")?.icon ?? FRAME_ICON;
  const hue = frameColor(types, element.data);
  return { id, kind, element, title: frame.title, icon, hue, tint: tint(frame.color), disabled, selected };
}

function nodeTile(types: NodeTypes, element: CanvasNode): Omit<Tile, "box"> {
  const { id, type: kind = "card", selected = false } = element;
  const { node, disabled, color } = element.data;
  const icon = node.pin !== undefined ? PIN_ICON : types.byType.get(node.type)?.icon;
  const title = titleOf(types, element);
  return { id, kind, element, title, icon, hue: nodeColor(types, element), tint: tint(color), disabled, selected };
}

/** The name of a node on its card; of a comment without one, its first line. */
export function titleOf(types: NodeTypes, { type, data: { node } }: Pick<CanvasNode, "type" | "data">): string {
  if (node.title !== undefined) return node.title;
  if (type !== "comment") return types.byType.get(node.type)?.title ?? node.type;
  const text = node.config?.[commentField(types, node) ?? ""];
  return typeof text === "string" ? plain(text.trim().split("\n", 1)[0] ?? "") : "";
}
