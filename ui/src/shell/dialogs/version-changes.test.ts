import { expect, it } from "vitest";
import type { Flow, FlowChange } from "@/bindings";
import { describeChanges } from "./version-changes";

const FLOW: Flow = {
  version: 1,
  name: "a",
  nodes: { a: { type: "text", title: "First" }, b: { type: "text" } },
  edges: {},
  layout: {},
};

const describe = (changes: FlowChange[], to: Flow) => describeChanges({ changes }, FLOW, to);

it("names nodes and parts of the flow once, and counts edges", () => {
  const to: Flow = { ...FLOW, nodes: { a: { type: "text", title: "Other" }, c: { type: "chat" } } };
  const ends = { source: "a", sourceOutput: "text", target: "c", targetInput: "x" };
  const changes: FlowChange[] = [
    { kind: "flow", change: { pointer: "/settings/maxConcurrency", after: 2 } },
    { kind: "flow", change: { pointer: "/settings/limits", after: {} } },
    { kind: "nodeAdded", node: "c", nodeType: "chat" },
    { kind: "nodeRemoved", node: "b", nodeType: "text" },
    { kind: "nodeRenamed", from: "x", to: "y" },
    { kind: "node", node: "a", change: { pointer: "/title", before: "First", after: "Other" } },
    { kind: "node", node: "a", change: { pointer: "/config/text", after: "" } },
    { kind: "edgeAdded", edge: ends },
  ];
  expect(describe(changes, to)).toBe(
    "Adds c · Removes b · Renames x → y · Changes Other · 1 edge differs · Other settings",
  );
});

it("finds a new layout, and nothing in an equal flow", () => {
  expect(describe([], { ...FLOW, layout: { a: { x: 1, y: 2 } } })).toBe("Only the layout differs");
  expect(describe([], structuredClone(FLOW))).toBe("");
});
