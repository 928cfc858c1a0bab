import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Box, Point } from "@/flow/align/align";
import type { Size } from "@/flow/containers/container-box";
import { FREE_GAP, freePlace } from "./free-place";

const size = fc.record({ width: fc.integer({ min: 1, max: 300 }), height: fc.integer({ min: 1, max: 200 }) });
const point = fc.record({ x: fc.integer({ min: -900, max: 900 }), y: fc.integer({ min: -900, max: 900 }) });
const box = fc.tuple(point, size).map(([at, of]): Box => ({ ...at, ...of }));
const boxes = fc.array(box, { maxLength: 25 });

function isFree(at: Point, of: Size, others: readonly Box[]): boolean {
  return others.every(
    (other) =>
      at.x >= other.x + other.width + FREE_GAP ||
      at.y >= other.y + other.height + FREE_GAP ||
      at.x + of.width + FREE_GAP <= other.x ||
      at.y + of.height + FREE_GAP <= other.y,
  );
}

function isWithin(at: Point, of: Size, area: Box): boolean {
  return (
    at.x >= area.x &&
    at.y >= area.y &&
    at.x + of.width <= area.x + area.width &&
    at.y + of.height <= area.y + area.height
  );
}

describe("the free place", () => {
  it("is the wanted place where that is free", () => {
    expect(freePlace({ width: 10, height: 10 }, { x: 5, y: 6 }, [])).toEqual({ x: 5, y: 6 });
  });

  it("covers nothing and is the nearest, in random layouts", () => {
    fc.assert(
      fc.property(size, point, boxes, (of, wanted, others) => {
        const found = freePlace(of, wanted, others);
        if (!found) return false;
        const distance = Math.hypot(found.x - wanted.x, found.y - wanted.y);
        // No place on a fine grid around the wanted one is nearer.
        const step = Math.max(1, distance / 12);
        for (let x = wanted.x - distance; x <= wanted.x + distance; x += step) {
          for (let y = wanted.y - distance; y <= wanted.y + distance; y += step) {
            const nearer = Math.hypot(x - wanted.x, y - wanted.y) < distance - 0.001;
            if (nearer && isFree({ x, y }, of, others)) return false;
          }
        }
        return isFree(found, of, others);
      }),
    );
  });

  it("is within the area, and missing only if the area has none", () => {
    fc.assert(
      fc.property(size, point, boxes, box, (of, wanted, others, area) => {
        const large = { ...area, width: area.width * 3, height: area.height * 3 };
        const found = freePlace(of, wanted, others, large);
        if (found) return isFree(found, of, others) && isWithin(found, of, large);
        for (let x = large.x; x <= large.x + large.width; x += 10) {
          for (let y = large.y; y <= large.y + large.height; y += 10) {
            if (isWithin({ x, y }, of, large) && isFree({ x, y }, of, others)) return false;
          }
        }
        return true;
      }),
    );
  });

  it("stays whole among nodes at fractions of a unit", () => {
    const found = freePlace({ width: 100, height: 50 }, { x: 0.4, y: 0.4 }, [
      { x: 0.3, y: 0.3, width: 99.7, height: 50.1 },
    ]);
    expect(found).toEqual({ x: 0, y: -70 });
  });

  it("is found among 10,000 nodes that leave no gap", () => {
    const side = 100;
    const size = { width: 208, height: 100 };
    const packed = Array.from({ length: side * side }, (_, at) => ({
      x: (at % side) * 220,
      y: Math.floor(at / side) * 110,
      ...size,
    }));
    // The middle, a little nearer to the upper border than to the others.
    const found = freePlace(size, { x: 11_000, y: 5_400 }, packed);
    expect(found).toEqual({ x: 11_000, y: -FREE_GAP - size.height });
  });
});
