/** How much of each quota is used, as the latest model call left it. The same rules as the engine's `run::view`. */
import type { Entry, QuotaState } from "@/bindings";

type QuotaEntry = Extract<Entry, { type: "quota.reserved" | "quota.reconciled" }>;

export function applyToQuotas(quotas: readonly QuotaState[] = [], entry: QuotaEntry): QuotaState[] {
  const next = [...quotas];
  for (const quota of entry.quotas) {
    // Of a loop that runs often, the latest time counts.
    const known = next.findIndex((one) => isSame(one, quota));
    if (known < 0) next.push(quota);
    else next[known] = quota;
  }
  return next;
}

function isSame(one: QuotaState, other: QuotaState): boolean {
  return one.scope === other.scope && one.run === other.run && one.node === other.node;
}
