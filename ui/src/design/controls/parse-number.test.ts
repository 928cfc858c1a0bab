import { expect, test } from "vitest";
import { readDecimal, readWhole } from "./parse-number";

test("whole numbers may be grouped", () => {
  for (const text of ["128000", "128,000", "128.000", " 128,000 "]) expect(readWhole(text)).toBe(128_000);
  expect(readWhole("-1,234,567")).toBe(-1_234_567);
  expect(readWhole("0")).toBe(0);
  // No whole numbers; that is for the field to say.
  for (const text of ["1.5", "1,5"]) expect(readWhole(text)).toBe(1.5);
  for (const text of ["", " ", "-", "1,2,3", "12,00,000", "many"]) expect(readWhole(text)).toBeUndefined();
});

test("fractions may use a decimal comma, and grouping where unambiguous", () => {
  for (const text of ["0.5", "0,5", ".5", ",5"]) expect(readDecimal(text)).toBe(0.5);
  expect(readDecimal("0,125")).toBe(0.125);
  expect(readDecimal("1,234.5")).toBe(1234.5);
  expect(readDecimal("1,234,567")).toBe(1_234_567);
  for (const text of ["", "-", "1,2,3", "cheap", "Infinity"]) expect(readDecimal(text)).toBeUndefined();
});
