import { expect, it } from "vitest";
import type { Flow, InputPort, NodeDescriptor } from "@/bindings";
import nodes from "@/bindings/nodes.json";
import { EMPTY_FLOW, UNCHECKED } from "@/flow/document/flow-state";
import { indexNodeTypes } from "@/flow/node-types/node-types";
import { turnEdges } from "./turn-edges";

const types = indexNodeTypes(nodes as unknown as NodeDescriptor[]);
const edge = (source: string, target: string, targetInput = "after") => ({
  source,
  sourceOutput: "value",
  target,
  targetInput,
});
const flow = (edges: Flow["edges"]): Flow => ({
  ...EMPTY_FLOW,
  nodes: Object.fromEntries(
    ["start", "one", "then", "two"].map((id) => [id, { type: id === "start" ? "manualInput" : "delay" }]),
  ),
  edges,
});
/** The ports as a check has them: each node can wait for others. */
const after = { name: "after", kind: "data", type: "any", orderOnly: true } as unknown as InputPort;
const ports = Object.fromEntries(["one", "then", "two"].map((id) => [id, { inputs: [after], outputs: [] }]));
const turnsOf = (edges: Flow["edges"]) => [...turnEdges(types, flow(edges), { ...UNCHECKED, ports })];

it("are those from further down a branch that begins where the target would begin, too", () => {
  const branches = { a: edge("start", "one", "in"), b: edge("one", "then", "in"), c: edge("start", "two") };
  expect(turnsOf({ ...branches, turn: edge("then", "two") })).toEqual(["turn"]);
});

it("are not those that alone say when their target runs", () => {
  expect(turnsOf({ a: edge("start", "one", "in"), only: edge("one", "two") })).toEqual([]);
  // It reads a value of the start, and is after the other.
  expect(turnsOf({ a: edge("start", "one", "in"), b: edge("start", "two", "in"), c: edge("one", "two") })).toEqual([]);
  // Two ends that do not follow each other.
  expect(turnsOf({ a: edge("start", "one", "in"), b: edge("one", "two"), c: edge("then", "two") })).toEqual([]);
});
