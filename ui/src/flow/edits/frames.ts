/** Edits of frames, as pure functions like those of `edits.ts`. `completeFrames` keeps frames around their nodes. */
import type { CanvasColor, Flow, Frame, FrameId, NodeId } from "@/bindings";
import type { Box, Point } from "@/flow/align/align";
import type { SizeOf } from "@/flow/containers/container-box";
import { containerOf, cornerOf, outermost, relativeTo } from "@/flow/containers/containers";
import { boxAroundBoth, containerOfFrame, frameAround, withFrames } from "@/flow/containers/frame-box";
import { place } from "./edits";
import { freshFrameId } from "./ids";

/** A frame around nodes of one body. They leave the frames that they were in. Undefined if they are in several bodies. */
export function addFrame(
  flow: Flow,
  ids: Iterable<NodeId>,
  look: Pick<Frame, "title" | "color">,
  sizeOf: SizeOf,
): { flow: Flow; frame: FrameId } | undefined {
  const nodes = outermost(flow, ids).filter((id) => Object.hasOwn(flow.nodes, id));
  const containers = new Set(nodes.map((id) => containerOf(flow, id)));
  if (containers.size !== 1) return undefined;
  const left = takeOut(flow, nodes);
  const frame = freshFrameId(flow);
  const added = { ...look, nodes, ...frameAround(boxesIn(flow, nodes, sizeOf)) };
  return { flow: withFrames(left, { ...left.frames, [frame]: added }), frame };
}

/** Removes frames. Their nodes stay. */
export function removeFrames(flow: Flow, ids: ReadonlySet<FrameId>): Flow {
  const kept = Object.entries(flow.frames ?? {}).filter(([id]) => !ids.has(id));
  if (kept.length === Object.keys(flow.frames ?? {}).length) return flow;
  return withFrames(flow, Object.fromEntries(kept));
}

/** Sets a frame's title. A frame always has one: an empty title changes nothing. */
export function setFrameTitle(flow: Flow, id: FrameId, title: string): Flow {
  const trimmed = title.trim();
  return trimmed === "" ? flow : change(flow, id, { title: trimmed });
}

/** Gives frames a color, or takes theirs away. */
export function setFrameColor(flow: Flow, ids: Iterable<FrameId>, color: CanvasColor | undefined): Flow {
  let next = flow;
  for (const id of ids) next = change(next, id, { color });
  return next;
}

/** Folds frames to cards, or opens them. */
export function setFramesFolded(flow: Flow, ids: Iterable<FrameId>, folded: boolean): Flow {
  let next = flow;
  for (const id of ids) next = change(next, id, { folded });
  return next;
}

/** Moves frames with their nodes. Nodes in `placed` have their new place already. */
export function moveFrames(
  flow: Flow,
  moves: ReadonlyMap<FrameId, Point>,
  placed: ReadonlySet<NodeId> = new Set(),
): Flow {
  let next = flow;
  for (const [id, by] of moves) {
    const frame = next.frames?.[id];
    if (!frame) continue;
    const nodes = frame.nodes.filter((one) => !placed.has(one));
    const places = nodes.map((one) => {
      const at = next.layout[one] ?? { x: 0, y: 0 };
      return [one, { x: at.x + by.x, y: at.y + by.y }] as const;
    });
    next = change(place(next, new Map(places)), id, { x: frame.x + by.x, y: frame.y + by.y });
  }
  return next;
}

/** Gives a frame another box, not smaller than its nodes need. */
export function resizeFrame(flow: Flow, id: FrameId, box: Box, sizeOf: SizeOf): Flow {
  const frame = flow.frames?.[id];
  if (!frame) return flow;
  return change(flow, id, boxAroundBoth(box, frameAround(boxesIn(flow, frame.nodes, sizeOf))));
}

/** Puts nodes into a frame of the body that they are in. They leave the frames that they were in. */
export function takeIn(flow: Flow, ids: Iterable<NodeId>, id: FrameId): Flow {
  const target = flow.frames?.[id];
  if (!target) return flow;
  const container = containerOfFrame(flow, target);
  const entering = [...ids].filter((one) => {
    return Object.hasOwn(flow.nodes, one) && containerOf(flow, one) === container && !target.nodes.includes(one);
  });
  if (entering.length === 0) return flow;
  return change(takeOut(flow, entering), id, { nodes: [...target.nodes, ...entering] });
}

