import { describe, expect, it } from "vitest";
import { splitAt } from "./source-parts";

describe("splitAt", () => {
  it("counts bytes, not characters", () => {
    const parts = splitAt({ text: "Käse 日本 und Brot", offset: 0 }, 6, 6);
    expect(parts).toEqual({ before: "Käse ", passage: "日本", after: " und Brot" });
  });

  it("counts from the beginning of the part that is shown", () => {
    expect(splitAt({ text: "two three", offset: 100 }, 104, 5).passage).toBe("three");
  });

  it("marks nothing outside of the text", () => {
    expect(splitAt({ text: "short", offset: 0 }, 50, 5)).toEqual({ before: "short", passage: "", after: "" });
  });
});
