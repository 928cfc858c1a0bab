import { describe, expect, it } from "vitest";
import { describeRunCost, describeRunTokens, formatRunCost, formatRunTokens } from "./run-totals";

describe("what a run used", () => {
  it.each([
    [{ nanoUsd: 0 }, "$0", "≥ $0"],
    [{ nanoUsd: 1_200_000_000 }, "$1.20", "≥ $1.20"],
    [{ nanoUsd: 50_000 }, "< $0.0001", "> $0"],
    [{ nanoUsd: 1_200_000_000, unpriced: 2 }, "≥ $1.20", "≥ $1.20"],
    [{ nanoUsd: 0, unpriced: 1 }, "—", "—"],
  ])("%j is %s, and %s where sub-flows ran", (cost, alone, least) => {
    expect([formatRunCost(cost, false), formatRunCost(cost, true)]).toEqual([alone, least]);
  });

  it("mentions that sub-flows are not included", () => {
    expect(formatRunTokens({ input: 1000, output: 5 }, true)).toBe("≥ 1,005 tokens");
    expect(formatRunTokens({ input: 1, output: 0 }, false)).toBe("1 token");
    expect(describeRunTokens({ input: 0, output: 0 }, true)).toContain("0 out. Sub-flow usage is not included");
    expect(describeRunCost({ nanoUsd: 0, unpriced: 1 }, true)).toContain("Settings. Sub-flow usage");
  });
});
