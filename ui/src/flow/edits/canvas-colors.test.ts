import { expect, it } from "vitest";
import { EMPTY_FLOW } from "@/flow/document/flow-state";
import { commonColor, setColor, tint } from "./canvas-colors";
import { place } from "./edits";

const FLOW = {
  ...EMPTY_FLOW,
  nodes: { a: { type: "text" }, b: { type: "text" } },
  layout: { a: { x: 1, y: 2 }, b: { x: 3, y: 4 } },
};

it("setColor changes only the color, and nothing where it is the same", () => {
  const blue = setColor(FLOW, ["a", "gone"], "blue");
  expect(blue.layout).toEqual({ a: { x: 1, y: 2, color: "blue" }, b: { x: 3, y: 4 } });
  expect(setColor(blue, ["a"], "blue")).toBe(blue);
  expect(setColor(blue, ["a"], undefined).layout).toEqual(FLOW.layout);
  expect(commonColor(blue, ["a"])).toBe("blue");
  expect(commonColor(blue, ["a", "b"])).toBeUndefined();
  expect(place(blue, new Map([["a", { x: 9, y: 9 }]])).layout.a).toEqual({ x: 9, y: 9, color: "blue" });
});

it("tint has no CSS for a color of a newer version", () => {
  expect(tint("teal")).toBe("var(--tint-teal)");
  expect(tint("mauve" as "teal")).toBeUndefined();
});
