import { describe, expect, it } from "vitest";
import type { RunComparison, RunDifference } from "@/bindings";
import { gathered, groupsOf, itemNumbers, nodeOf } from "./comparison";

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

describe("gathered", () => {
  it("makes one entry of the steps of a node that only one run has", () => {
    const only = (node: string, side: "before" | "after"): RunDifference => {
      const whole = difference(node, []);
      return { [side]: whole[side], changes: [], follows: [] };
    };
    const entries = gathered([
      only("say", "before"),
      only("say", "after"),
      difference("say", []),
      only("say", "before"),
      only("greet", "before"),
      only("say", "before"),
    ]);
    expect(entries.map(({ difference, more }) => [nodeOf(difference), more])).toEqual([
      ["say", 2],
      ["say", 0],
      ["say", 0],
      ["greet", 0],
    ]);
  });
});

describe("itemNumbers", () => {
  it("shows neighbors as a range", () => {
    expect(itemNumbers([0, 1, 2, 4, 6, 7])).toBe("1–3, 5, 7, 8");
    expect(itemNumbers([])).toBe("");
  });
});
