import { describe, expect, it } from "vitest";
import type { Epoch, Flow, RunId, StopPoint, StopView } from "@/bindings";
import { newEpochView } from "@/run/fold/activation";
import type { NodeView } from "@/run/fold/types";
import { beginnerOf, stackOf } from "./stack";

const flow: Flow = {
  version: 1,
  name: "",
  nodes: {
    outer: { type: "loop" },
    inner: { type: "loop", parent: "outer" },
    chat: { type: "chat", parent: "inner" },
    sub: { type: "subflow" },
  },
  edges: {},
  layout: {},
};

const view = (epochs: readonly Epoch[], children: readonly RunId[] = []): NodeView => ({
  state: "running",
  epoch: epochs.at(-1) ?? [],
  epochs: epochs.map((epoch) => ({ ...newEpochView(epoch), children: [...children] })),
});

const nodes = new Map([
  ["outer", view([[]])],
  ["inner", view([[0], [1]])],
  ["chat", view([[1, 2]])],
  ["sub", view([[]], ["child"])],
]);

const stop = (at: Partial<StopPoint> & { node: string }, cause: StopView["cause"] = { kind: "pause" }): StopView => ({
  number: 1,
  cause,
  at: { epoch: [], attempt: 1, side: "before", ...at },
  values: {},
  since: 0,
});

const stopped = { run: "run", flow, nodes, above: [] };

describe("the stack at a stop", () => {
  it("is the node alone where nothing is around it", () => {
    expect(stackOf(stop({ node: "sub" }), stopped)).toEqual([
      { kind: "node", node: "sub", epoch: [], iterations: [], attempt: 1 },
    ]);
  });

  it("has the loops around it, each with its iteration, and the call", () => {
    const at = { node: "chat", epoch: [1, 2], attempt: 2, side: "call" as const, call: "tool round 1" };
    expect(stackOf(stop(at), stopped)).toEqual([
      { kind: "loop", node: "outer", iteration: 1, epoch: [1] },
      { kind: "loop", node: "inner", iteration: 2, epoch: [1, 2] },
      { kind: "node", node: "chat", epoch: [1, 2], iterations: [], attempt: 2 },
      { kind: "call", node: "chat", epoch: [1, 2], call: "tool round 1" },
    ]);
  });

  it("leaves the counters of a cycle inside of a loop to the node", () => {
    const entries = stackOf(stop({ node: "chat", epoch: [1, 2, 4] }), stopped);
    expect(entries.at(-1)).toMatchObject({ iterations: [4] });
  });

  it("has no iteration of a loop that the run does not know", () => {
    const entries = stackOf(stop({ node: "chat", epoch: [1, 2] }), { ...stopped, nodes: new Map() });
    expect(entries.slice(0, 2)).toEqual([
      { kind: "loop", node: "outer" },
      { kind: "loop", node: "inner" },
    ]);
  });

  it("begins with the runs that it is inside of", () => {
    const above = [
      { run: "root", label: "Root" },
      { run: "middle", label: "Middle" },
    ];
    expect(stackOf(stop({ node: "sub" }), { ...stopped, above }).slice(0, 2)).toEqual([
      { kind: "run", run: "root", label: "Root", child: "middle" },
      { kind: "run", run: "middle", label: "Middle", child: "run" },
    ]);
  });

  it("leads to a sub-flow that is held in place of this run", () => {
    const elsewhere: StopView = { number: 1, cause: { kind: "elsewhere", run: "child" }, values: {}, since: 0 };
    expect(stackOf(elsewhere, stopped)).toEqual([{ kind: "below", run: "child", node: "sub", epoch: [] }]);
    expect(stackOf({ ...elsewhere, cause: { kind: "elsewhere", run: "deeper" } }, stopped)).toEqual([
      { kind: "below", run: "deeper" },
    ]);
  });
});

it("the activation that began a run is found by it", () => {
  expect(beginnerOf(nodes, "child")).toEqual({ node: "sub", epoch: [] });
  expect(beginnerOf(nodes, "other")).toBeUndefined();
});
