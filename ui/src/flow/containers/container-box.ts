/** The box of a loop on the canvas: the place of its body, and its growth around added nodes. */
import type { Flow, NodeId, Position } from "@/bindings";
import { bodyOf, containerOf } from "./containers";
import { shiftFramesIn } from "./frame-box";

export type Size = { width: number; height: number };
/** The size of a node as it is drawn, or would be. */
export type SizeOf = (flow: Flow, id: NodeId) => Size;

/** The parts of an open loop: its name above, the ports of its border at both sides, the iterations below. */
export const LOOP_HEADER = 36;
export const LOOP_FOOTER = 34;
export const LOOP_STRIP = 104;
/** How far nodes in the body stay from its border. */
const BODY_GAP = { x: 42, y: 18 };

/** The least distance of a body node from each side of its loop. */
export const BODY_INSET = {
  left: LOOP_STRIP + BODY_GAP.x,
  right: LOOP_STRIP + BODY_GAP.x,
  top: LOOP_HEADER + BODY_GAP.y,
  bottom: LOOP_FOOTER + BODY_GAP.y,
};
export const LOOP_SIZE: Size = { width: 560, height: 260 };
export const MIN_LOOP_SIZE: Size = { width: 2 * LOOP_STRIP + 140, height: 240 };

/** The size of an open loop as the layout has it. */
export function loopSize(at: Partial<Position> | undefined): Size {
  return {
    width: Math.max(MIN_LOOP_SIZE.width, at?.width ?? LOOP_SIZE.width),
    height: Math.max(MIN_LOOP_SIZE.height, at?.height ?? LOOP_SIZE.height),
  };
}

/** The least size of a loop that has these boxes, relative to it, in its body. */
export function sizeAround(boxes: Iterable<{ x: number; y: number } & Size>): Size {
  let { width, height } = MIN_LOOP_SIZE;
  for (const box of boxes) {
    width = Math.max(width, box.x + box.width + BODY_INSET.right);
    height = Math.max(height, box.y + box.height + BODY_INSET.bottom);
  }
  return { width: Math.ceil(width), height: Math.ceil(height) };
}

/**
 * Lets the loops around moved, added or resized nodes grow so far that these are within their bodies. Nothing moves on
 * the canvas but the borders of the loops.
 */
export function growLoops(before: Flow, after: Flow, sizeOf: SizeOf): Flow {
  if (after.layout === before.layout) return after;
  const changed = Object.keys(after.nodes).filter(
    (id) => after.nodes[id]?.parent !== before.nodes[id]?.parent || !hasSameBox(after.layout[id], before.layout[id]),
  );
  let flow = after;
  for (const id of changed) {
    flow = grow(flow, id, sizeOf);
    for (let at = containerOf(flow, id); at !== undefined; at = containerOf(flow, at)) flow = grow(flow, at, sizeOf);
  }
  return flow;
}

function hasSameBox(a: Position | undefined, b: Position | undefined): boolean {
  return a === b || (a?.x === b?.x && a?.y === b?.y && a?.width === b?.width && a?.height === b?.height);
}

function grow(flow: Flow, loop: NodeId, sizeOf: SizeOf): Flow {
  const body = bodyOf(flow, loop);
  if (body.length === 0) return flow;
  const at = flow.layout[loop] ?? { x: 0, y: 0 };
  const places = body.map((id) => flow.layout[id] ?? { x: BODY_INSET.left, y: BODY_INSET.top });
  const right = Math.max(0, ...places.map(({ x }) => BODY_INSET.left - x));
  const down = Math.max(0, ...places.map(({ y }) => BODY_INSET.top - y));
  const needed = sizeAround(
    body.map((id, index) => ({
      x: (places[index]?.x ?? 0) + right,
      y: (places[index]?.y ?? 0) + down,
      ...sizeOf(flow, id),
    })),
  );
  const size = loopSize(at);
  const width = Math.max(size.width + right, needed.width);
  const height = Math.max(size.height + down, needed.height);
  if (right === 0 && down === 0 && width === size.width && height === size.height) return flow;
  const layout = { ...flow.layout, [loop]: { ...at, x: at.x - right, y: at.y - down, width, height } };
  if (right > 0 || down > 0) {
    body.forEach((id, index) => {
      const place = places[index];
      if (place) layout[id] = { ...place, x: place.x + right, y: place.y + down };
    });
  }
  return shiftFramesIn({ ...flow, layout }, loop, right, down);
}
