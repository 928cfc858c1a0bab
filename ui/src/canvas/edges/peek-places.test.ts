import { expect, it } from "vitest";
import { forwardCurve } from "@/canvas/measure/paths";
import { overlaps, type Point } from "@/flow/align/align";
import { loopBorder, MIN_PEEK_WIDTH, placePeeks } from "./peek-places";

const edge = (id: string, from: Point, to: Point) => ({ id, from, to, curve: forwardCurve(from, to) });
const FROM = { x: 0, y: 0 };

it("writes a value in the middle of its edge, as wide as there is room", () => {
  expect(placePeeks([edge("a", FROM, { x: 200, y: 0 })], []).get("a")).toEqual({ at: { x: 100, y: 0 }, width: 178 });
});

it("writes no value over a card, nor over another value", () => {
  const card = { x: 170, y: -40, width: 100, height: 80 };
  const edges = [edge("a", FROM, { x: 440, y: 0 }), edge("b", { x: 0, y: 8 }, { x: 440, y: 8 })];
  const places = placePeeks(edges, [card]);
  const boxes = [...places.values()].map(({ at, width }) => ({ x: at.x - width / 2, y: at.y - 9, width, height: 18 }));
  const [a, b] = boxes;
  if (!a || !b) throw new Error("Each edge has a place.");
  for (const box of boxes) expect(overlaps(box, card)).toBe(false);
  expect(overlaps(a, b)).toBe(false);
  expect(places.get("a")?.width).toBeGreaterThanOrEqual(MIN_PEEK_WIDTH);
});

it("writes no value over the border of a loop, and values in its body", () => {
  const border = loopBorder({ x: 300, y: -60, width: 700, height: 240 });
  const inBody = edge("inside", { x: 410, y: 0 }, { x: 610, y: 0 });
  const past = edge("past", { x: -500, y: -45 }, { x: 1300, y: -45 });
  const places = placePeeks([inBody, past], border);
  expect(places.get("inside")?.width).toBe(178);
  const { at, width } = places.get("past") ?? { at: FROM, width: 0 };
  for (const part of border)
    expect(overlaps({ x: at.x - width / 2, y: at.y - 9, width, height: 18 }, part)).toBe(false);
});

it("has a dot where eight characters do not fit", () => {
  expect(placePeeks([edge("a", FROM, { x: 60, y: 0 })], []).get("a")).toEqual({ at: { x: 30, y: 0 }, width: 9 });
});
