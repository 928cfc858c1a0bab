/** What a dragged box lines up with: edges, middles and equal gaps of other boxes. All in canvas units. */
import { type Axis, type Box, overlaps, type Point } from "./align";

/** A line along which boxes align, or a gap that is as wide as another one. */
export type Guide = { kind: "line" | "gap"; from: Point; to: Point };

/** The boxes that stay in place while others are dragged, ordered once so that each step of a drag is fast. */
export type GuideIndex = { boxes: readonly Box[]; horizontal: AxisIndex; vertical: AxisIndex };
type AxisIndex = { edges: readonly Line[]; middles: readonly Line[] };
type Line = { at: number; box: Box };

export type Snap = { dx: number; dy: number; guides: readonly Guide[] };

type SnapOptions = {
  /** How far a box is pulled at most. */
  reach: number;
  /** The visible area. Nothing aligns with boxes outside of it. */
  view: Box;
};

/** Which fields an axis means. Positions along `horizontal` are `x`, and guides for them are vertical lines. */
const FIELDS = {
  horizontal: { at: "x", size: "width", across: "y", breadth: "height" },
  vertical: { at: "y", size: "height", across: "x", breadth: "width" },
} as const;
const SAME = 0.5;

export function indexBoxes(boxes: readonly Box[]): GuideIndex {
  return { boxes, horizontal: indexAxis(boxes, "horizontal"), vertical: indexAxis(boxes, "vertical") };
}

function indexAxis(boxes: readonly Box[], axis: Axis): AxisIndex {
  const { at, size } = FIELDS[axis];
  const sorted = (lines: Line[]) => lines.sort((a, b) => a.at - b.at);
  return {
    edges: sorted(
      boxes.flatMap((box) => [
        { at: box[at], box },
        { at: box[at] + box[size], box },
      ]),
    ),
    middles: sorted(boxes.map((box) => ({ at: box[at] + box[size] / 2, box }))),
  };
}

/** How far to move a dragged box so that it aligns with its nearest neighbors, and the guides that show it. */
export function snapToGuides(index: GuideIndex, moving: Box, { reach, view }: SnapOptions): Snap {
  const { x, y, ...size } = moving;
  let snapped = {
    ...size,
    x: x + (lineShift(index, moving, "horizontal", reach, view) ?? 0),
    y: y + (lineShift(index, moving, "vertical", reach, view) ?? 0),
  };
  // Lines win over gaps. Gaps come after them, since which boxes are neighbors depends on both positions.
  if (lines(index, snapped, "horizontal", view).length === 0) {
    snapped = snapToGap(index, snapped, "horizontal", reach, view);
  }
  if (lines(index, snapped, "vertical", view).length === 0) {
    const both = snapToGap(index, snapped, "vertical", reach, view);
    // A box that leaves its row for a gap in its column would lose the gap in the row.
    const keepsRow = snapped.x === x || isExplained(index, both, "horizontal", view);
    if (keepsRow) snapped = both;
  }
  const guides = [
    ...lines(index, snapped, "horizontal", view),
    ...lines(index, snapped, "vertical", view),
    ...gaps(index, snapped, "horizontal", view),
    ...gaps(index, snapped, "vertical", view),
  ];
  return { dx: snapped.x - x, dy: snapped.y - y, guides };
}

/** How far to move a dragged box so that its corner is on the grid. */
export function snapToGrid({ x, y }: Point, step: number): Point {
  return { x: Math.round(x / step) * step - x, y: Math.round(y / step) * step - y };
}

/** How far the nearest line is along which the box could align. */
function lineShift(index: GuideIndex, moving: Box, axis: Axis, reach: number, view: Box): number | undefined {
  const { at, size } = FIELDS[axis];
  const start = moving[at];
  const shifts: number[] = [];
  for (const edge of [start, start + moving[size]]) {
    for (const line of within(index[axis].edges, edge, reach))
      if (overlaps(line.box, view)) shifts.push(line.at - edge);
  }
  const middle = start + moving[size] / 2;
  for (const line of within(index[axis].middles, middle, reach)) {
    if (overlaps(line.box, view)) shifts.push(line.at - middle);
  }
  return smallest(shifts);
}

/** The box at the nearest place at which its gaps to its neighbors are equally wide, if one is in reach. */
function snapToGap(index: GuideIndex, moving: Box, axis: Axis, reach: number, view: Box): Box {
  const { at } = FIELDS[axis];
  const places = evenPlaces(index, moving, axis, view)
    .filter(({ start }) => Math.abs(start - moving[at]) <= reach)
    .map(({ start }) => ({ ...moving, [at]: start }))
    // At that place a box that overlaps this one could have become its neighbor, and the gaps would be others.
    .filter((box) => isExplained(index, box, axis, view));
  const shift = smallest(places.map((box) => box[at] - moving[at]));
  return shift === undefined ? moving : { ...moving, [at]: moving[at] + shift };
}

