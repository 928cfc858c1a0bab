import { describe, expect, it } from "vitest";
import type { RetryForecast, Spending } from "@/bindings";
import { describeForecast, summarizeForecast } from "./retry-forecast";

const spending = (calls: number, nanoUsd = 0, unpriced = 0): Spending => ({
  calls,
  tokens: { input: 0, output: 0 },
  cost: { nanoUsd, ...(unpriced > 0 ? { unpriced } : {}) },
});
const forecast = (changes: Partial<RetryForecast>): RetryForecast => ({
  replies: spending(0),
  toolResults: 0,
  answers: 0,
  bought: spending(0),
  ...changes,
});

describe("the forecast of a retry", () => {
  it("names what is reused, what it cost, and the price of the prompts that are sent again", () => {
    const known = forecast({
      replies: spending(41, 31_200_000),
      toolResults: 1,
      answers: 2,
      bought: spending(1, 1_200_000),
    });
    expect(summarizeForecast(known)).toBe("reuses 41 replies");
    expect(describeForecast(known)).toEqual([
      "Reuses 41 replies, 1 tool result and 2 answers, as long as the requests stay the same. The replies cost $0.0312.",
      "Makes 1 model call again: $0.0012 for the prompts alone.",
      "What follows is not known before it runs.",
    ]);
  });

  it("names no price that is not known", () => {
    expect(describeForecast(forecast({ replies: spending(1, 0, 1), bought: spending(2, 0, 2) }))).toEqual([
      "Reuses 1 reply, as long as the requests stay the same.",
      "Makes 2 model calls again, of unknown price.",
      "What follows is not known before it runs.",
    ]);
  });

  it("promises nothing where nothing is recorded", () => {
    expect(summarizeForecast(forecast({}))).toBeUndefined();
    expect(describeForecast(forecast({}))[0]).toBe("There is nothing to reuse.");
  });
});
