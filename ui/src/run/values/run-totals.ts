/**
 * The known usage of a run: the model calls of its own nodes. Child runs count theirs themselves, so with children these
 * amounts are lower bounds.
 */
import type { Cost, TokenUsage } from "@/bindings";
import { describeCost, describeTokens, formatCost, formatCount } from "./format";

const SUB_FLOWS_NOT_INCLUDED = "Sub-flow usage is not included; see their runs.";

export function formatRunTokens({ input, output }: TokenUsage, children: boolean): string {
  const sum = input + output;
  return `${children ? "≥ " : ""}${formatCount(sum)} ${sum === 1 ? "token" : "tokens"}`;
}

export function formatRunCost(cost: Cost, children: boolean): string {
  const formatted = formatCost(cost);
  if (!children) return formatted;
  // Unknown prices are marked already; an amount near zero is no upper bound.
  if (formatted.startsWith("<")) return "> $0";
  return formatted.startsWith("$") ? `≥ ${formatted}` : formatted;
}

/** For tooltips and screen readers. */
export function describeRunTokens(tokens: TokenUsage, children: boolean): string {
  return children ? `${describeTokens(tokens)}. ${SUB_FLOWS_NOT_INCLUDED}` : describeTokens(tokens);
}

export function describeRunCost(cost: Cost, children: boolean): string {
  return children ? `${describeCost(cost).replace(/\.$/, "")}. ${SUB_FLOWS_NOT_INCLUDED}` : describeCost(cost);
}
