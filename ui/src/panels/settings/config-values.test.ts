import { expect, test } from "vitest";
import { changeConfig, readConfig } from "./config-values";

test("a text is read by the schema of its key", () => {
  const whole = { type: "integer", minimum: 1, maximum: 100 };
  expect(readConfig(" 4 ", whole)).toBe(4);
  expect(readConfig("", whole)).toBeNull();
  for (const text of ["0", "101", "1.5", "many"]) expect(readConfig(text, whole)).toBeUndefined();
  const ratio = { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 };
  expect(readConfig("0.4", ratio)).toBe(0.4);
  expect(readConfig("1", ratio)).toBeUndefined();
  const choice = { type: "string", enum: ["summarize"] };
  expect(readConfig("summarize", choice)).toBe("summarize");
  expect(readConfig("forget", choice)).toBeUndefined();
});

test("an emptied value is removed", () => {
  expect(changeConfig({ a: 1, b: 2 }, "a", undefined)).toEqual({ b: 2 });
  expect(changeConfig({ b: 2 }, "a", 3)).toEqual({ b: 2, a: 3 });
});
