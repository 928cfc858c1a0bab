/** What a conversation has used and cost: the sum over the runs that went on in it, as far as the host still keeps them. */
import { useMemo } from "react";
import type { ConversationId, Cost, RunSummary, TokenUsage } from "@/bindings";
import { addCost, addTokens, NO_COST, NO_TOKENS } from "@/run/fold/spent";
import { MOST_RUNS, runsStore } from "@/run/runs/list";

export type Spent = {
  runs: number;
  tokens: TokenUsage;
  cost: Cost;
  /** There is more: runs that were not asked for, or runs inside of these, which a list of runs does not count. */
  more: boolean;
};

/** By conversation. `whole` says that these are all the runs that the host keeps. */
export function spentByConversation(runs: readonly RunSummary[], whole: boolean): Map<ConversationId, Spent> {
  const sums = new Map<ConversationId, Spent>();
  for (const run of runs) {
    if (run.conversation === undefined) continue;
    const known = sums.get(run.conversation) ?? { runs: 0, tokens: NO_TOKENS, cost: NO_COST, more: !whole };
    sums.set(run.conversation, {
      runs: known.runs + 1,
      tokens: addTokens(known.tokens, run.tokens),
      cost: addCost(known.cost, run.cost),
      more: known.more || run.children > 0,
    });
  }
  return sums;
}

export function useSpentByConversation(): Map<ConversationId, Spent> {
  const runs = runsStore((state) => state.list);
  return useMemo(() => spentByConversation(runs, runs.length < MOST_RUNS), [runs]);
}
