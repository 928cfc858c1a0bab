import { beforeEach, describe, expect, it } from "vitest";
import type { Epoch, Flow } from "@/bindings";
import { FlowEditor } from "@/flow/document/editor";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { newEpochView } from "@/run/fold/activation";
import { lastWithin, latestWithin } from "@/run/fold/epoch";
import type { NodeState, NodeView } from "@/run/fold/types";
import type { ActiveRun } from "@/run/live/active-run";
import { EpochChoice } from "./epoch-choice";
import { loopExecution, loopProgress } from "./loop-iterations";

const view = (...epochs: [Epoch, NodeState?][]): NodeView => {
  const views = epochs.map(([epoch, state = "done"]) => ({ ...newEpochView(epoch), state }));
  const last = views.at(-1) ?? newEpochView([]);
  return { state: last.state, epoch: last.epoch, epochs: views };
};

const flow: Flow = {
  ...EMPTY_FLOW,
  nodes: {
    outer: { type: "loop" },
    inner: { type: "loop", parent: "outer" },
    step: { type: "text", parent: "inner" },
    after: { type: "text", parent: "outer" },
  },
};

const nodes = new Map<string, NodeView>([
  ["outer", view([[], "running"])],
  ["inner", view([[0]], [[0, 0]], [[0, 1]], [[1], "running"], [[1, 0]])],
  ["step", view([[0, 0]], [[0, 1]], [[0, 2], "skipped"], [[1, 0]])],
  ["after", view([[0]])],
]);

describe("the iterations of a loop", () => {
  it("are counted by what its body has begun", () => {
    expect(loopProgress(nodes, flow, "outer")).toEqual({ epoch: [], count: 2 });
    expect(loopProgress(nodes, flow, "inner")).toEqual({ epoch: [1], count: 1 });
    expect(loopProgress(nodes, flow, "inner", [0])).toEqual({ epoch: [0], count: 3 });
    expect(loopProgress(new Map(), flow, "outer")).toBeUndefined();
  });

  it("are no executions of the loop, nor are the tests of its condition", () => {
    expect(loopExecution(nodes.get("inner"))?.epoch).toEqual([1]);
    expect(loopExecution(nodes.get("inner"), [0])?.epoch).toEqual([0]);
    expect(loopExecution(nodes.get("inner"), [7])).toBeUndefined();
  });
});

describe("an activation in an iteration", () => {
  it("is the last that ran, else the last", () => {
    expect(latestWithin(nodes.get("step"), [0])?.epoch).toEqual([0, 1]);
    expect(lastWithin(nodes.get("step"), [0])?.epoch).toEqual([0, 2]);
    expect(latestWithin(nodes.get("step"), [0, 2])?.epoch).toEqual([0, 2]);
    expect(latestWithin(nodes.get("step"), [2])).toBeUndefined();
    expect(latestWithin(nodes.get("after"), [1])).toBeUndefined();
    expect(latestWithin(nodes.get("step"), [])?.epoch).toEqual([1, 0]);
  });
});

describe("a chosen iteration", () => {
  let choice: EpochChoice;
  let session: { run: string; fold: { nodes: typeof nodes } };

  beforeEach(() => {
    const editor = new FlowEditor();
    editor.open(documentState(flow));
    session = { run: "r1", fold: { nodes } };
    const active = {
      get session() {
        return session;
      },
      get shown() {
        return session;
      },
    };
    choice = new EpochChoice(active as unknown as ActiveRun, editor);
  });

  it("is that of all nodes in the body, the innermost choice first", () => {
    choice.chooseIteration("outer", [0]);
    expect(choice.of("step")).toEqual([0, 1]);
    expect(choice.of("after")).toEqual([0]);
    expect(choice.of("outer")).toBeUndefined();
    choice.chooseIteration("inner", [0, 0]);
    expect(choice.of("step")).toEqual([0, 0]);
    expect(choice.of("after")).toEqual([0]);
    choice.chooseIteration("outer", [1]);
    expect(choice.of("step")).toEqual([1, 0]);
    choice.chooseIteration("outer", undefined);
    expect(choice.of("after")).toBeUndefined();
  });

  it("gives way to a choice for a node, and replaces an earlier one", () => {
    choice.choose("after", [0]);
    choice.chooseIteration("outer", [1]);
    expect(choice.of("after")).toEqual([1]);
    choice.choose("after", [0]);
    expect(choice.of("after")).toEqual([0]);
  });

  it("does not count in another run", () => {
    choice.chooseIteration("outer", [0]);
    session = { ...session, run: "r2" };
    expect(choice.of("after")).toBeUndefined();
    choice.choose("step", [1, 0]);
    expect(choice.ofLoop("outer")).toBeUndefined();
  });
});
