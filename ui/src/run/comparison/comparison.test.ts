import { describe, expect, it } from "vitest";
import type { RunComparison, RunDifference } from "@/bindings";
import { groupsOf, nodeOf } from "./comparison";

const difference = (node: string, follows: number[]): RunDifference => {
  const shown = { run: "r", at: { node, epoch: [] }, tokens: { input: 0, output: 0 }, cost: { nanoUsd: 0 } };
  return { before: shown, after: shown, changes: [], follows };
};

const comparison = (differences: RunDifference[]): RunComparison => ({
  flow: { changes: [] },
  differences,
  nodes: [],
  lists: [],
  same: 0,
  before: { status: "finished", tokens: { input: 0, output: 0 }, cost: { nanoUsd: 0 } },
  after: { status: "finished", tokens: { input: 0, output: 0 }, cost: { nanoUsd: 0 } },
});

describe("groupsOf", () => {
  it("tells what follows from the first difference apart from the rest", () => {
    const groups = groupsOf(
      comparison([
        difference("draft", []),
        difference("weather", []),
        difference("judge", [0]),
        difference("coat", [1]),
        difference("send", [0, 1]),
      ]),
    );
    expect(groups.map(({ id, differences }) => [id, ...differences.map(nodeOf)])).toEqual([
      ["first", "draft"],
      ["follows", "judge", "send"],
      ["apart", "weather"],
      ["others", "coat"],
    ]);
  });

  it("has no groups without differences", () => {
    expect(groupsOf(comparison([]))).toEqual([]);
  });
});
