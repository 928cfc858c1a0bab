/** Where new nodes go: the place nearest to the wanted one where they cover nothing. */
import type { Box, Point } from "./align";
import type { Size } from "./container-box";

/** How far new nodes stay from others, in canvas units. */
export const FREE_GAP = 20;

/** An open interval of one coordinate. */
type Interval = { from: number; to: number };

/**
 * The corner nearest to `wanted` at which a box of this size keeps its distance from all others: within `area`, or anywhere
 * without one. Whole canvas units. Undefined if the area has no such place.
 *
 * The nearest free corner has the wanted x or touches a side of another box; so does its y. Each such x is tried, nearest
 * first, with the nearest y that is free there.
 */
export function freePlace(size: Size, wanted: Point, others: Iterable<Box>, area?: Box): Point | undefined {
  // Where the corner may not be. Outwards to whole units, so that all candidates are whole.
  const taken = [...others].map((box) => ({
    x: { from: Math.floor(box.x - size.width - FREE_GAP), to: Math.ceil(box.x + box.width + FREE_GAP) },
    y: { from: Math.floor(box.y - size.height - FREE_GAP), to: Math.ceil(box.y + box.height + FREE_GAP) },
  }));
  const allowed = {
    x: allowedCorners(area && { from: area.x, to: area.x + area.width }, size.width),
    y: allowedCorners(area && { from: area.y, to: area.y + area.height }, size.height),
  };
  if (!allowed.x || !allowed.y) return undefined;
  const start = { x: clamp(Math.round(wanted.x), allowed.x), y: clamp(Math.round(wanted.y), allowed.y) };
  let best: Point | undefined;
  let leastDistance = Infinity;
  for (const x of nearestFirst(
    start.x,
    taken.flatMap((one) => [one.x.from, one.x.to]),
  )) {
    if (Math.abs(x - start.x) >= leastDistance) break;
    if (x < allowed.x.from || x > allowed.x.to) continue;
    const column = taken.filter((one) => x > one.x.from && x < one.x.to).map((one) => one.y);
    const y = nearestOutside(start.y, column, allowed.y);
    if (y === undefined) continue;
    const distance = Math.hypot(x - start.x, y - start.y);
    if (distance < leastDistance) {
      best = { x, y };
      leastDistance = distance;
    }
  }
  return best;
}

/** Where the corner may be so that the box is within; undefined if it is too large for that. */
function allowedCorners(within: Interval | undefined, length: number): Interval | undefined {
  if (!within) return { from: -Infinity, to: Infinity };
  const corners = { from: Math.ceil(within.from), to: Math.floor(within.to - length) };
  return corners.from <= corners.to ? corners : undefined;
}

/** The value nearest to a start that is in none of the intervals. */
function nearestOutside(start: number, taken: readonly Interval[], allowed: Interval): number | undefined {
  let below = start;
  let above = start;
  for (const { from, to } of taken.toSorted((a, b) => a.from - b.from)) if (above > from && above < to) above = to;
  for (const { from, to } of taken.toSorted((a, b) => b.to - a.to)) if (below > from && below < to) below = from;
  const inside = [above, below].filter((one) => one >= allowed.from && one <= allowed.to);
  return nearestFirst(start, inside).find((one) => inside.includes(one));
}

function nearestFirst(start: number, values: readonly number[]): number[] {
  return [...new Set([start, ...values])].sort((a, b) => Math.abs(a - start) - Math.abs(b - start) || b - a);
}

function clamp(value: number, { from, to }: Interval): number {
  return Math.min(Math.max(value, from), to);
}
