import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyMergePatch, mergePatch } from "./merge-patch";

/** Objects without null: a patch can't set it. */
const members = fc.dictionary(
  fc.constantFrom("a", "b", "c", "__proto__x"),
  fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.integer(),
      fc.string(),
      fc.boolean(),
      fc.array(fc.integer(), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { noNullPrototype: true }),
    ),
  })).value,
  { noNullPrototype: true },
);

describe("a merge patch", () => {
  it("makes the one document of the other", () => {
    fc.assert(
      fc.property(members, members, (before, after) => {
        expect(applyMergePatch(before, mergePatch(before, after))).toEqual(after);
      }),
    );
  });

  it("leaves alone what it does not name", () => {
    const patch = mergePatch({ panels: { tab: 1, size: 2 } }, { panels: { tab: 3, size: 2 } });
    expect(patch).toEqual({ panels: { tab: 3 } });
    expect(applyMergePatch({ panels: { tab: 1, size: 9 }, theme: "dark" }, patch)).toEqual({
      panels: { tab: 3, size: 9 },
      theme: "dark",
    });
  });

  it("is empty where nothing differs, and null is nothing", () => {
    expect(mergePatch({ a: { b: [1] }, c: null }, { a: { b: [1] } })).toEqual({});
    expect(mergePatch({ a: 1 }, { a: null })).toEqual({ a: null });
  });
});
