import { expect, it } from "vitest";
import { detailAt, unitsPerPixel } from "./detail";

it("a screen pixel is at least as many canvas units as planned, and the same for zooms close to each other", () => {
  for (const zoom of [1, 0.84, 0.7, 0.6, 0.599, 0.5, 0.4, 0.25, 0.1, 0.01]) {
    const units = unitsPerPixel(zoom);
    expect(units).toBeGreaterThanOrEqual(1 / zoom);
    expect(units).toBeLessThan(1 / zoom / 0.92);
    expect(unitsPerPixel(1 / units)).toBeCloseTo(units, 9);
  }
  expect(unitsPerPixel(0.41)).toBe(unitsPerPixel(0.412));
});

it("titles take a second line where cards are too small for titles of eleven pixels, and tiles follow below", () => {
  expect([1, 0.85, 0.84, 0.6, 0.599].map(detailAt)).toEqual(["near", "near", "middle", "middle", "far"]);
});
