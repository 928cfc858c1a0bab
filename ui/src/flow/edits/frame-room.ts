/** Room for a frame that is unfolded: what it would cover moves to the right and down. Folded again, all is as it was. */
import type { Flow, Frame, FrameId, NodeId, Position } from "@/bindings";
import { type Box, overlaps, type Point } from "@/flow/align/align";
import type { Size, SizeOf } from "@/flow/containers/container-box";
import { containerOf } from "@/flow/containers/containers";
import { containerOfFrame, FOLDED_FRAME, withFrames } from "@/flow/containers/frame-box";
import { place } from "./edits";
import { moveFrames } from "./frames";

/** How the flow was drawn before room was made for a frame. */
type Before = { opened: FrameId; layout: Flow["layout"]; corners: ReadonlyMap<FrameId, Point> };

// By the layout with the room. An edit that places anything makes another one, and then nothing is put back.
const roomMade = new WeakMap<Flow["layout"], Before>();

/** After an edit that folds or unfolds frames: makes room for those that are open now, and puts back what made room for the others. */
export function makeRoom(was: Flow, now: Flow, sizeOf: SizeOf): Flow {
  if (was.frames === now.frames) return now;
  let flow = now;
  for (const [id, frame] of Object.entries(now.frames ?? {})) {
    const old = was.frames?.[id];
    if (!old || (old.folded ?? false) === (frame.folded ?? false)) continue;
    flow = frame.folded ? putBack(flow, id) : roomFor(flow, id, sizeOf);
  }
  return flow;
}

function putBack(flow: Flow, id: FrameId): Flow {
  const old = roomMade.get(flow.layout);
  if (old?.opened !== id) return flow;
  const frames = Object.entries(flow.frames ?? {}).map(([one, frame]) => [one, { ...frame, ...old.corners.get(one) }]);
  return withFrames({ ...flow, layout: old.layout }, Object.fromEntries(frames));
}

function roomFor(flow: Flow, id: FrameId, sizeOf: SizeOf): Flow {
  const frame = flow.frames?.[id];
  if (!frame) return flow;
  const others = othersBeside(flow, id, frame, sizeOf);
  const by = missingRoom(frame, [...others.values()]);
  if (by.x === 0 && by.y === 0) return flow;
  const moves = new Map<FrameId, Point>();
  const places = new Map<NodeId, Partial<Position>>();
  for (const [{ node, frame: other }, box] of others) {
    const move = moveFor(frame, box, by);
    if (other !== undefined && (move.x !== 0 || move.y !== 0)) moves.set(other, move);
    if (node === undefined) continue;
    if (isBehind(frame, box)) places.set(node, { width: box.width + by.x, height: box.height + by.y });
    else if (move.x !== 0 || move.y !== 0) places.set(node, { x: box.x + move.x, y: box.y + move.y });
  }
  const made = moveFrames(place(flow, places), moves);
  const corners = Object.entries(flow.frames ?? {}).map(([one, { x, y }]) => [one, { x, y }] as const);
  if (made.layout !== flow.layout)
    roomMade.set(made.layout, { opened: id, layout: flow.layout, corners: new Map(corners) });
  return made;
}

/** A node in no frame, or a frame with its nodes. */
type Beside = { node?: NodeId; frame?: FrameId };

/** What is drawn beside a frame in its body. */
function othersBeside(flow: Flow, id: FrameId, frame: Frame, sizeOf: SizeOf): Map<Beside, Box> {
  const body = containerOfFrame(flow, frame);
  const others = new Map<Beside, Box>();
  const framed = new Set<NodeId>(frame.nodes);
  for (const [other, one] of Object.entries(flow.frames ?? {})) {
    if (other === id || containerOfFrame(flow, one) !== body) continue;
    for (const node of one.nodes) framed.add(node);
    const { width, height }: Size = one.folded ? FOLDED_FRAME : one;
    others.set({ frame: other }, { x: one.x, y: one.y, width, height });
  }
  for (const node of Object.keys(flow.nodes)) {
    const at = flow.layout[node];
    if (!at || framed.has(node) || containerOf(flow, node) !== body) continue;
    others.set({ node }, { x: at.x, y: at.y, ...sizeOf(flow, node) });
  }
  return others;
}

/** How much room an open frame needs to its right and below. None where it would cover nothing. */
function missingRoom(frame: Frame, others: readonly Box[]): Point {
  const covered = others.filter((box) => overlaps(box, frame) && !isBehind(frame, box));
  const right = covered.filter((box) => isRightOf(frame, box));
  const below = covered.filter((box) => !isRightOf(frame, box) && isBelow(frame, box));
  return {
    x: right.length > 0 ? frame.width - FOLDED_FRAME.width : 0,
    y: below.length > 0 ? frame.height - FOLDED_FRAME.height : 0,
  };
}

/** All that is right of the card moves to the right, all that is below moves down: rows stay rows, and columns columns. */
function moveFor(frame: Frame, box: Box, by: Point): Point {
  return { x: isRightOf(frame, box) ? by.x : 0, y: isBelow(frame, box) ? by.y : 0 };
}

const isRightOf = (frame: Frame, box: Box) => box.x >= frame.x + FOLDED_FRAME.width;
const isBelow = (frame: Frame, box: Box) => box.y >= frame.y + FOLDED_FRAME.height;
/** Whether the card lies on a large comment, which becomes larger with the frame. */
const isBehind = (frame: Frame, box: Box) =>
  box.x < frame.x &&
  box.y < frame.y &&
  box.x + box.width > frame.x + FOLDED_FRAME.width &&
  box.y + box.height > frame.y + FOLDED_FRAME.height;
