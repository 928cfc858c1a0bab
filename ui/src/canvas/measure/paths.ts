/** The curves of edges, from the right side of one card to the left side of another. */

import type { Box, Point } from "@/flow/align/align";

/**
 * `label` is the middle of the curve; `spots` are the places on it for a value, the best one first; `bead` is the place of a breakpoint,
 * near the end and apart from other edges to the same port.
 */
export type Curve = { d: string; label: Point; spots: readonly Point[]; bead: Point };

/** Where on a curve a value may be, as shares of it. */
const SHARES: readonly number[] = [0.5, 0.38, 0.62, 0.28, 0.72];
const BEAD_SHARE = 0.82;
/** How far before the port the bead stands where a curve ends level. */
const BEAD_DISTANCE = 16;
/** How far beside the middle of a flat part a value may be. */
const BESIDE: readonly number[] = [0, -90, 90];

const MIN_PULL = 40;
const MAX_PULL = 180;
/** How far an edge that must go backwards swings out of its cards first. */
const SWING = 46;
const ARC_RISE = 70;
/** The least room between an arc and the cards below it. */
const ARC_CLEAR = 40;

/** The curve of an edge: an S to the right, or a hook around the cards if the target is left of the source. */
export function forwardCurve(from: Point, to: Point): Curve {
  const ahead = to.x - from.x;
  if (ahead >= 24) {
    const pull = pullOf(from, to);
    const label = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
    return {
      d: `M${p(from)} C${p({ x: from.x + pull, y: from.y })} ${p({ x: to.x - pull, y: to.y })} ${p(to)}`,
      label,
      spots: SHARES.map((share) => pointOfCurve(from, to, pull, share)),
      bead: pointOfCurve(from, to, pull, BEAD_SHARE),
    };
  }
  // Out to the right, through the middle between both heights, in from the left.
  const gap = Math.abs(to.y - from.y);
  const down = to.y >= from.y ? 1 : -1;
  const middleY = gap < 80 ? Math.max(from.y, to.y) + 96 : from.y + (down * gap) / 2;
  const right = from.x + SWING;
  const left = to.x - SWING;
  const middleX = (from.x + to.x) / 2;
  return {
    d: `M${p(from)} C${p({ x: right, y: from.y })} ${p({ x: right, y: middleY })} ${p({ x: middleX, y: middleY })} S${p({ x: left, y: to.y })} ${p(to)}`,
    ...flat({ x: middleX, y: middleY }),
    bead: before(to),
  };
}

/** The arc of a back edge, over the cards of its cycle. `over` is the top of those cards. */
export function backCurve(from: Point, to: Point, over: number): Curve {
  const { right, left, top } = arc(from, to, over);
  const middleX = (from.x + to.x) / 2;
  return {
    d: `M${p(from)} C${p({ x: right, y: from.y })} ${p({ x: right, y: top })} ${p({ x: middleX, y: top })} C${p({ x: left, y: top })} ${p({ x: left, y: to.y })} ${p(to)}`,
    ...flat({ x: middleX, y: top }),
    bead: before(to),
  };
}

/** The curve of an edge through points, smooth in each of them. */
export function routedCurve(from: Point, points: readonly Point[], to: Point): Curve {
  const all = [from, ...points, to];
  const at = (index: number) => all[index] ?? to;
  // How far the curve is pulled along its direction in each point; at both ends, that is to the right.
  const pull = (index: number, other: number): Point => {
    const length = Math.hypot(at(other).x - at(index).x, at(other).y - at(index).y);
    if (index === 0 || index === all.length - 1) return { x: clamp(length * 0.4, 12, 120), y: 0 };
    const [last, next] = [at(index - 1), at(index + 1)];
    const span = Math.hypot(next.x - last.x, next.y - last.y) || 1;
    return { x: ((next.x - last.x) / span) * length * 0.35, y: ((next.y - last.y) / span) * length * 0.35 };
  };
  const parts = all.slice(1).map((end, index) => {
    const start = at(index);
    const [a, b] = [pull(index, index + 1), pull(index + 1, index)];
    return `C${p({ x: start.x + a.x, y: start.y + a.y })} ${p({ x: end.x - b.x, y: end.y - b.y })} ${p(end)}`;
  });
  const middle = Math.floor((all.length - 1) / 2);
  const [a, b] = [at(middle), at(middle + 1)];
  const label = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  return { d: `M${p(from)} ${parts.join(" ")}`, label, spots: [label], bead: before(to) };
}

function before({ x, y }: Point): Point {
  return { x: x - BEAD_DISTANCE, y };
}

/** The box that the arc of a back edge keeps within. */
export function backBounds(from: Point, to: Point, over: number): Box {
  const { right, left, top } = arc(from, to, over);
  return { x: left, y: top, width: right - left, height: 1 };
}

/** The extent of an arc. Wide arcs rise higher to keep their shape. */
function arc(from: Point, to: Point, over: number): { right: number; left: number; top: number } {
  const span = Math.abs(from.x - to.x);
  const rise = ARC_RISE + Math.min(span * 0.06, 90);
  return {
    right: Math.max(from.x, to.x) + SWING,
    left: Math.min(from.x, to.x) - SWING,
    top: Math.min(Math.min(from.y, to.y) - rise, over - ARC_CLEAR),
  };
}

/** The places for a value on a part of a curve that is level around this point. */
function flat(label: Point): Pick<Curve, "label" | "spots"> {
  return { label, spots: BESIDE.map((distance) => ({ x: label.x + distance, y: label.y })) };
}

/** Points along the curve of an edge to the right, as `forwardCurve` draws it. */
export function pointsAlong(from: Point, to: Point): Point[] {
  return Array.from({ length: 21 }, (_, index) => pointOfCurve(from, to, pullOf(from, to), index / 20));
}

/** The point of an S-curve at a share of it. */
function pointOfCurve(from: Point, to: Point, pull: number, share: number): Point {
  const rest = 1 - share;
  const [a, b, c, d] = [rest ** 3, 3 * rest ** 2 * share, 3 * rest * share ** 2, share ** 3];
  return {
    x: a * from.x + b * (from.x + pull) + c * (to.x - pull) + d * to.x,
    y: (a + b) * from.y + (c + d) * to.y,
  };
}

/** How far an S-curve is pulled out of its cards. */
function pullOf(from: Point, to: Point): number {
  return clamp((to.x - from.x) * 0.45, MIN_PULL, MAX_PULL);
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}

function p({ x, y }: Point): string {
  return `${round(x)} ${round(y)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
