/** Numbers and times for people. */
import type { Cost, TokenUsage } from "@/bindings";

const COUNT = new Intl.NumberFormat("en");

export function formatCount(count: number): string {
  return COUNT.format(count);
}

/** `340 ms`, `1.8 s`, `2 m 05 s`, `1 h 02 m`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} m ${String(whole % 60).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} m`;
}

/** `$0.0042`; `≥ $1.20` where some calls have no known price, `—` where none has. As the terminal writes it. */
export function formatCost({ nanoUsd, unpriced = 0 }: Cost): string {
  if (nanoUsd === 0) return unpriced > 0 ? "—" : "$0";
  if (nanoUsd < 100_000) return unpriced > 0 ? "> $0" : "< $0.0001";
  const [unit, digits] = nanoUsd < 1e9 ? [1e5, 4] : [1e7, 2];
  // Half a unit is rounded up. Floats round some halves down.
  const units = Math.floor(nanoUsd / unit) + (nanoUsd % unit >= unit / 2 ? 1 : 0);
  return `${unpriced > 0 ? "≥ " : ""}$${((units * unit) / 1e9).toFixed(digits)}`;
}

/** What there is to know of tokens: in and out, and what of them was cached or reasoning. */
export function describeTokens(tokens: TokenUsage): string {
  const { input, output, cachedInput, cacheWrite, reasoning } = tokens;
  const inside = [
    cachedInput ? `${formatCount(cachedInput)} cached` : undefined,
    cacheWrite ? `${formatCount(cacheWrite)} written to cache` : undefined,
  ].filter(Boolean);
  return [
    `${formatCount(input)} tokens in${inside.length > 0 ? ` (${inside.join(", ")})` : ""}`,
    `${formatCount(output)} out${reasoning ? ` (${formatCount(reasoning)} reasoning)` : ""}`,
  ].join(", ");
}

/** A cost in words, for tooltips and screen readers. */
export function describeCost(cost: Cost): string {
  const { unpriced = 0 } = cost;
  if (unpriced === 0) return `${formatCost(cost)} at the prices at the time of each call`;
  const calls = unpriced === 1 ? "one call has" : `${formatCount(unpriced)} calls have`;
  return `${formatCost(cost)}: ${calls} no known price. Set model prices in Settings.`;
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

/** `just now`, `5 min. ago`, `yesterday`. */
export function formatAgo(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return RELATIVE.format(Math.trunc(seconds / size), unit);
  }
  return "just now";
}

/** The time of day to the millisecond, as logs have it. */
export function formatClock(at: number): string {
  const date = new Date(at);
  const pad = (value: number, width = 2) => String(value).padStart(width, "0");
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`;
}

export function formatDate(at: number): string {
  return new Date(at).toLocaleString();
}
