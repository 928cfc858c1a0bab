import { expect, it } from "vitest";
import type { Flow } from "@/bindings";
import { EMPTY_FLOW } from "@/flow/document/flow-state";
import type { CanvasNode } from "@/workspace/canvas-store";
import { routesAround } from "./routes-around";

const node = (id: string, x: number, y = 0) =>
  ({
    id,
    type: "card",
    position: { x, y },
    measured: { width: 208, height: 95 },
    handles: [
      { id: "in", type: "target", x: -4, y: 57, width: 9, height: 9 },
      { id: "out", type: "source", x: 203, y: 57, width: 9, height: 9 },
    ],
  }) as unknown as CanvasNode;
const edge = (source: string, target: string) => ({ source, sourceOutput: "out", target, targetInput: "in" });
const FLOW: Flow = { ...EMPTY_FLOW, edges: { ac: edge("a", "c"), ab: edge("a", "b") } };
const BENDS = new Map([
  ["ac", [{ x: 300, y: 200 }]],
  ["ab", [{ x: 250, y: 50 }]],
]);

it("an edge that would cross a card takes its points, and another one its usual way", () => {
  const row = [node("a", 0), node("b", 300), node("c", 600)];
  expect(routesAround(FLOW, row, new Map(), BENDS)).toEqual([["ac", [{ x: 300, y: 200 }]]]);
});

it("the new places decide, not those before", () => {
  const row = [node("a", 0), node("b", 300), node("c", 600)];
  expect(routesAround(FLOW, row, new Map([["b", { x: 300, y: 400 }]]), BENDS)).toEqual([]);
});
