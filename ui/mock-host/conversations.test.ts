import { beforeEach, expect, test } from "vitest";
import type { ConversationRecord, Entry, ForkedConversation, MessagesPage } from "@/bindings";
import { type MockConversations, mockConversations } from "./conversations";

const FLOW = { path: "/a.flow.json", name: "A" };

function begin(busy = false): MockConversations {
  let now = 0;
  const files = { list: () => [], read: () => undefined, write: () => undefined };
  return mockConversations({ now: () => ++now }, files, () => busy);
}

function ask<T>(host: MockConversations, name: string, args: object): T {
  const command = host.commands[`conversations.${name}`];
  if (!command) throw new Error(name);
  return command(args as never) as T;
}

function turn(question: string, answer: string): Entry {
  const message = (role: string, content: string) => ({
    id: role,
    role,
    content,
    tokens: 5,
    author: { node: "c", epoch: [] },
  });
  const messages = [message("user", question), message("assistant", answer)];
  return {
    type: "turn.committed",
    seq: 1,
    at: 1,
    node: "c",
    epoch: [],
    contextId: "main",
    messages,
  } as unknown as Entry;
}

beforeEach(() => localStorage.clear());

test("keeps the turns of the main context, and is there again after a reload", () => {
  const host = begin();
  const { id } = ask<ConversationRecord>(host, "open", { flow: FLOW });
  host.take(id, "run", [turn("Why?\nTell me.", "Because."), { ...turn("x", "y"), contextId: "side" } as Entry]);
  const again = begin();
  const page = ask<MessagesPage>(again, "messages", { conversation: id });
  expect(page.messages.map((message) => message.content)).toEqual(["Why?\nTell me.", "Because."]);
  expect(page.conversation).toMatchObject({ title: "Why?", messages: 2, tokens: 10 });
  expect(ask<ConversationRecord>(again, "open", { flow: FLOW }).id).toBe(id);
  expect(ask<ConversationRecord>(again, "open", { flow: FLOW, new: true }).id).not.toBe(id);
});

test("forks before a question and after an answer", () => {
  const host = begin();
  const { id } = ask<ConversationRecord>(host, "open", { flow: FLOW });
  host.take(id, "run", [turn("1", "2"), turn("3", "4")]);
  const at = (message: number) => ask<ForkedConversation>(host, "fork", { conversation: id, message });
  expect(at(1)).toMatchObject({ conversation: { messages: 2, title: "1 (fork)" } });
  expect(at(2)).toMatchObject({ asked: "3", conversation: { messages: 2 } });
  expect(() => at(4)).toThrow("no message 4");
});

test("cannot be deleted during a run", () => {
  const host = begin(true);
  const { id } = ask<ConversationRecord>(host, "open", { flow: FLOW });
  expect(() => ask(host, "delete", { conversation: id })).toThrow("has not ended");
  expect(() => ask(begin(), "delete", { conversation: "nobody" })).toThrow("no conversation");
  ask(begin(), "delete", { conversation: id });
  expect(ask<ConversationRecord[]>(begin(), "list", {})).toEqual([]);
});
