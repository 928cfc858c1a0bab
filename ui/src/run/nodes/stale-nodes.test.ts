import { expect, it } from "vitest";
import type { Flow } from "@/bindings";
import { staleNodes } from "./stale-nodes";

const edge = { source: "a", sourceOutput: "value", target: "b", targetInput: "value" };
const FLOW: Flow = {
  version: 1,
  name: "",
  nodes: { a: { type: "text", config: { template: "x" } }, b: { type: "output" } },
  edges: { e: edge },
  layout: {},
};
const changed = (change: Partial<Flow>) => [...staleNodes(FLOW, { ...FLOW, ...change })];

it("names nodes whose config or inputs have changed", () => {
  expect(changed({ nodes: { ...FLOW.nodes, a: { type: "text", config: { template: "y" } } } })).toEqual(["a"]);
  expect(changed({ edges: {} })).toEqual(["b"]);
  expect(changed({ edges: { e: edge, f: { ...edge, target: "a" } } })).toEqual(["a"]);
});

it("names none for another name or place, or for a change that was taken back", () => {
  const { a = { type: "text" }, ...others } = FLOW.nodes;
  expect(changed({ nodes: { ...others, a: { ...a, title: "Greeting" } }, layout: { a: { x: 9, y: 9 } } })).toEqual([]);
  expect(changed({ nodes: { ...others, a: { type: "text", config: { template: "x" } } } })).toEqual([]);
});

it("names none for an edge drawn again, or for keys in another order", () => {
  expect(changed({ edges: { again: { ...edge } } })).toEqual([]);
  const config = { template: "x", policy: { retries: 1, delayMs: 5 } };
  const ran: Flow = { ...FLOW, nodes: { a: { type: "text", config } } };
  const now: Flow = {
    ...ran,
    nodes: { a: { config: { policy: { delayMs: 5, retries: 1 }, template: "x" }, type: "text" } },
  };
  expect([...staleNodes(ran, now)]).toEqual([]);
});
