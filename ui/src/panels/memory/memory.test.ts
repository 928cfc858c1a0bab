import { describe, expect, it } from "vitest";
import type { MemoryRecord } from "@/bindings";
import { contentOf, dayText, draftOf, isComplete, sourceText, stillThere } from "./memory";

const MEMORY: MemoryRecord = { id: "a", kind: "fact", text: "Likes tea.", at: 0, source: {} };

describe("a draft", () => {
  it("keeps the steps of a procedure as lines", () => {
    const draft = draftOf({ kind: "procedure", text: "Booking", steps: ["Ask", "Book"] });
    expect(draft.steps).toBe("Ask\nBook");
    expect(contentOf({ ...draft, steps: " Ask \n\n Pay " })).toEqual({
      kind: "procedure",
      text: "Booking",
      steps: ["Ask", "Pay"],
    });
  });

  it("drops steps of other kinds", () => {
    expect(contentOf({ kind: "fact", text: " Tea. ", steps: "Ask" })).toEqual({ kind: "fact", text: "Tea." });
  });

  it("is complete with a text and, for a procedure, a step", () => {
    expect(isComplete({ kind: "fact", text: " ", steps: "" })).toBe(false);
    expect(isComplete({ kind: "fact", text: "Tea.", steps: "" })).toBe(true);
    expect(isComplete({ kind: "procedure", text: "Tea", steps: " \n" })).toBe(false);
    expect(isComplete({ kind: "procedure", text: "Tea", steps: "Boil" })).toBe(true);
  });
});

it("source names flow and node, or the person", () => {
  expect(sourceText(MEMORY)).toBe("Written by you");
  expect(sourceText({ ...MEMORY, source: { flow: "Triage", node: "learn" } })).toBe("Triage · learn");
  expect(sourceText({ ...MEMORY, source: { flow: "Triage" }, origins: ["host:example.com", "person"] })).toBe(
    "Triage · from example.com",
  );
});

it("day has a year only if it is another one", () => {
  const now = new Date(2026, 10, 22, 12).getTime();
  expect(dayText(now - 3_600_000, now)).toBe("today");
  expect(dayText(new Date(2026, 10, 18).getTime(), now)).toBe("Nov 18");
  expect(dayText(new Date(2025, 0, 2).getTime(), now)).toBe("Jan 2, 2025");
});

it("selection forgets memories that are gone", () => {
  const selected = new Set(["a", "b"]);
  expect([...stillThere(selected, [MEMORY])]).toEqual(["a"]);
  expect(stillThere(new Set(["a"]), [MEMORY]).size).toBe(1);
});
