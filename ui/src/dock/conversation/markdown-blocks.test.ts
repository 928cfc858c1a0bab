import fc from "fast-check";
import { expect, it } from "vitest";
import { blocksOf } from "./markdown-blocks";

const texts = (text: string) => blocksOf(text).map((block) => block.text.trim());

it("splits at blank lines, not inside fences or lists", () => {
  expect(texts("One\ntwo\n\nThree")).toEqual(["One\ntwo", "Three"]);
  expect(texts("```js\na\n\nb\n```\n\nEnd")).toEqual(["```js\na\n\nb\n```", "End"]);
  expect(texts("- a\n\n- b\n\n  more\n\nEnd")).toEqual(["- a\n\n- b\n\n  more", "End"]);
  expect(texts("")).toEqual([]);
});

it("splits a long line", () => {
  const text = "word ".repeat(1_000);
  const blocks = blocksOf(text);
  expect(Math.max(...blocks.map((block) => block.text.length))).toBeLessThanOrEqual(1_500);
  expect(blocks).toHaveLength(4);
});

it("loses nothing and keeps all but the last block when text is added", () => {
  const long = "word ".repeat(700);
  const line = fc.constantFrom("", "word", long, "- item", "```", "  indented", "~~~", "1. one", "> said");
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), fc.nat(), (lines, at) => {
      const text = lines.join("\n");
      expect(
        blocksOf(text)
          .map((block) => block.text)
          .join("")
          .replace(/\s/g, ""),
      ).toBe(text.replace(/\s/g, ""));
      const early = blocksOf(text.slice(0, at % (text.length + 1)));
      expect(blocksOf(text).slice(0, Math.max(0, early.length - 1))).toEqual(early.slice(0, -1));
    }),
  );
});
