import { expect, it } from "vitest";
import { paintTitles } from "./paint-titles";

/** A pen with characters of ten pixels, and what it wrote. */
function testPen() {
  const written: [string, number, number][] = [];
  const pen = {
    canvas: document.createElement("canvas"),
    measureText: (text: string) => ({ width: 10 * text.length }),
    fillText: (text: string, x: number, y: number) => written.push([text, x, y]),
  };
  return { pen: pen as unknown as CanvasRenderingContext2D, written };
}

const MAP = { scale: 0.1, toMap: ({ x, y }: { x: number; y: number }) => ({ x: x / 10, y: y / 10 }) };
const titled = (title: string, width: number) => ({ title, box: { x: 100, y: 200, width, height: 100 } });

it("writes titles above their containers, shortened to their width", () => {
  const { pen, written } = testPen();
  paintTitles(pen, (css) => css, [titled("Intake", 600), titled("Collect sources", 800)], MAP);
  expect(written).toEqual([
    ["Intake", 10, 16],
    ["Collect…", 10, 16],
  ]);
});

it("writes no title above a container in which hardly a letter fits", () => {
  const { pen, written } = testPen();
  paintTitles(pen, (css) => css, [titled("Intake", 100)], MAP);
  expect(written).toEqual([]);
});
