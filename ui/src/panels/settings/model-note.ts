/** What a person may say of a model: reading windows and prices from fields. */
import type { Price } from "@/bindings";
import { readDecimal, readWhole } from "@/look/number";

export type PriceKey = "input" | "output" | "cachedInput" | "cacheWrite";

const MOST_WINDOW = 4_294_967_295;
const MOST_PRICE = 1_000_000;

/** A whole number of tokens; null where the field is empty, undefined where it is no window. */
export function readWindow(text: string): number | null | undefined {
  if (text.trim() === "") return null;
  const window = readWhole(text);
  return window !== undefined && Number.isInteger(window) && window >= 1 && window <= MOST_WINDOW ? window : undefined;
}

/** Dollars per million tokens; null where the field is empty, undefined where it is no price. */
export function readPrice(text: string): number | null | undefined {
  if (text.trim() === "") return null;
  const price = readDecimal(text.replace("$", ""));
  return price !== undefined && price >= 0 && price <= MOST_PRICE ? price : undefined;
}

/** The price with one of its parts changed. There is none any more when input or output is emptied and the other is 0. */
export function withPrice(price: Price | undefined, key: PriceKey, value: number | null): Price | undefined {
  const next: Price = { ...(price ?? { input: 0, output: 0 }) };
  if (key === "cachedInput" || key === "cacheWrite") {
    if (value === null) delete next[key];
    else next[key] = value;
    return next;
  }
  next[key] = value ?? 0;
  return value === null && next.input === 0 && next.output === 0 ? undefined : next;
}
