/** What a retry reuses and buys again, in words. Every number stands in the journal; what does not is named as unknown. */
import type { RetryForecast } from "@/bindings";
import { formatCost } from "./format";

/** A few words for beside the button; nothing if nothing is reused. */
export function summarizeForecast({ replies, toolResults, answers }: RetryForecast): string | undefined {
  const [first] = reusedParts({ replies, toolResults, answers });
  return first === undefined ? undefined : `reuses ${first}`;
}

/** All that is known before the retry runs, as sentences. */
export function describeForecast({ bought, ...reused }: RetryForecast): string[] {
  const parts = reusedParts(reused);
  const last = parts.pop();
  const list = parts.length > 0 ? `${parts.join(", ")} and ${last}` : last;
  const saved = reused.replies.cost.nanoUsd > 0 ? ` The replies cost ${formatCost(reused.replies.cost)}.` : "";
  return [
    last === undefined
      ? "There is nothing to reuse."
      : `Reuses ${list}, as long as the requests stay the same.${saved}`,
    ...(bought.calls > 0 ? [`Makes ${count(bought.calls, "model call", "model calls")} again${priceOf(bought)}.`] : []),
    "What follows is not known before it runs.",
  ];
}

function reusedParts({ replies, toolResults, answers }: Omit<RetryForecast, "bought">): string[] {
  return [
    ...(replies.calls > 0 ? [count(replies.calls, "reply", "replies")] : []),
    ...(toolResults > 0 ? [count(toolResults, "tool result", "tool results")] : []),
    ...(answers > 0 ? [count(answers, "answer", "answers")] : []),
  ];
}

/** Of the prompts alone: nobody knows how long the replies will be. */
function priceOf({ cost }: RetryForecast["bought"]): string {
  if (cost.nanoUsd > 0) return `: ${formatCost(cost)} for the prompts alone`;
  return cost.unpriced ? ", of unknown price" : "";
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
