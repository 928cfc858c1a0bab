import { expect, it } from "vitest";
import { plain } from "./plain-text";

it.each([
  ["A **switch** sends `{{x}}` *one* way", "A switch sends {{x}} one way"],
  ["# Title\n\n- one\n- two", "Title one two"],
  ["see [the docs](https://x.y) and snake_case_name", "see the docs and snake_case_name"],
  ["2 * 3 * 4", "2 * 3 * 4"],
  ['Call it?\n\n```json\n{ "a": 1 }\n```', 'Call it? { "a": 1 }'],
])("takes the marks out of %j", (markdown, text) => {
  expect(plain(markdown)).toBe(text);
});
