/** What events do to contexts. The same rules as the engine's context manager and `run::view`. */
import type { ContextChange, ContextId, EditedMessage, Entry, Message } from "@/bindings";
import type { Draft } from "./draft";
import { plainMessageText } from "./message-text";
import { addCorrections, addCost, addTokens, costOfCall, NO_COST, NO_TOKENS } from "./spending";
import type { ContextView } from "./types";

function tokensOf(messages: readonly Message[]): number {
  let tokens = 0;
  for (const message of messages) tokens += message.tokens;
  return tokens;
}

/** A history as a person edited it. */
export function withEdits(messages: readonly Message[], edits: readonly EditedMessage[]): Message[] {
  const byId = new Map(edits.map(({ message, by }) => [message, by]));
  return messages.flatMap((message) => {
    if (!byId.has(message.id)) return [message];
    const by = byId.get(message.id);
    return by ? [by] : [];
  });
}

/** Applies one event; says which context it changed. */
export function applyToContexts(
  contexts: Map<ContextId, ContextView>,
  entry: Entry,
  draft: Draft,
): ContextId | undefined {
  switch (entry.type) {
    case "context.created": {
      const id = entry.context.contextId;
      contexts.set(
        id,
        draft.made({
          record: entry.context,
          tokens: tokensOf(entry.context.messageHistory),
          usage: NO_TOKENS,
          cost: NO_COST,
          createdBy: { node: entry.node, epoch: entry.epoch },
          changedAt: entry.at,
        }),
      );
      return id;
    }
    case "context.changed":
      return change(contexts, entry.contextId, draft, (view) => applyChange(view, entry.change, entry.at, draft));
    case "turn.started":
      return change(contexts, entry.contextId, draft, (view) => {
        view.turn = { node: entry.node, epoch: entry.epoch };
      });
    case "turn.committed":
      return change(contexts, entry.contextId, draft, (view) => {
        view.turn = undefined;
        applyChange(view, { kind: "turn", messages: entry.messages, learned: entry.learned }, entry.at, draft);
      });
    case "turn.discarded":
      return change(contexts, entry.contextId, draft, (view) => {
        view.turn = undefined;
      });
    case "model.replied": {
      const { account, reply } = entry;
      if (!account || entry.reused) return undefined;
      return change(contexts, account.contextId, draft, (view) => {
        if (reply.usage) view.usage = addTokens(view.usage, reply.usage);
        view.cost = addCost(view.cost, costOfCall(account.costNanoUsd));
      });
    }
    case "model.failed":
      return change(contexts, entry.contextId, draft, (view) => {
        view.cost = addCost(view.cost, costOfCall(undefined));
      });
    default:
      return undefined;
  }
}

function change(
  contexts: Map<ContextId, ContextView>,
  id: ContextId,
  draft: Draft,
  apply: (view: ContextView) => void,
): ContextId | undefined {
  const known = contexts.get(id);
  if (!known) return undefined;
  const view = draft.own(known);
  contexts.set(id, view);
  apply(view);
  return id;
}

function applyChange(view: ContextView, change: ContextChange, at: number, draft: Draft): void {
  view.record = draft.own(view.record);
  const record = view.record;
  switch (change.kind) {
    case "messages":
    case "recalled":
    case "turn": {
      // Nothing is there to recall any more once the conversation was deleted.
      const messages = change.messages ?? [];
      const last = messages.at(-1);
      if (last) {
        const text = plainMessageText(last.content);
        record.currentOutput = text || undefined;
      }
      record.messageHistory = draft.own(record.messageHistory);
      for (const message of messages) record.messageHistory.push(message);
      view.tokens += tokensOf(messages);
      if (change.kind === "turn" && change.learned) {
        const { model, ...learned } = change.learned;
        const known = record.corrections?.[model];
        record.corrections = { ...record.corrections, [model]: addCorrections(known, learned) };
      }
      break;
    }
    case "systemInstructions":
      record.systemInstructions = change.text || undefined;
      break;
    case "providerModel":
      record.provider = change.provider;
      record.model = change.model;
      break;
    case "edited": {
      const messages = withEdits(record.messageHistory, change.edits);
      const last = messages.at(-1);
      record.currentOutput = (last && plainMessageText(last.content)) || undefined;
      record.messageHistory = draft.made(messages);
      view.tokens = tokensOf(messages);
      break;
    }
    case "reset":
      record.messageHistory = draft.made([]);
      view.tokens = 0;
      break;
  }
  record.revision += 1;
  view.changedAt = at;
}
