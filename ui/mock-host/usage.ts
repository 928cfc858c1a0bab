/** What the mock host's runs have used and cost, by day. The same sums as the engine's `usage.byDay`. */
import type { DayUsage, Entry, Spending, Usage } from "@/bindings";
import { addCost, addTokens, costOfCall, NO_COST, NO_TOKENS } from "@/run/fold/spending";

export const NOTHING: Spending = { calls: 0, tokens: NO_TOKENS, cost: NO_COST };

export function addSpending(sum: Spending | undefined, more: Spending): Spending {
  const known = sum ?? NOTHING;
  return {
    calls: known.calls + more.calls,
    tokens: addTokens(known.tokens, more.tokens),
    cost: addCost(known.cost, more.cost),
  };
}

/** The day of a moment where the person is, as `2026-08-06`. */
function dayOf(at: number): string {
  const date = new Date(at);
  const pad = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** What a model's reply says was spent; nothing of any other event. */
export function spentBy(entry: Entry): Spending | undefined {
  if (entry.type !== "model.replied") return undefined;
  const { account, reply } = entry;
  return { calls: 1, tokens: reply.usage ?? NO_TOKENS, cost: costOfCall(account?.costNanoUsd) };
}

export function usageByDay(journals: Iterable<readonly Entry[]>, now: number, days: number): Usage {
  const first = new Date(now);
  first.setHours(0, 0, 0, 0);
  first.setDate(first.getDate() - (days - 1));
  const byDay = new Map<string, DayUsage>();
  let total = NOTHING;
  for (const journal of journals) {
    for (const entry of journal) {
      const spent = spentBy(entry);
      if (entry.type !== "model.replied" || !spent || entry.at < first.getTime()) continue;
      const { account } = entry;
      const model = account ? `${account.provider}/${account.model}` : "";
      const name = dayOf(entry.at);
      const day = byDay.get(name) ?? { day: name, total: NOTHING, models: {} };
      byDay.set(name, {
        day: name,
        total: addSpending(day.total, spent),
        models: { ...day.models, [model]: addSpending(day.models[model], spent) },
      });
      total = addSpending(total, spent);
    }
  }
  return { days: [...byDay.values()].sort((a, b) => (a.day < b.day ? 1 : -1)), total, pricesDate: "2026-08-06" };
}
