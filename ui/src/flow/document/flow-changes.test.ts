import { expect, it } from "vitest";
import type { Flow } from "@/bindings";
import { flowChanges } from "./flow-changes";

const FLOW: Flow = {
  version: 1,
  name: "a",
  nodes: { a: { type: "text", title: "First" }, b: { type: "text" } },
  edges: { e: { source: "a", sourceOutput: "text", target: "b", targetInput: "x" } },
  layout: {},
};

const NONE = { added: [], removed: [], changed: [], edges: 0, rest: [], layout: false };

it("names nodes that were added, removed and changed, and counts edges", () => {
  const to: Flow = { ...FLOW, nodes: { a: { type: "text", title: "Other" }, c: { type: "chat" } }, edges: {} };
  expect(flowChanges(FLOW, to)).toEqual({ ...NONE, added: ["c"], removed: ["b"], changed: ["Other"], edges: 1 });
});

it("names what else of the flow differs", () => {
  const to: Flow = { ...FLOW, name: "b", description: "What it does.", settings: { maxConcurrency: 2 } };
  expect(flowChanges(FLOW, to)).toEqual({ ...NONE, rest: ["name", "description", "settings"] });
});

it("finds a new layout, and none in an equal flow", () => {
  expect(flowChanges(FLOW, { ...FLOW, layout: { a: { x: 1, y: 2 } } })).toEqual({ ...NONE, layout: true });
  expect(flowChanges(FLOW, { ...FLOW, routes: { e: [{ x: 1, y: 2 }] } })).toEqual({ ...NONE, layout: true });
  expect(flowChanges(FLOW, structuredClone(FLOW))).toEqual(NONE);
});
