/** Quotas in words and shares. */
import type { QuotaState } from "@/bindings";
import { formatCost, formatCount } from "./format";

/** How full a quota is, from 0 to 1: the fuller of tokens and money. Reserved counts as used. */
export function quotaShare({ limit, spent, reserved }: QuotaState): number {
  const share = (used: number, most: number | undefined) => (most === undefined ? 0 : Math.min(1, used / most));
  return Math.max(
    share(spent.tokens + reserved.tokens, limit.tokens),
    share(spent.nanoUsd + reserved.nanoUsd, limit.nanoUsd),
  );
}

/** The part of it that calls under way have reserved. */
export function reservedShare(quota: QuotaState): number {
  const none = { tokens: 0, nanoUsd: 0 };
  return quotaShare(quota) - quotaShare({ ...quota, reserved: none });
}

export function fullestQuota(quotas: readonly QuotaState[]): QuotaState | undefined {
  let fullest: QuotaState | undefined;
  for (const quota of quotas) {
    if (!fullest || quotaShare(quota) > quotaShare(fullest)) fullest = quota;
  }
  return fullest;
}

/** `of 50,000 tokens`, `of $0.05`. */
export function quotaLimit({ limit }: QuotaState): string {
  const parts = [];
  if (limit.nanoUsd !== undefined) parts.push(formatCost({ nanoUsd: limit.nanoUsd }));
  if (limit.tokens !== undefined) parts.push(`${formatCount(limit.tokens)} tokens`);
  return `of ${parts.join(" and ")}`;
}

const SCOPES: Record<QuotaState["scope"], string> = {
  day: "Day",
  conversation: "Conversation",
  run: "Run",
  loop: "Loop",
  iteration: "Iteration",
  branch: "Branch",
  node: "Node",
};

/** `Run: 7,120 of 50,000 tokens, 400 reserved`. `nameOf` gives the title of a node. */
export function describeQuota(quota: QuotaState, nameOf: (node: string) => string): string {
  const { limit, spent, reserved, scope, node } = quota;
  const parts = [];
  if (limit.tokens !== undefined) {
    const held = reserved.tokens > 0 ? `, ${formatCount(reserved.tokens)} reserved` : "";
    parts.push(`${formatCount(spent.tokens)} of ${formatCount(limit.tokens)} tokens${held}`);
  }
  if (limit.nanoUsd !== undefined) {
    const held = reserved.nanoUsd > 0 ? `, ${formatCost({ nanoUsd: reserved.nanoUsd })} reserved` : "";
    parts.push(`${formatCost({ nanoUsd: spent.nanoUsd })} of ${formatCost({ nanoUsd: limit.nanoUsd })}${held}`);
  }
  return `${SCOPES[scope]}${node === undefined ? "" : ` ${nameOf(node)}`}: ${parts.join("; ")}`;
}
