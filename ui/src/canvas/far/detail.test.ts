import { expect, it } from "vitest";
import { farZoomAt } from "./detail";

it("farZoomAt is at most the zoom, and the same for zooms close to each other", () => {
  expect(farZoomAt(0.6)).toBeUndefined();
  for (const zoom of [0.599, 0.5, 0.4, 0.25, 0.1, 0.01]) {
    const step = farZoomAt(zoom) ?? 0;
    expect(step).toBeLessThanOrEqual(zoom);
    expect(step).toBeGreaterThan(zoom * 0.92);
    expect(farZoomAt(step)).toBeCloseTo(step, 9);
  }
  expect(farZoomAt(0.41)).toBe(farZoomAt(0.412));
});
