import { expect, test } from "vitest";
import { priceOf, readCount, readPrice, withPart } from "./model-override";

test("context windows are whole numbers of tokens", () => {
  expect(readCount("32,768")).toBe(32_768);
  expect(readCount(" ")).toBe(null);
  for (const wrong of ["0", "-1", "1.5", "many", "4294967296"]) expect(readCount(wrong)).toBe(undefined);
});

test("prices are dollars", () => {
  for (const quarter of ["$0.25", "0,25"]) expect(readPrice(quarter)).toBe(0.25);
  expect(readPrice("0")).toBe(0);
  expect(readPrice("")).toBe(null);
  for (const wrong of ["-1", "cheap", "Infinity"]) expect(readPrice(wrong)).toBe(undefined);
});

test("a missing price is unknown, not zero", () => {
  expect(priceOf({ output: 8 })).toBe(undefined);
  expect(priceOf({ input: 2, cachedInput: 1 })).toBe(undefined);
  expect(priceOf({ input: 0, output: 0 })).toEqual({ input: 0, output: 0 });
  expect(withPart({ input: 2, output: 8, cachedInput: 1 }, "input", null)).toEqual({ output: 8, cachedInput: 1 });
  expect(withPart({ output: 8 }, "input", 2)).toEqual({ input: 2, output: 8 });
});
