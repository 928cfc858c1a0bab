import { describe, expect, it } from "vitest";
import type { Entry, PromptPart } from "@/bindings";
import { LoopConversations } from "./loop-conversations";

let seq = 0;

function of(type: string, node: string, epoch: number[], more: object = {}): Entry {
  seq += 1;
  return { seq, at: 0, type, node, epoch, ...more } as unknown as Entry;
}

function turn(id: string, role: "user" | "assistant") {
  return { id, role, content: id, author: { node: "n", epoch: [0] }, tokens: 1 };
}

function said(conversations: LoopConversations, epoch: number[] = []) {
  return conversations.of("l", epoch)?.turns.map(({ message, pinned }) => `${message.id}${pinned ? "!" : ""}`);
}

it("has the turns of each loop in order, with their pins", () => {
  const conversations = new LoopConversations();
  conversations.append(of("history.appended", "l", [], { turns: [turn("a", "user")] }));
  conversations.append(
    of("history.appended", "l", [], { turns: [turn("b", "assistant"), turn("c", "user")], pinned: ["c"] }),
  );
  conversations.append(of("history.appended", "l", [1], { turns: [turn("z", "user")] }));
  expect(said(conversations)).toEqual(["a", "b", "c!"]);
  conversations.append(of("history.pinned", "l", [], { turn: "a", pinned: true }));
  conversations.append(of("history.pinned", "l", [], { turn: "c", pinned: false }));
  conversations.append(of("history.pinned", "l", [], { turn: "nobody", pinned: true }));
  expect(said(conversations)).toEqual(["a!", "b", "c"]);
  expect(said(conversations, [1])).toEqual(["z"]);
});

it("closes a conversation when its loop ends", () => {
  const conversations = new LoopConversations();
  conversations.append(of("history.appended", "l", [0], { turns: [turn("a", "user")] }));
  conversations.append(of("node.finished", "l", [0, 1], { outputs: {} }));
  expect(conversations.latest("l")?.isOpen).toBe(true);
  conversations.append(of("node.finished", "l", [0], { outputs: {} }));
  expect(conversations.latest("l")?.isOpen).toBe(false);
  expect(conversations.latest("l", [1])).toBeUndefined();
});

const turnOf = (id: string, role: "user" | "assistant") => ({
  id,
  role,
  content: `text of ${id}`,
  author: { node: role === "user" ? "ask" : "guide", epoch: [0] },
  tokens: 3,
});
const entry = (type: string, fields: object) => ({ seq: 0, at: 0, type, node: "talk", epoch: [], ...fields }) as Entry;
const part = (fields: object) =>
  ({ kind: "turns", node: "talk", epoch: [], first: 0, count: 0, tokens: 0, ...fields }) as Extract<
    PromptPart,
    { kind: "turns" }
  >;

function conversationsOfTalk(): LoopConversations {
  const loops = new LoopConversations();
  loops.append(entry("history.appended", { turns: [turnOf("a", "user"), turnOf("b", "assistant")] }));
  loops.append(
    entry("history.appended", { turns: [turnOf("c", "user"), turnOf("d", "assistant"), turnOf("e", "user")] }),
  );
  loops.append(entry("history.appended", { epoch: [1], turns: [turnOf("x", "user")] }));
  const outputs = { continue: true, summary: { attempt: "written", text: "They met.", tokens: 4, covered: 2 } };
  loops.append(entry("node.finished", { epoch: [2], outputs, metadata: { durationMs: 0 } }));
  return loops;
}

const ids = (fields: object) =>
  conversationsOfTalk()
    .sentIn(part(fields))
    ?.map(({ id }) => id);

describe("what a prompt had of them", () => {
  it("have the newest turns of a prompt, without the own message", () => {
    expect(ids({ first: 1, count: 3 })).toEqual(["b", "c", "d"]);
    expect(ids({ first: 1, own: 2, count: 3 })).toEqual(["b", "d", "e"]);
    expect(ids({ epoch: [1], count: 1 })).toEqual(["x"]);
    expect(ids({ first: 4, count: 2, current: [{ role: "user", text: "now", node: "ask" }] })).toEqual(["e"]);
  });

  it("have the summary and the pinned turns before them", () => {
    const turns = conversationsOfTalk().sentIn(part({ summary: [2], pinned: [1], first: 3, count: 4 }));
    expect(turns?.map(({ content }) => content)).toEqual(["They met.", "text of b", "text of d", "text of e"]);
    expect(turns?.[0]).toMatchObject({ role: "assistant", node: "talk", tokens: 4 });
  });

  it("have nothing where a turn or the summary is not known", () => {
    expect(ids({ first: 3, count: 3 })).toBeUndefined();
    expect(ids({ summary: [3], count: 1 })).toBeUndefined();
    expect(ids({ count: 0 })).toEqual([]);
  });
});
