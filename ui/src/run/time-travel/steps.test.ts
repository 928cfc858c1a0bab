import { expect, it } from "vitest";
import type { Entry } from "@/bindings";
import { lastChange, stepBack, stepForward } from "./steps";

const JOURNAL = [
  { type: "run.started" },
  { type: "node.ready", node: "a", epoch: [] },
  { type: "node.started", node: "a", epoch: [], attempt: 1 },
  { type: "debug.stopped" },
  { type: "debug.continued" },
  { type: "node.finished", node: "a", epoch: [] },
  { type: "node.ready", node: "b", epoch: [] },
  { type: "iteration.started", node: "a", epoch: [1] },
  { type: "node.started", node: "b", epoch: [], attempt: 1 },
  { type: "run.finished", outputs: {} },
].map((entry, seq) => ({ seq, at: seq, ...entry }) as unknown as Entry);

it("steps back over what happens between the steps of nodes", () => {
  const visited = [];
  for (let at: number | undefined = JOURNAL.length; at !== undefined; at = stepBack(JOURNAL, at)) visited.push(at);
  expect(visited).toEqual([10, 9, 6, 3]);
});

it("steps forward to the same places", () => {
  const visited = [];
  for (let at: number | undefined = 1; at !== undefined; at = stepForward(JOURNAL, at)) visited.push(at);
  expect(visited).toEqual([1, 3, 6, 9]);
});

it("goes back to the last event of a node, which the iterations of a loop are not", () => {
  expect(lastChange(JOURNAL, 10, "a")).toBe(6);
  expect(lastChange(JOURNAL, 6, "a")).toBe(3);
  expect(lastChange(JOURNAL, 2, "a")).toBeUndefined();
  expect(lastChange(JOURNAL, 10, "c")).toBeUndefined();
});
