/** Sums of tokens, of money and of corrections. The same rules as the engine's `TokenUsage`, `Cost` and `Correction`. */
import type { Correction, Cost, TokenUsage } from "@/bindings";
import { MAX_COUNTED_TOKENS } from "@/bindings/constants";

export const NO_TOKENS: TokenUsage = { input: 0, output: 0 };
export const NO_COST: Cost = { nanoUsd: 0 };

const PARTS = ["cachedInput", "cacheWrite", "reasoning"] as const;

/** `sum` and `more`, `less` taken out of it. */
export function addTokens(sum: TokenUsage, more: TokenUsage, less: TokenUsage = NO_TOKENS): TokenUsage {
  const added: TokenUsage = {
    input: Math.max(0, sum.input + more.input - less.input),
    output: Math.max(0, sum.output + more.output - less.output),
  };
  for (const part of PARTS) {
    const of = Math.max(0, (sum[part] ?? 0) + (more[part] ?? 0) - (less[part] ?? 0));
    if (of > 0) added[part] = of;
  }
  return added;
}

/** `sum` and `more`, `less` taken out of it. */
export function addCost(sum: Cost, more: Cost, less: Cost = NO_COST): Cost {
  const added: Cost = { nanoUsd: Math.max(0, sum.nanoUsd + more.nanoUsd - less.nanoUsd) };
  const unpriced = Math.max(0, (sum.unpriced ?? 0) + (more.unpriced ?? 0) - (less.unpriced ?? 0));
  if (unpriced > 0) added.unpriced = unpriced;
  return added;
}

/** What one call costs; nothing where its price is not known, which is counted. */
export function costOfCall(nanoUsd: number | undefined): Cost {
  return nanoUsd === undefined ? { nanoUsd: 0, unpriced: 1 } : { nanoUsd };
}

export function addCorrections(known: Correction | undefined, more: Correction): Correction {
  const counted = (known?.counted ?? 0) + more.counted;
  const reported = (known?.reported ?? 0) + more.reported;
  if (counted <= MAX_COUNTED_TOKENS) return { counted, reported };
  return { counted: Math.floor(counted / 2), reported: Math.floor(reported / 2) };
}
