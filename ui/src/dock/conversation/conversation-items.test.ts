import { describe, expect, it } from "vitest";
import type { Entry, Message } from "@/bindings";
import { readVectors } from "@/run/fold/test-vectors";
import { ConversationItems, itemsOf } from "./conversation-items";

let seq = 0;
const entry = (event: object): Entry => ({ seq: seq++, at: seq, ...event }) as unknown as Entry;
const message = (id: string, role: Message["role"], content: string, context = "ask"): Message => ({
  id,
  role,
  content,
  author: { node: context, epoch: [] },
  tokens: 1,
});
const created = (id: string, history: Message[] = [], parentContextId?: string) =>
  entry({
    type: "context.created",
    node: "start",
    epoch: [],
    context: {
      contextId: id,
      contextType: "main",
      provider: "p",
      model: "m",
      messageHistory: history,
      sessionId: id,
      revision: 0,
      parentContextId,
    },
  });

describe("the conversation", () => {
  it("shows a question, and its answer once, as a message", () => {
    const items = new ConversationItems();
    const journal = [
      created("main"),
      entry({ type: "run.paused", node: "ask", epoch: [0], prompt: "Well?", schema: {} }),
      entry({ type: "input.provided", node: "ask", epoch: [0], answer: { value: "Yes" } }),
    ];
    items.read(journal);
    expect(items.items.map((item) => item.kind)).toEqual(["question", "answer"]);
    journal.push(
      entry({
        type: "context.changed",
        node: "ask",
        epoch: [0],
        contextId: "main",
        change: { kind: "messages", messages: [message("ask#0/0", "user", "Yes")] },
      }),
    );
    items.read(journal);
    expect(items.items.map((item) => item.kind)).toEqual(["question", "message"]);
    items.read(journal);
    expect(items.items).toHaveLength(2);
  });

  it.each(readVectors())("is after each entry what the entries up to it make: $name", ({ journal }) => {
    const whole = new ConversationItems();
    whole.read(journal);
    for (let count = 0; count <= journal.length; count++) {
      const known = new ConversationItems();
      known.read(journal.slice(0, count));
      expect(whole.after(count)).toEqual(known.items);
    }
  });

  it("keeps an answer that is in no context", () => {
    const items = new ConversationItems();
    items.read([
      entry({ type: "input.provided", node: "allow", epoch: [], answer: { value: true } }),
      entry({ type: "node.finished", node: "allow", epoch: [], outputs: {}, metadata: { durationMs: 1 } }),
    ]);
    expect(items.items.map((item) => item.kind)).toEqual(["answer"]);
  });

  it("omits outputs that are already messages or are context handles", () => {
    const items = new ConversationItems();
    items.read([
      created("main"),
      entry({
        type: "turn.committed",
        node: "chat",
        epoch: [],
        contextId: "main",
        messages: [message("c/0", "assistant", "Hi")],
      }),
      entry({
        type: "run.finished",
        outputs: { chat: { response: "Hi", context: { contextId: "main" } }, sum: { value: 3 } },
      }),
    ]);
    expect(items.items.map((item) => item.kind)).toEqual(["message", "output"]);
  });

  it("shows one context at a time, with the initial history of a copy", () => {
    const items = new ConversationItems();
    items.read([
      created("main", [message("s/0", "system", "Rules")]),
      created("other", [message("s/0", "system", "Rules")], "main"),
      entry({
        type: "turn.committed",
        node: "chat",
        epoch: [],
        contextId: "other",
        messages: [message("c/0", "assistant", "Hi")],
      }),
    ]);
    expect(itemsOf(items.items, "main").map((item) => item.key)).toEqual([expect.stringContaining("s/0")]);
    expect(itemsOf(items.items, "other").map((item) => item.key)).toEqual([
      expect.stringContaining("s/0"),
      expect.stringContaining("c/0"),
    ]);
  });

  it("shows failures, but not nodes stopped by them", () => {
    const items = new ConversationItems();
    const failed = (node: string, code: string, handled: boolean) =>
      entry({ type: "node.failed", node, epoch: [], error: { code, message: "" }, handled });
    items.read([
      failed("a", "provider.unreachable", false),
      failed("b", "node.stopped", false),
      failed("c", "x.y", true),
    ]);
    expect(items.items.map((item) => ("node" in item ? item.node : ""))).toEqual(["a"]);
  });

  it("removes an answer when a turn has it as its user message", () => {
    const items = new ConversationItems();
    items.read([
      entry({ type: "input.provided", node: "ask", epoch: [0], answer: { value: "Hello" } }),
      entry({
        type: "turn.committed",
        node: "chat",
        epoch: [0],
        contextId: "main",
        messages: [message("chat#0/0", "user", "Hello"), message("chat#0/1", "assistant", "Hi")],
      }),
    ]);
    expect(items.items.map((item) => item.kind)).toEqual(["message", "message"]);
  });
});
