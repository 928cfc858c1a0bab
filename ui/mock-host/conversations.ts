/**
 * The mock host's conversations, filled from replayed runs by the store's rules. A replay has no model, so replies do not
 * depend on the history; everything else works as in the desktop window.
 */
import type {
  ConversationFlow,
  ConversationId,
  ConversationMessage,
  ConversationRecord,
  Entry,
  ExportFormat,
  Message,
  RunId,
} from "@/bindings";
import { HostError } from "@/ipc/host";
import { textOf } from "@/run/fold/contexts";
import type { Commands } from "./commands";
import type { Files } from "./flows";
import { store, stored } from "./storage";
import { addSpending, NOTHING, spentBy } from "./usage";
import { currentUser } from "./users";

type StoredConversation = { record: ConversationRecord; messages: ConversationMessage[] };
type One = { conversation: ConversationId };

const KEPT = "conversations";

export type MockConversations = {
  commands: Commands;
  /** The conversation. Throws if it does not exist. */
  at(id: ConversationId): ConversationRecord;
  /** Adds the messages of a run that continues the conversation. */
  take(id: ConversationId, run: RunId, entries: readonly Entry[]): void;
};

export function mockConversations(
  env: { now(): number },
  files: Files,
  busy: (id: ConversationId) => boolean,
): MockConversations {
  const all = new Map(stored<StoredConversation[]>(KEPT, []).map((kept) => [kept.record.id, kept]));
  const keep = () => store(KEPT, [...all.values()]);
  const find = (id: ConversationId): StoredConversation => {
    const found = all.get(id);
    if (!found) throw new HostError({ code: "conversation.unknown", message: `There is no conversation \`${id}\`.` });
    return found;
  };
  const make = (flow: string, flowName: string, rest: Partial<ConversationRecord> = {}): StoredConversation => {
    const at = env.now();
    const record: ConversationRecord = {
      id: crypto.randomUUID(),
      flow,
      flowName,
      user: currentUser(),
      threadId: crypto.randomUUID(),
      title: "",
      createdAt: at,
      updatedAt: at,
      messages: 0,
      tokens: 0,
      spent: NOTHING,
      ...rest,
    };
    const kept = { record, messages: [] };
    all.set(record.id, kept);
    return kept;
  };
  const add = ({ record, messages }: StoredConversation, message: Omit<ConversationMessage, "id" | "conversation">) => {
    messages.push({ ...message, id: messages.length, conversation: record.id });
    record.messages = messages.length;
    record.tokens += message.tokens;
    record.updatedAt = env.now();
    if (record.title === "" && message.role === "user") record.title = titleFrom(textOf(message.content));
  };

  const commands = {
    "conversations.list": ({ flow, search, limit }: { flow?: ConversationFlow; search?: string; limit?: number }) => {
      const words = (search ?? "").toLowerCase().split(/\s+/).filter(Boolean);
      return [...all.values()]
        .filter(({ record }) => record.user === currentUser())
        .filter(({ record }) => flow === undefined || record.flow === keyOf(flow))
        .filter(({ record, messages }) => {
          const searchable = [record.title, ...messages.map((message) => textOf(message.content))]
            .join("\n")
            .toLowerCase();
          return words.every((word) => searchable.includes(word));
        })
        .map(({ record }) => record)
        .sort((a, b) => b.updatedAt - a.updatedAt)
        .slice(0, limit);
    },
    "conversations.get": ({ conversation }: One) => find(conversation).record,
    "conversations.open": ({ flow, new: anew }: { flow: ConversationFlow; new?: boolean }) => {
      const latest = [...all.values()]
        .filter(({ record }) => record.user === currentUser() && record.flow === keyOf(flow))
        .sort((a, b) => b.record.updatedAt - a.record.updatedAt)[0];
      const { record } = (!anew && latest) || make(keyOf(flow), flow.name);
      keep();
      return record;
    },
    "conversations.messages": ({ conversation, from = 0, limit = 200 }: One & { from?: number; limit?: number }) => {
      const { record, messages } = find(conversation);
      const next = from + limit < messages.length ? from + limit : undefined;
      return { conversation: record, messages: messages.slice(from, from + limit), next };
    },
    "conversations.rename": ({ conversation, title }: One & { title: string }) => {
      const { record } = find(conversation);
      if (!title.trim()) {
        throw new HostError({ code: "conversation.no_title", message: "A conversation needs a title." });
      }
      record.title = title.trim();
      record.updatedAt = env.now();
      keep();
      return record;
    },
    "conversations.fork": ({ conversation, message }: One & { message: number }) => {
      const origin = find(conversation);
      const last = origin.messages[message];
      if (!last) {
        throw new HostError({ code: "conversation.no_message", message: `It has no message ${message}.` });
      }
      const asked = last.role === "user" ? textOf(last.content) : undefined;
      const { flow, flowName, title } = origin.record;
      const fork = make(flow, flowName, { forkedFrom: { conversation, message }, title: title && `${title} (fork)` });
      for (const copied of origin.messages.slice(0, message + (asked === undefined ? 1 : 0))) add(fork, copied);
      keep();
      return { conversation: fork.record, asked };
    },
    "conversations.delete": ({ conversation }: One) => {
      find(conversation);
      if (busy(conversation)) {
        throw new HostError({
          code: "conversation.busy",
          message: "A run that has not ended goes on in this conversation.",
          hint: "Let it end, or cancel it, then delete the conversation.",
        });
      }
      all.delete(conversation);
      keep();
      return null;
    },
    "conversations.export": ({ conversation, format, path }: One & { format: ExportFormat; path?: string }) => {
      const { record, messages } = find(conversation);
      const text =
        format === "json"
          ? `${JSON.stringify({ conversation: record, messages }, null, 2)}\n`
          : [`# ${record.title || "A conversation"}\n`, ...messages.map(inMarkdown)].join("\n");
      if (path !== undefined) files.write(path, text);
      return { name: `conversation.${format === "json" ? "json" : "md"}`, text };
    },
  };
  return {
    commands: commands as unknown as Commands,
    at: (id) => find(id).record,
    take: (id, run, entries) => {
      const kept = all.get(id);
      if (!kept) return;
      for (const entry of entries) {
        const spent = spentBy(entry);
        if (spent) kept.record.spent = addSpending(kept.record.spent, spent);
      }
      for (const message of entries.flatMap((entry) => messagesOf(entry, run))) {
        const { role, content, reasoning, author, tokens } = message;
        add(kept, { run, role, content, reasoning, author, tokens, createdAt: env.now() });
      }
      keep();
    },
  };
}

/** The last message of a run's main context, while that is the user's and not answered. */
const openQuestions = new Map<RunId, Message>();

/** The user and assistant message of a turn. The user message may already be in the history, as in the store. */
function messagesOf(entry: Entry, run: RunId): Message[] {
  if (entry.type === "context.changed" && entry.contextId === "main" && entry.change.kind === "messages") {
    const last = entry.change.messages.at(-1);
    if (last?.role === "user") openQuestions.set(run, last);
    else openQuestions.delete(run);
  }
  if (entry.type !== "turn.committed" || entry.contextId !== "main") return [];
  const question = openQuestions.get(run);
  openQuestions.delete(run);
  return question && entry.messages[0]?.role !== "user" ? [question, ...entry.messages] : entry.messages;
}

function keyOf({ path, name }: ConversationFlow): string {
  return path ?? `name:${name}`;
}

function titleFrom(question: string): string {
  const line = question.trim().split("\n")[0]?.trim() ?? "";
  return line.length > 60 ? `${line.slice(0, 60).trimEnd()}…` : line;
}

function inMarkdown(message: ConversationMessage): string {
  return `## ${message.role === "user" ? "User" : "Assistant"}\n\n${textOf(message.content)}\n`;
}