/** Takes nodes out of their frames. A frame that has none left goes. */
export function takeOut(flow: Flow, ids: Iterable<NodeId>): Flow {
  const leaving = new Set(ids);
  let next = flow;
  for (const [id, { nodes }] of Object.entries(flow.frames ?? {})) {
    const kept = nodes.filter((one) => !leaving.has(one));
    if (kept.length === 0) next = removeFrames(next, new Set([id]));
    else if (kept.length < nodes.length) next = change(next, id, { nodes: kept });
  }
  return next;
}

/**
 * After an edit: frames lose nodes that are gone or went into another body, go where they have none left, and are around
 * the others. A frame moves with its nodes where all of them were moved.
 */
export function completeFrames(before: Flow, after: Flow, sizeOf: SizeOf): Flow {
  if (
    !after.frames ||
    (before.nodes === after.nodes && before.layout === after.layout && before.frames === after.frames)
  )
    return after;
  const frames: [FrameId, Frame][] = [];
  const taken = new Set<NodeId>();
  for (const [id, frame] of Object.entries(after.frames)) {
    const there = frame.nodes.filter((one) => Object.hasOwn(after.nodes, one) && !taken.has(one));
    const home = homeOf(before, after, id, there);
    const nodes = there.filter((one) => containerOf(after, one) === home);
    for (const one of nodes) taken.add(one);
    if (nodes.length === 0) continue;
    const own = before.frames?.[id] === frame ? followed(before, after, { ...frame, nodes }, home) : frame;
    const around = frameAround(boxesIn(after, nodes, sizeOf));
    const box = own ? boxAroundBoth(own, around) : around;
    const kept = nodes.length === frame.nodes.length ? frame.nodes : nodes;
    frames.push([id, changed(frame, { ...box, nodes: kept })]);
  }
  const same =
    frames.length === Object.keys(after.frames).length && frames.every(([id, one]) => after.frames?.[id] === one);
  return same ? after : withFrames(after, Object.fromEntries(frames));
}

/** The body that a frame is in: the one that all of its nodes went into, else the one that it was in. */
function homeOf(before: Flow, after: Flow, id: FrameId, nodes: readonly NodeId[]): NodeId | undefined {
  const homes = new Set(nodes.map((one) => containerOf(after, one)));
  const old = before.frames?.[id];
  const was = old ? containerOfFrame(before, old) : undefined;
  return homes.size > 1 && old && homes.has(was) ? was : [...homes][0];
}

/** The box of a frame that an edit did not touch itself, or none where all its nodes were moved apart. */
function followed(before: Flow, after: Flow, frame: Frame, home: NodeId | undefined): Box | undefined {
  const was = containerOfFrame(before, frame);
  const origin = was === undefined ? { x: 0, y: 0 } : cornerOf(before, was);
  const moves = frame.nodes.map((id) => {
    const [from, to] = [cornerOf(before, id), cornerOf(after, id)];
    return { x: to.x - from.x, y: to.y - from.y };
  });
  const [first = { x: 0, y: 0 }] = moves;
  const together = moves.every(({ x, y }) => x === first.x && y === first.y);
  if (!together && moves.every(({ x, y }) => x !== 0 || y !== 0)) return undefined;
  const by = together ? first : { x: 0, y: 0 };
  const corner = relativeTo(after, home, { x: origin.x + frame.x + by.x, y: origin.y + frame.y + by.y });
  return { ...corner, width: frame.width, height: frame.height };
}

/** The boxes of nodes, relative to the body that they are in. */
function boxesIn(flow: Flow, ids: readonly NodeId[], sizeOf: SizeOf): Box[] {
  return ids.map((id) => {
    const { x, y } = flow.layout[id] ?? { x: 0, y: 0 };
    const { width, height } = sizeOf(flow, id);
    return { x, y, width, height };
  });
}

function change(flow: Flow, id: FrameId, fields: Partial<Frame>): Flow {
  const frame = flow.frames?.[id];
  if (!frame) return flow;
  const next = changed(frame, fields);
  return next === frame ? flow : withFrames(flow, { ...flow.frames, [id]: next });
}

/** The frame with other fields, in whole canvas units; the same one where nothing differs. */
function changed(frame: Frame, fields: Partial<Frame>): Frame {
  const next = { ...frame, ...fields };
  for (const key of ["x", "y", "width", "height"] as const) next[key] = Math.round(next[key]);
  if (next.color === undefined) delete next.color;
  if (!next.folded) delete next.folded;
  const keys = Object.keys({ ...frame, ...next }) as (keyof Frame)[];
  return keys.every((key) => frame[key] === next[key]) ? frame : next;
}
