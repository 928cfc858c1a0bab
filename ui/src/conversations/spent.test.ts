import { expect, test } from "vitest";
import type { RunSummary } from "@/bindings";
import { spentByConversation } from "./spent";

function run(conversation: string | undefined, change: Partial<RunSummary> = {}): RunSummary {
  return {
    run: crypto.randomUUID(),
    flowName: "Chat",
    conversation,
    children: 0,
    status: "finished",
    startedAt: 0,
    nodes: { done: 1, failed: 0, skipped: 0 },
    tokens: { input: 100, output: 10 },
    cost: { nanoUsd: 5_000 },
    ...change,
  };
}

test("what the runs of a conversation took is added up, and nothing of other runs", () => {
  const sums = spentByConversation([run("a"), run(undefined), run("b"), run("a", { cost: { nanoUsd: 1 } })], true);
  expect(sums.get("a")).toEqual({
    runs: 2,
    tokens: { input: 200, output: 20 },
    cost: { nanoUsd: 5_001 },
    more: false,
  });
  expect([...sums.keys()]).toEqual(["a", "b"]);
});

test("a call without a known price is told, not counted as nothing", () => {
  const sums = spentByConversation([run("a"), run("a", { cost: { nanoUsd: 0, unpriced: 3 } })], true);
  expect(sums.get("a")?.cost).toEqual({ nanoUsd: 5_000, unpriced: 3 });
});

test("a sum that leaves runs out says so", () => {
  expect(spentByConversation([run("a")], false).get("a")?.more).toBe(true);
  expect(spentByConversation([run("a"), run("a", { children: 1 })], true).get("a")?.more).toBe(true);
});
