import { describe, expect, it } from "vitest";
import { RunFold } from "@/run/fold/fold";
import { journalOf } from "@/run/fold/test-vectors";
import { EventLog } from "@/run/live/event-log";
import { linesOf, sharesOf } from "./prompt-parts";

function lensOf(name: string, node: string, epoch: number, call = -1) {
  const fold = new RunFold();
  const log = new EventLog();
  log.append(fold.apply(journalOf(name)).entries);
  const view = fold.nodes.get(node)?.epochs[epoch];
  const prompt = view?.calls.at(call)?.prompt;
  if (!view || !prompt) throw new Error("There is no such prompt.");
  return { fold, log, view, prompt, lines: linesOf(prompt, view, log, view.turn?.contextId) };
}

describe("the prompt", () => {
  it("has the messages of the history in order", () => {
    const { lines } = lensOf("chat-cycle", "chat", 1);
    expect(lines.map((line) => (line.kind === "message" ? `${line.role}: ${line.text}` : line.kind))).toEqual([
      "system: Be brief.",
      "user: Question 0",
      "assistant: Answer 0",
      "user: Question 1",
    ]);
  });

  it("marks messages that are not available", () => {
    const { prompt, view } = lensOf("chat-cycle", "chat", 1);
    expect(linesOf(prompt, view, new EventLog(), "main").map((line) => line.kind)).toEqual(["message", "unknown"]);
  });

  it("has the steps with tool calls and their results", () => {
    const { lines } = lensOf("recorded-chat-loop", "chat", 1);
    const texts = lines.map((line) => (line.kind === "message" ? `${line.role}: ${line.text}` : line.kind));
    expect(texts.some((text) => text.startsWith("assistant:") && text.includes("→ calculator"))).toBe(true);
    expect(texts.some((text) => text.startsWith("tool:"))).toBe(true);
    expect(lines.every((line) => line.kind === "message")).toBe(true);
  });

  it("lists the messages that were left out", () => {
    const { prompt, view, log } = lensOf("chat-cycle", "chat", 1);
    const cut = {
      ...prompt,
      parts: [{ kind: "history" as const, first: "ask#1/0", last: "ask#1/0", count: 1, tokens: 3 }],
      omitted: { first: "ask#0/0", last: "chat#0/0", count: 2 },
    };
    const [left] = linesOf(cut, view, log, "main");
    expect(left).toMatchObject({ kind: "left", tokens: 8 });
    expect(left?.kind === "left" && left.messages.map((message) => message.id)).toEqual(["ask#0/0", "chat#0/0"]);
  });

  it("divides the window, with the question separate from the history", () => {
    const { prompt, lines } = lensOf("chat-cycle", "chat", 1);
    const shares = Object.fromEntries(sharesOf(prompt, lines).map((share) => [share.part, share.tokens]));
    expect(shares).toEqual({ system: 4, history: 6, tools: 0, question: 3, free: 5980, reserve: 2000 });
  });
});
