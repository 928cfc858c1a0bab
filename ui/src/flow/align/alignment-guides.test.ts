import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Box } from "./align";
import { indexBoxes, snapToGrid, snapToGuides } from "./alignment-guides";

const VIEW: Box = { x: -10_000, y: -10_000, width: 20_000, height: 20_000 };
const at = (x: number, y: number, width = 200, height = 80): Box => ({ x, y, width, height });
const snap = (others: readonly Box[], moving: Box, reach = 6) =>
  snapToGuides(indexBoxes(others), moving, { reach, view: VIEW });

describe("snapToGuides", () => {
  it("pulls an edge onto an edge and shows the line between both boxes", () => {
    const { dx, dy, guides } = snap([at(0, 0)], at(4, 300, 120));
    expect([dx, dy]).toEqual([-4, 0]);
    expect(guides).toContainEqual({ kind: "line", from: { x: 0, y: 0 }, to: { x: 0, y: 380 } });
  });

  it("pulls a middle onto a middle", () => {
    const { dx, guides } = snap([at(0, 0)], at(53, 300, 100));
    expect(dx).toBe(-3);
    expect(guides.filter((guide) => guide.from.x === guide.to.x).map((guide) => guide.from.x)).toEqual([100]);
  });

  it("takes the nearest of several lines", () => {
    expect(snap([at(0, 0), at(7, 200)], at(5, 400)).dx).toBe(2);
  });

  it("leaves alone what is out of reach, out of view, or an edge beside a middle", () => {
    expect(snap([at(0, 0)], at(8, 300, 120)).dx).toBe(0);
    expect(snap([at(0, 0)], at(97, 300, 90)).dx).toBe(0);
    const view = { x: 0, y: 250, width: 900, height: 500 };
    expect(snapToGuides(indexBoxes([at(0, 0)]), at(4, 300, 120), { reach: 6, view }).dx).toBe(0);
  });

  it("makes gaps equal, between two boxes and beside them", () => {
    const row = [at(0, 0), at(600, 0)];
    const between = snap(row, at(303, 17, 200, 40));
    expect(between.dx).toBe(-3);
    expect(between.guides.filter((guide) => guide.kind === "gap").map(({ from, to }) => [from.x, to.x])).toEqual([
      [200, 300],
      [500, 600],
    ]);
    expect(snap(row, at(1203, 17, 130, 40)).dx).toBe(-3);
    expect(snap(row, at(-534, 17, 130, 40)).dx).toBe(4);
  });

  it("ignores equal gaps at a place where another box would be the neighbor", () => {
    // Moved by 5, the middle of the box passes the start of the box that it covers.
    const covered = at(114, 7, 23, 20);
    const { dx, guides } = snap([covered, at(297, 7, 20, 20), at(374, 7, 20, 20)], at(-7, 0, 252, 20));
    expect([dx, guides]).toEqual([0, []]);
  });

  it("ignores equal gaps in a row that the box leaves by aligning vertically", () => {
    const { dx, dy } = snap([at(0, 0), at(600, 0)], at(303, 79));
    expect([dx, dy]).toEqual([0, 1]);
  });

  it("moves a box no further than its reach, and along an axis only with a guide that shows why", () => {
    const box = fc.record({
      x: fc.integer({ min: -400, max: 400 }),
      y: fc.integer({ min: -400, max: 400 }),
      width: fc.integer({ min: 20, max: 300 }),
      height: fc.integer({ min: 20, max: 300 }),
    });
    fc.assert(
      fc.property(fc.array(box, { maxLength: 12 }), box, (others, moving) => {
        const { dx, dy, guides } = snap(others, moving);
        expect(Math.max(Math.abs(dx), Math.abs(dy))).toBeLessThanOrEqual(6);
        // Aligned lines run across the axis along which the box moved, gaps run along it.
        const shows = (axis: "x" | "y") =>
          guides.some(({ kind, from, to }) => (kind === "line") === (from[axis] === to[axis]));
        if (dx !== 0) expect(shows("x")).toBe(true);
        if (dy !== 0) expect(shows("y")).toBe(true);
      }),
    );
  });
});

it("snapToGrid moves a corner to the nearest dot", () => {
  expect(snapToGrid({ x: 11, y: -9 }, 20)).toEqual({ x: 9, y: 9 });
});
