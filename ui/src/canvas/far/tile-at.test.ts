import { expect, it } from "vitest";
import { tileAt } from "./tile-at";
import type { Tile } from "./tiles";

const tile = (id: string, kind: Tile["kind"], x: number, y: number, width: number, height: number) =>
  ({ id, kind, box: { x, y, width, height } }) as Tile;
const TILES = [
  tile("frame", "frame", -20, -20, 900, 600),
  tile("loop", "loop", 0, 0, 500, 300),
  tile("under", "card", 110, 60, 200, 60),
  tile("over", "card", 200, 60, 200, 60),
];
const idAt = (x: number, y: number, zoom = 0.5) => tileAt(TILES, { x, y }, zoom)?.id;

it("the uppermost tile is at a place", () => {
  expect(idAt(150, 90)).toBe("under");
  expect(idAt(250, 90)).toBe("over");
  expect(idAt(700, 90)).toBe("frame");
  expect(idAt(2000, 90)).toBeUndefined();
});

it("a loop is at its header alone, which is high enough to be pressed at each zoom", () => {
  expect(idAt(20, 20)).toBe("loop");
  expect(idAt(20, 250)).toBe("frame");
  expect(idAt(20, -15, 0.5)).toBe("frame");
  expect(idAt(20, -15, 0.3)).toBe("loop");
});
