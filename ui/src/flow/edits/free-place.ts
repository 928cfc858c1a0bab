/** Where new nodes go: the place nearest to the wanted one where they cover nothing. */
import type { Box, Point } from "@/flow/align/align";
import type { Size } from "@/flow/containers/container-box";

/** How far new nodes stay from others, in canvas units. */
export const FREE_GAP = 20;

/** An open interval of one coordinate. */
type Interval = { from: number; to: number };

/** Where the corner of a new box may not be because of another one. */
type OccupiedArea = { x: Interval; y: Interval };

/**
 * The corner nearest to `wanted` at which a box of this size keeps its distance from all others: within `area`, or anywhere
 * without one. Whole canvas units. Undefined if the area has no such place.
 *
 * The nearest free corner has the wanted x or touches a side of another box; so does its y. From the wanted place, a line
 * sweeps to the right and one to the left, and looks on each such x for the nearest y that is free there. Only the boxes
 * that the line cuts are looked at, so the time is about linear in the boxes.
 */
export function freePlace(size: Size, wanted: Point, others: Iterable<Box>, area?: Box): Point | undefined {
  const allowed = {
    x: allowedCorners(area && { from: area.x, to: area.x + area.width }, size.width),
    y: allowedCorners(area && { from: area.y, to: area.y + area.height }, size.height),
  };
  if (!allowed.x || !allowed.y) return undefined;
  const start = { x: clamp(Math.round(wanted.x), allowed.x), y: clamp(Math.round(wanted.y), allowed.y) };
  const taken: OccupiedArea[] = [];
  for (const box of others) {
    // Outwards to whole units, so that all candidates are whole.
    const x = {
      from: Math.floor(box.x - size.width - FREE_GAP),
      to: Math.ceil(box.x + box.width + FREE_GAP),
    };
    const y = {
      from: Math.floor(box.y - size.height - FREE_GAP),
      to: Math.ceil(box.y + box.height + FREE_GAP),
    };
    if (overlaps(x, allowed.x) && overlaps(y, allowed.y)) taken.push({ x, y });
  }
  const right = sweep(start, taken, allowed.x.to, allowed.y, Infinity);
  // The same to the left, in the mirror.
  const mirrored = taken.map(({ x, y }) => ({ x: { from: -x.to, to: -x.from }, y }));
  const limit = right ? distanceOf(start, right) : Infinity;
  const left = sweep({ x: -start.x, y: start.y }, mirrored, -allowed.x.from, allowed.y, limit);
  return left ? { x: -left.x + 0, y: left.y } : right;
}

/** The free corner nearest to the start, at or right of it and nearer than `limit`. */
function sweep(
  start: Point,
  taken: readonly OccupiedArea[],
  maxX: number,
  allowedY: Interval,
  limit: number,
): Point | undefined {
  const ahead = taken.filter(({ x }) => x.to > start.x).sort((a, b) => a.x.from - b.x.from);
  const candidates = ahead.flatMap(({ x }) => (x.from > start.x ? [x.from, x.to] : [x.to]));
  let best: Point | undefined;
  let leastDistance = limit;
  let next = 0;
  // What the line cuts, by where it begins.
  let cut: OccupiedArea[] = [];
  let before: number | undefined;
  for (const x of [start.x, ...candidates.sort((a, b) => a - b)]) {
    if (x === before) continue;
    before = x;
    if (x - start.x >= leastDistance || x > maxX) break;
    cut = cut.filter((one) => one.x.to > x);
    for (let one = ahead[next]; one && one.x.from < x; one = ahead[++next]) {
      if (one.x.to > x) cut.splice(firstAfter(cut, one.y.from), 0, one);
    }
    const y = nearestOutside(start.y, cut, allowedY);
    if (y === undefined) continue;
    const distance = distanceOf(start, { x, y });
    if (distance < leastDistance) {
      best = { x, y };
      leastDistance = distance;
    }
  }
  return best;
}

/** The index of the first one that begins after `from`. */
function firstAfter(sorted: readonly OccupiedArea[], from: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.y.from ?? Infinity) > from) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The value nearest to a start that is in none of the intervals, which are sorted by where they begin. */
function nearestOutside(start: number, sorted: readonly OccupiedArea[], allowed: Interval): number | undefined {
  let joined: Interval | undefined;
  for (const { y } of sorted) {
    if (joined && y.from < joined.to) joined.to = Math.max(joined.to, y.to);
    // The joined part ends before this one begins: is the start in it, or before the next?
    else if ((joined && joined.to > start) || y.from >= start) break;
    else joined = { ...y };
  }
  if (!joined || joined.to <= start || joined.from >= start) return start;
  const inside = [joined.from, joined.to].filter((one) => one >= allowed.from && one <= allowed.to);
  return inside.sort((a, b) => Math.abs(a - start) - Math.abs(b - start) || b - a)[0];
}

function distanceOf(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function overlaps(a: Interval, b: Interval): boolean {
  return a.from <= b.to && a.to >= b.from;
}

/** Where the corner may be so that the box is within; undefined if it is too large for that. */
function allowedCorners(within: Interval | undefined, length: number): Interval | undefined {
  if (!within) return { from: -Infinity, to: Infinity };
  const corners = { from: Math.ceil(within.from), to: Math.floor(within.to - length) };
  return corners.from <= corners.to ? corners : undefined;
}

function clamp(value: number, { from, to }: Interval): number {
  return Math.min(Math.max(value, from), to);
}
