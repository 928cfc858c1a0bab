import { expect, it } from "vitest";
import type { Entry } from "@/bindings";
import { RunFold } from "./fold";

let seq = 0;
const entry = (type: string, fields: object): Entry => {
  seq += 1;
  return { seq: seq - 1, at: seq, type, ...fields } as unknown as Entry;
};
const message = (id: string, node: string, epoch: number[]) => ({
  id,
  tokens: 10,
  author: { node, epoch },
  content: id,
});

it("iterations are counted by loop, and are no activations of it", () => {
  const fold = new RunFold();
  const { nodes } = fold.apply([
    entry("node.started", { node: "loop", epoch: [], attempt: 1 }),
    entry("iteration.started", { node: "loop", epoch: [0] }),
    entry("iteration.finished", { node: "loop", epoch: [0] }),
    entry("iteration.started", { node: "loop", epoch: [1] }),
    entry("loop.exhausted", { node: "loop", epoch: [1], maxEpochs: 2 }),
  ]);
  expect(fold.head.loops).toEqual({ loop: { epoch: [1], iterations: 2, exhausted: 2 } });
  expect([...nodes]).toEqual(["loop"]);
  expect(fold.nodes.get("loop")).toMatchObject({ state: "running", epoch: [], epochs: [{ epoch: [] }] });
});

it("an iteration that failed takes its messages back, those of others stay", () => {
  const history = [message("old", "start", []), message("kept", "chat", [0]), message("gone", "chat", [1])];
  const context = { contextId: "main", messageHistory: history };
  const fold = new RunFold();
  fold.apply([entry("context.created", { node: "start", epoch: [], context })]);
  const before = fold.contexts.get("main");
  const { contexts } = fold.apply([
    entry("context.discarded", { node: "loop", epoch: [], activations: [{ node: "chat", epoch: [1] }] }),
  ]);
  expect([...contexts]).toEqual(["main"]);
  const after = fold.contexts.get("main");
  expect(after?.record.messageHistory.map((one) => one.id)).toEqual(["old", "kept"]);
  expect(after?.tokens).toBe(20);
  expect(before?.record.messageHistory).toHaveLength(3);
});
