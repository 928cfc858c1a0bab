import { addCost, addTokens, NO_COST, NO_TOKENS } from "@/run/fold/spending";
import type { NodeView } from "@/run/fold/types";
import { describeCost, describeTokens, formatCost, formatCount } from "@/run/values/format";
import { TEXTS } from "./texts";

/** Usage and cost of all iterations together. Hidden for a single iteration and without usage. */
export function NodeTotals({ view }: { view: NodeView }) {
  if (view.epochs.length < 2) return null;
  const { tokens, cost } = spentIn(view);
  if (tokens.input + tokens.output === 0) return null;
  return (
    <p className="-mt-2 mb-3 text-fg-3 text-xs tabular-nums" title={describeCost(cost)} data-testid="io-total">
      {TEXTS.allIterations(formatCount(view.epochs.length), describeTokens(tokens), formatCost(cost))}
    </p>
  );
}

function spentIn(view: NodeView) {
  let [tokens, cost] = [NO_TOKENS, NO_COST];
  for (const epoch of view.epochs) {
    tokens = addTokens(tokens, epoch.usage);
    cost = addCost(cost, epoch.cost);
  }
  return { tokens, cost };
}