/** Whether guides show why the box is where it is along an axis. */
function isExplained(index: GuideIndex, box: Box, axis: Axis, view: Box): boolean {
  return lines(index, box, axis, view).length + gaps(index, box, axis, view).length > 0;
}

function smallest(shifts: readonly number[]): number | undefined {
  return shifts.toSorted((a, b) => Math.abs(a) - Math.abs(b))[0];
}

/** The guides along which a box aligns where it is now. Each goes from the first to the last of the boxes on it. */
function lines(index: GuideIndex, moving: Box, axis: Axis, view: Box): Guide[] {
  const { at, size, across, breadth } = FIELDS[axis];
  const start = moving[at];
  const found: Guide[] = [];
  const add = (all: readonly Line[], value: number) => {
    const aligned = within(all, value, SAME).filter((line) => overlaps(line.box, view));
    if (aligned.length === 0) return;
    const boxes = [moving, ...aligned.map((line) => line.box)];
    const first = Math.min(...boxes.map((box) => box[across]));
    const last = Math.max(...boxes.map((box) => box[across] + box[breadth]));
    found.push({ kind: "line", from: point(axis, value, first), to: point(axis, value, last) });
  };
  add(index[axis].edges, start);
  add(index[axis].edges, start + moving[size]);
  add(index[axis].middles, start + moving[size] / 2);
  return found;
}

type EvenPlace = { start: number; gaps: readonly (readonly [number, number])[] };

/** The places between or beside neighbors in the same row (or column) at which gaps are equally wide. */
function evenPlaces(index: GuideIndex, moving: Box, axis: Axis, view: Box): EvenPlace[] {
  const { at, size, across, breadth } = FIELDS[axis];
  const length = moving[size];
  const middle = moving[at] + length / 2;
  const before: Box[] = [];
  const after: Box[] = [];
  for (const box of index.boxes) {
    const inRow = box[across] < moving[across] + moving[breadth] && box[across] + box[breadth] > moving[across];
    if (!inRow || !overlaps(box, view)) continue;
    if (box[at] + box[size] <= middle) before.push(box);
    else if (box[at] >= middle) after.push(box);
  }
  const end = (box: Box) => box[at] + box[size];
  const last = nearestOf(before, (box) => -end(box));
  const first = nearestOf(after, (box) => box[at]);
  const places: EvenPlace[] = [];
  if (last && first) {
    const gap = (first[at] - end(last) - length) / 2;
    const start = end(last) + gap;
    const spans = [[end(last), start] as const, [start + length, first[at]] as const];
    if (gap > 0) places.push({ start, gaps: spans });
  }
  if (last) {
    const other = nearestOf(
      before.filter((box) => end(box) < last[at]),
      (box) => -end(box),
    );
    if (other) {
      const start = end(last) + last[at] - end(other);
      const spans = [[end(other), last[at]] as const, [end(last), start] as const];
      places.push({ start, gaps: spans });
    }
  }
  if (first) {
    const other = nearestOf(
      after.filter((box) => box[at] > end(first)),
      (box) => box[at],
    );
    if (other) {
      const start = first[at] - (other[at] - end(first)) - length;
      const spans = [[start + length, first[at]] as const, [end(first), other[at]] as const];
      places.push({ start, gaps: spans });
    }
  }
  return places;
}

function gaps(index: GuideIndex, moving: Box, axis: Axis, view: Box): Guide[] {
  const { at, across, breadth } = FIELDS[axis];
  const height = moving[across] + moving[breadth] / 2;
  return evenPlaces(index, moving, axis, view)
    .filter(({ start }) => Math.abs(start - moving[at]) <= SAME)
    .flatMap((place) =>
      place.gaps.map(
        ([from, to]): Guide => ({ kind: "gap", from: point(axis, from, height), to: point(axis, to, height) }),
      ),
    );
}

/** The lines that are at most so far from a value. */
function within(all: readonly Line[], value: number, reach: number): readonly Line[] {
  return all.slice(firstFrom(all, value - reach), firstFrom(all, value + reach, true));
}

/** The index of the first line at or after a value, or only after it. */
function firstFrom(all: readonly Line[], value: number, after = false): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = all[middle]?.at ?? 0;
    if (at < value || (after && at === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function nearestOf(boxes: readonly Box[], distance: (box: Box) => number): Box | undefined {
  let nearest: Box | undefined;
  for (const box of boxes) if (!nearest || distance(box) < distance(nearest)) nearest = box;
  return nearest;
}

function point(axis: Axis, at: number, across: number): Point {
  return axis === "horizontal" ? { x: at, y: across } : { x: across, y: at };
}
