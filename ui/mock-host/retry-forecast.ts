/** What a retry of a run reuses, by its journal alone. */
import type { Entry, RetryForecast, Spending } from "@/bindings";

export function forecastOf(journal: readonly Entry[]): RetryForecast {
  const calls = new Map<string, Entry>();
  for (const entry of journal) {
    if (entry.type === "prompt.rendered" || entry.type === "model.replied") {
      calls.set(`${entry.node}/${entry.epoch?.join(".") ?? ""}/${entry.step}`, entry);
    }
  }
  const count = (type: Entry["type"]) => journal.filter((entry) => entry.type === type).length;
  return {
    replies: spendingOf([...calls.values()].filter((entry) => entry.type === "model.replied")),
    toolResults: count("tool.finished"),
    answers: count("input.provided"),
    bought: spendingOf([...calls.values()].filter((entry) => entry.type === "prompt.rendered")),
  };
}

/** Models of a page are free. */
function spendingOf(entries: readonly Entry[]): Spending {
  return { calls: entries.length, tokens: { input: 0, output: 0 }, cost: { nanoUsd: 0 } };
}
