/**
 * What a run used, as far as it knows: it counts the model calls of its own nodes. Those of the runs it began are counted
 * there, so where there are any its own amounts are the least.
 */
import type { Cost, TokenUsage } from "@/bindings";
import { describeCost, describeTokens, formatCost, formatCount } from "./format";

const WITHOUT = "Sub-flow usage is not included; see their runs.";

export function formatRunTokens({ input, output }: TokenUsage, children: boolean): string {
  const sum = input + output;
  return `${children ? "≥ " : ""}${formatCount(sum)} ${sum === 1 ? "token" : "tokens"}`;
}

export function formatRunCost(cost: Cost, children: boolean): string {
  const said = formatCost(cost);
  if (!children) return said;
  // What has no known price says so already; what is nearly nothing is not an upper bound any more.
  if (said.startsWith("<")) return "> $0";
  return said.startsWith("$") ? `≥ ${said}` : said;
}

/** For who hovers or listens. */
export function describeRunTokens(tokens: TokenUsage, children: boolean): string {
  return children ? `${describeTokens(tokens)}. ${WITHOUT}` : describeTokens(tokens);
}

export function describeRunCost(cost: Cost, children: boolean): string {
  return children ? `${describeCost(cost).replace(/\.$/, "")}. ${WITHOUT}` : describeCost(cost);
}
