import { describe, expect, it } from "vitest";
import { diffPrompts, diffWords } from "./prompt-diff";
import type { Line } from "./prompt-lines";

const message = (key: string, role: "system" | "user" | "assistant", text: string, inHistory = false): Line => ({
  kind: "message",
  key,
  text,
  tokens: text.length,
  message: { part: inHistory ? "history" : role === "system" ? "system" : "question", role, text },
});
const block = (key: string, name: "memory" | "partner", text: string): Line => ({
  kind: "block",
  key,
  text,
  tokens: text.length,
  block: { block: name, text, tokens: text.length },
  offset: 0,
});

describe("the diff of two prompts", () => {
  it("knows a question again once it is in the history", () => {
    const before = [message("0", "system", "Be brief."), message("1", "user", "One?")];
    const after = [
      message("0", "system", "Be brief."),
      message("a", "user", "One?", true),
      message("b", "assistant", "Yes.", true),
      message("2", "user", "Two?"),
    ];
    const diff = diffPrompts(before, after);
    expect([...diff.changes]).toEqual([
      ["b", { kind: "new" }],
      ["2", { kind: "new" }],
    ]);
    expect(diff).toMatchObject({ count: 2, added: 8, removed: 0 });
  });

  it("compares instructions and blocks with what stood in their place", () => {
    const before = [message("0", "system", "Be brief."), block("1", "memory", "Ada: Hello")];
    const after = [message("0", "system", "Be very brief."), block("1", "memory", "Ada: Hello Bob")];
    const { changes, removed } = diffPrompts(before, after);
    expect(changes.get("0")).toEqual({
      kind: "changed",
      pieces: [
        { kind: "same", text: "Be " },
        { kind: "added", text: "very " },
        { kind: "same", text: "brief." },
      ],
    });
    expect(changes.get("1")?.kind).toBe("changed");
    expect(removed).toBe(0);
  });

  it("counts what is no longer sent", () => {
    const before = [message("a", "user", "Old", true), message("b", "user", "Kept", true)];
    const diff = diffPrompts(before, [message("b", "user", "Kept", true)]);
    expect(diff).toMatchObject({ count: 0, added: 0, removed: 3 });
  });

  it("finds each of two equal messages once", () => {
    const before = [message("a", "user", "Yes", true)];
    const diff = diffPrompts(before, [message("a", "user", "Yes", true), message("b", "user", "Yes", true)]);
    expect([...diff.changes.keys()]).toEqual(["b"]);
  });
});

describe("the diff of two texts", () => {
  it("goes word by word", () => {
    expect(diffWords("open 8:00 to 17:00 on weekdays", "open 9:00 to 18:00 on weekdays")).toEqual([
      { kind: "same", text: "open " },
      { kind: "removed", text: "8:00 " },
      { kind: "added", text: "9:00 " },
      { kind: "same", text: "to " },
      { kind: "removed", text: "17:00 " },
      { kind: "added", text: "18:00 " },
      { kind: "same", text: "on weekdays" },
    ]);
  });

  it("replaces long texts as a whole, but for their equal ends", () => {
    const words = (word: string) => Array.from({ length: 600 }, (_, index) => `${word}${index}`).join(" ");
    expect(diffWords(words("a"), words("b")).map((piece) => piece.kind)).toEqual(["removed", "added"]);
    expect(diffWords(`x ${words("a")} y`, `x ${words("b")} y`)).toMatchObject([
      { kind: "same", text: "x " },
      { kind: "removed" },
      { kind: "added" },
      { kind: "same", text: "y" },
    ]);
  });
});
