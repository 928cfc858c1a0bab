/** A quota as it is being entered. */
import type { Quota } from "@/bindings";
import { readDecimal } from "@/design/controls/parse-number";

/** Whether Plait takes it: it limits something, and names a model if it falls back to one. */
export function isUsable({ tokens, usd, onExceeded, fallback }: Quota): boolean {
  const limits = tokens !== undefined || usd !== undefined;
  return limits && (onExceeded !== "fallback" || (fallback !== undefined && fallback.model !== ""));
}

/** The quota with a field set or removed. Defaults are left out, and so is a model that is not used. */
export function withField<K extends keyof Quota>(quota: Quota, key: K, value: Quota[K]): Quota {
  const next: Quota = { ...quota, [key]: value };
  if (value === undefined || (key === "onExceeded" && value === "stop")) delete next[key];
  if (next.onExceeded !== "fallback") delete next.fallback;
  return next;
}

/** An amount of US dollars; null for an empty field, undefined for what is no amount. */
export function readDollars(text: string): number | null | undefined {
  if (text.trim() === "") return null;
  const amount = readDecimal(text.replace(/^\s*\$/, ""));
  return amount !== undefined && amount > 0 ? amount : undefined;
}
