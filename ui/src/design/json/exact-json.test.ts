import { expect, it } from "vitest";
import { formatJson, parseJson } from "./exact-json";

const TEXT = '{"id":9007199254740993,"list":[-9223372036854775808,1.5,1.5e300],"text":"9007199254740993"}';

it("large integers keep their digits through parsing and formatting", () => {
  const value = parseJson(TEXT) as { id: unknown; list: unknown[]; text: string };
  expect(value.id).toEqual({ $int: "9007199254740993" });
  expect(value.list[0]).toEqual({ $int: "-9223372036854775808" });
  expect(value.list[2]).toBe(1.5e300);
  expect(value.text).toBe("9007199254740993");
  expect(formatJson(value)?.startsWith('{"id":9007199254740993,"list":[-9223372036854775808,1.5,')).toBe(true);
  expect(formatJson({ id: value.id }, 2)).toBe('{\n  "id": 9007199254740993\n}');
});

it("integers that are exact stay numbers", () => {
  expect(parseJson("[9007199254740991, 1000000000000000]")).toEqual([9007199254740991, 1000000000000000]);
});

it("a text that is not JSON is a syntax error", () => {
  expect(() => parseJson("{12345678901234567890")).toThrow(SyntaxError);
});

it("nothing is formatted as nothing", () => {
  expect(formatJson(undefined)).toBeUndefined();
});
