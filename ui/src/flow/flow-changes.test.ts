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

it("names nodes that were added, removed and changed, and counts edges", () => {
  const to: Flow = { ...FLOW, nodes: { a: { type: "text", title: "Other" }, c: { type: "chat" } }, edges: {} };
  expect(flowChanges(FLOW, to)).toEqual({ added: ["c"], removed: ["b"], changed: ["Other"], edges: 1 });
});

it("finds no change in a flow that was only laid out anew", () => {
  const to: Flow = { ...FLOW, layout: { a: { x: 1, y: 2 } } };
  expect(flowChanges(FLOW, to)).toEqual({ added: [], removed: [], changed: [], edges: 0 });
});
