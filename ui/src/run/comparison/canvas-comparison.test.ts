import { describe, expect, it } from "vitest";
import type { Flow, FlowDiff, ImportComparison, NodeComparison, RunComparison, RunSummary } from "@/bindings";
import { marksOfDiff, marksOfImport, marksOfRuns, stepsOfImport, stepsOfMarks, stepsOfRuns } from "./canvas-comparison";
import type { ComparedRuns } from "./comparison";

function flowOf(nodes: readonly string[], edges: readonly [string, string][]): Flow {
  return {
    version: 1,
    name: "",
    nodes: Object.fromEntries(nodes.map((id) => [id, { type: "text" }])),
    edges: Object.fromEntries(
      edges.map(([source, target]) => [
        `${source}-${target}`,
        { source, sourceOutput: "text", target, targetInput: "in" },
      ]),
    ),
    layout: {},
  };
}

const edge = (source: string, target: string) => ({ source, sourceOutput: "text", target, targetInput: "in" });

/** From `old → kept → gone` to `new → kept`, where `old` is `new` now. */
const DIFF: FlowDiff = {
  changes: [
    { kind: "nodeAdded", node: "more", nodeType: "text" },
    { kind: "nodeRemoved", node: "gone", nodeType: "text" },
    { kind: "node", node: "kept", change: { pointer: "/config/template" } },
    { kind: "nodeRenamed", from: "old", to: "new" },
    { kind: "node", node: "new", change: { pointer: "/title" } },
    { kind: "edgeRemoved", edge: edge("kept", "gone") },
    { kind: "edgeAdded", edge: edge("new", "more") },
  ],
};
const BEFORE = flowOf(
  ["old", "kept", "gone"],
  [
    ["old", "kept"],
    ["kept", "gone"],
  ],
);
const AFTER = flowOf(
  ["new", "kept", "more"],
  [
    ["new", "kept"],
    ["new", "more"],
  ],
);

const signs = (nodes: ReadonlyMap<string, { sign: string }>) =>
  Object.fromEntries([...nodes].map(([node, { sign }]) => [node, sign]));

describe("marksOfDiff", () => {
  it("draws what an earlier version had as ghosts", () => {
    const { nodes, edges, ghosts } = marksOfDiff(DIFF, AFTER, BEFORE, "before");
    expect(signs(nodes)).toEqual({ more: "added", kept: "changed", new: "changed" });
    expect([...edges]).toEqual([["new-more", "added"]]);
    expect(ghosts).toMatchObject({ sign: "removed", nodes: ["gone"], edges: [edge("kept", "gone")] });
  });

  it("draws what a proposed edit adds as ghosts, with the ids of the canvas", () => {
    const { nodes, edges, ghosts } = marksOfDiff(DIFF, BEFORE, AFTER, "after");
    expect(signs(nodes)).toEqual({ gone: "removed", kept: "changed", old: "changed" });
    expect([...edges]).toEqual([["kept-gone", "removed"]]);
    expect(ghosts).toMatchObject({ sign: "added", nodes: ["more"], edges: [edge("old", "more")] });
  });

  it("goes to nodes, ghosts and edges", () => {
    const steps = stepsOfMarks(marksOfDiff(DIFF, AFTER, BEFORE, "before"));
    expect(steps.map(({ node, edge: id }) => node ?? id)).toEqual(["more", "kept", "new", "gone", "new-more"]);
  });
});

const totals = (run: string, node: string) => ({
  run,
  node,
  steps: 1,
  tokens: { input: 0, output: 0 },
  cost: { nanoUsd: 0 },
});

function runsOf(nodes: NodeComparison[]): ComparedRuns {
  const comparison = { flow: DIFF, nodes } as unknown as RunComparison;
  return {
    before: { run: "r1" } as RunSummary,
    after: { run: "r2" } as RunSummary,
    comparison,
    flows: { before: BEFORE, after: AFTER },
  };
}

describe("marksOfRuns", () => {
  const runs = runsOf([
    { mark: "follows", difference: 2, before: totals("r1", "kept"), after: totals("r2", "kept") },
    { mark: "first", difference: 0, before: totals("r1", "old"), after: totals("r2", "new") },
    { mark: "own", difference: 1, after: totals("r2", "more") },
    { path: ["sub"], mark: "same", before: totals("c1", "in"), after: totals("c2", "in") },
  ] as NodeComparison[]);

  it("marks the nodes of the run on the canvas, by its own ids", () => {
    expect([...(marksOfRuns(runs, "r2", AFTER)?.nodes ?? [])]).toEqual([
      ["kept", { sign: "follows" }],
      ["new", { sign: "first" }],
      ["more", { sign: "own", onlyIn: "second" }],
    ]);
    expect(signs(marksOfRuns(runs, "r1", BEFORE)?.nodes ?? new Map())).toEqual({ kept: "follows", old: "first" });
  });

  it("marks the run of a sub-flow, without ghosts, and no other run", () => {
    const marks = marksOfRuns(runs, "c2", flowOf(["in"], []));
    expect(signs(marks?.nodes ?? new Map())).toEqual({ in: "same" });
    expect(marks?.ghosts.nodes).toEqual([]);
    expect(marksOfRuns(runs, "another", AFTER)).toBeUndefined();
  });

  it("goes from difference to difference in the order of the comparison", () => {
    expect(stepsOfRuns(runs).map(({ node }) => node)).toEqual(["new", "more", "kept"]);
  });
});

it("marks what departs from an execution in the run that shows it, and goes through it", () => {
  const comparison: ImportComparison = {
    run: "root",
    departures: 3,
    nodes: [
      { name: "Ask", node: "ask", run: "root", state: "given" },
      { name: "Wrap", node: "wrap", run: "root", state: "differs", recorded: 1, here: 2 },
      { name: "Answer", node: "wrap", run: "root", state: "same" },
      { name: "Gone", node: "gone", state: "onlyRecorded", recorded: 1 },
      { name: "Parts", subflows: ["cut"], node: "parts", run: "child", state: "onlyHere", here: 1 },
      { name: "Inner", subflows: ["cut"], node: "inner", state: "notCompared", reason: "x" },
    ],
  };
  const signs = (run: string) => {
    const marks = marksOfImport(comparison, run, flowOf([], []))?.nodes;
    return marks && [...marks].map(([id, { sign }]) => [id, sign]);
  };
  expect(signs("root")).toEqual([
    ["wrap", "departs"],
    ["gone", "departs"],
  ]);
  expect(signs("child")).toEqual([["parts", "departs"]]);
  expect(signs("other")).toBeUndefined();
  expect(stepsOfImport(comparison)).toEqual([
    { node: "wrap", run: "root", sign: "departs" },
    { node: "gone", run: "root", sign: "departs" },
    { node: "parts", run: "child", sign: "departs" },
  ]);
});
