/** What a person may say of a model: reading windows and prices from fields. */
import type { Price } from "@/bindings";
import { MAX_CONTEXT_WINDOW, MAX_USD_PER_MILLION_TOKENS } from "@/bindings/constants";
import { readDecimal, readWhole } from "@/design/controls/parse-number";

export type PriceKey = "input" | "output" | "cachedInput" | "cacheWrite";

/** A whole number of at least 1; null where the field is empty, undefined where it is none. */
export function readCount(text: string): number | null | undefined {
  if (text.trim() === "") return null;
  const count = readWhole(text);
  return count !== undefined && Number.isInteger(count) && count >= 1 && count <= MAX_CONTEXT_WINDOW
    ? count
    : undefined;
}

/** Dollars per million tokens; null where the field is empty, undefined where it is no price. */
export function readPrice(text: string): number | null | undefined {
  if (text.trim() === "") return null;
  const price = readDecimal(text);
  return price !== undefined && price >= 0 && price <= MAX_USD_PER_MILLION_TOKENS ? price : undefined;
}

/** The parts of a price with one changed, or removed if `value` is null. */
export function withPart(parts: Partial<Price>, key: PriceKey, value: number | null): Partial<Price> {
  const { [key]: _, ...others } = parts;
  return value === null ? others : { ...others, [key]: value };
}

/** A complete price; undefined while input or output is missing, because a missing price is unknown, not zero. */
export function priceOf({ input, output, ...rest }: Partial<Price>): Price | undefined {
  return input === undefined || output === undefined ? undefined : { ...rest, input, output };
}
