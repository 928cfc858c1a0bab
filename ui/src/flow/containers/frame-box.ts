/** Where frames are on the canvas, and which nodes are in them. */
import type { Flow, Frame, FrameId, NodeId } from "@/bindings";
import type { Box, Point } from "@/flow/align/align";
import { containerOf, cornerOf } from "./containers";

/** The size of a folded frame: as wide as a card, and with three lines for its title at the least zoom of a first view. */
export const FOLDED_FRAME = { width: 208, height: 100 };

/** The least distance of a node from each side of its frame; above it is the title. */
export const FRAME_INSET = { left: 16, right: 16, top: 36, bottom: 16 };

/** The frame that a node is in. */
export function frameOf(flow: Flow, node: NodeId): FrameId | undefined {
  return Object.entries(flow.frames ?? {}).find(([, { nodes }]) => nodes.includes(node))?.[0];
}

/** The node that the card of a folded frame stands for. */
export function mainOf(flow: Flow, { main, nodes }: Frame): NodeId | undefined {
  return main !== undefined && nodes.includes(main) && Object.hasOwn(flow.nodes, main) ? main : undefined;
}

/** The loop with the frame in its body: the loop of its nodes. */
export function containerOfFrame(flow: Flow, { nodes }: Frame): NodeId | undefined {
  const [first] = nodes.filter((id) => Object.hasOwn(flow.nodes, id));
  return first === undefined ? undefined : containerOf(flow, first);
}

/** The upper left corner of a frame on the canvas. */
export function frameCorner(flow: Flow, frame: Frame): Point {
  const container = containerOfFrame(flow, frame);
  const origin = container === undefined ? { x: 0, y: 0 } : cornerOf(flow, container);
  return { x: origin.x + frame.x, y: origin.y + frame.y };
}

/** The nodes together with those of these frames. */
export function withFramed(flow: Flow, nodes: Iterable<NodeId>, frames: Iterable<FrameId>): Set<NodeId> {
  return new Set([...nodes, ...[...frames].flatMap((id) => flow.frames?.[id]?.nodes ?? [])]);
}

/** The least box of a frame around these boxes. */
export function frameAround(boxes: readonly Box[]): Box {
  const left = Math.min(...boxes.map(({ x }) => x)) - FRAME_INSET.left;
  const top = Math.min(...boxes.map(({ y }) => y)) - FRAME_INSET.top;
  const right = Math.max(...boxes.map(({ x, width }) => x + width)) + FRAME_INSET.right;
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + FRAME_INSET.bottom;
  const [x, y] = [Math.floor(left), Math.floor(top)];
  return { x, y, width: Math.ceil(right) - x, height: Math.ceil(bottom) - y };
}

/** The least box around both. */
export function boxAroundBoth(a: Box, b: Box): Box {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return {
    x,
    y,
    width: Math.max(a.x + a.width, b.x + b.width) - x,
    height: Math.max(a.y + a.height, b.y + b.height) - y,
  };
}

/** The flow with other frames; without any, it has no field for them. */
export function withFrames(flow: Flow, frames: NonNullable<Flow["frames"]>): Flow {
  const { frames: _, ...rest } = flow;
  return Object.keys(frames).length === 0 ? rest : { ...rest, frames };
}

/** Moves the frames in a loop's body along when the body is shifted in its loop. */
export function shiftFramesIn(flow: Flow, loop: NodeId, right: number, down: number): Flow {
  const inside = Object.entries(flow.frames ?? {}).filter(([, frame]) => containerOfFrame(flow, frame) === loop);
  if (inside.length === 0) return flow;
  const shifted = inside.map(([id, frame]) => [id, { ...frame, x: frame.x + right, y: frame.y + down }]);
  return withFrames(flow, { ...flow.frames, ...Object.fromEntries(shifted) });
}
