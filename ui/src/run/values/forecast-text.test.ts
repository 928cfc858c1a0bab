import { describe, expect, it } from "vitest";
import type { FlowForecast, NodeForecast } from "@/bindings";
import { describeBasis, describeForecastCost, describeGrowth, describeOutlook, outlookTone } from "./forecast-text";

const NODE: NodeForecast = {
  node: "chat",
  provider: "openai",
  model: "m",
  window: 10_750,
  reserve: 800,
  outlook: { kind: "overflows", iteration: "9", fails: false, before: { iteration: "6", percent: 87 } },
  growth: 470,
  points: [{ epoch: [0], tokens: 1200, shares: [] }],
  reply: { tokens: 300, source: "assumed" },
  executions: { atMost: 5, isExact: false },
  iterationLimit: 5,
  nanoUsdPerCall: 1_200_000,
};

describe("a forecast in words", () => {
  it("names the iteration of the overflow and the share before it", () => {
    expect(describeOutlook(NODE.outlook)).toBe("87 % at iteration 6, overflow near 9");
    expect(describeOutlook({ kind: "overflows", iteration: "1", fails: true })).toBe("Fails near 1");
    expect(describeOutlook({ kind: "overflows", fails: true })).toBe("Does not fit the window");
    expect(describeOutlook({ kind: "bounded", percent: 42 })).toBe("Bounded: stays within 42 %");
    expect(describeOutlook({ kind: "fits", percent: 12 })).toBe("12 % of the window");
    expect(describeGrowth(NODE)).toBe("470 tokens an iteration · limit 5");
  });

  it("warns of what overflows or comes close to it", () => {
    expect(outlookTone(NODE.outlook)).toBe("wait");
    expect(outlookTone({ kind: "overflows", fails: true })).toBe("bad");
    expect(outlookTone({ kind: "fits", percent: 90 })).toBe("wait");
    expect(outlookTone({ kind: "bounded", percent: 89 })).toBe("plain");
  });

  it("says what its numbers rest on", () => {
    expect(describeBasis(NODE)).toBe(
      "First prompt 1,200 of 10,750 tokens, replies of 300 tokens (assumed), about $0.0012 a call",
    );
  });

  it("never gives a cost without its bound and what is unknown", () => {
    const unknown = [{ node: "chat", reason: { kind: "noMaxTokens" as const } }];
    const forecast: FlowForecast = { nodes: [], cost: { atMostNanoUsd: 40_000_000, unknown } };
    expect(describeForecastCost(forecast)).toBe("At most $0.0400; 1 unknown");
    expect(describeForecastCost({ ...forecast, spent: { nanoUsd: 0 } })).toBe("Spent $0. At most $0.0400; 1 unknown");
  });
});
