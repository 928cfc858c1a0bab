/** What a model was sent, made readable: shares of the window, the messages themselves, and what was left out. */
import type { ContextId, Message, NodeId, PromptRecord, Role } from "@/bindings";
import { textOf } from "../fold/contexts";
import type { ModelCallView, NodeView } from "../fold/types";
import type { FactLog } from "../live/log";

export type Share = { part: "system" | "history" | "tools" | "question" | "reserve" | "free"; title: string; tokens: number };

/** How the window is divided. The shares add up to the window, or to the prompt where that is larger. */
export function sharesOf(prompt: PromptRecord): Share[] {
  let [system, history, question, steps] = [0, 0, 0, 0];
  for (const part of prompt.parts) {
    if (part.kind === "history") history += part.tokens;
    else if (part.role === "system") system += part.tokens;
    else if (part.role === "user") question += part.tokens;
    else steps += part.tokens;
  }
  const free = Math.max(0, prompt.window - prompt.reserve - prompt.tokens);
  const shares: Share[] = [
    { part: "system", title: "System", tokens: system },
    { part: "history", title: "History", tokens: history },
    { part: "tools", title: "Tools", tokens: prompt.toolTokens + steps },
    { part: "question", title: "Question", tokens: question },
    { part: "free", title: "Free", tokens: free },
    { part: "reserve", title: "Reserve", tokens: prompt.reserve },
  ];
  return shares;
}

export type Line =
  | { kind: "message"; key: string; role: Role; text: string; tokens: number; author?: NodeId; inHistory: boolean }
  /** Messages that were sent but that this window does not know. */
  | { kind: "unknown"; key: string; count: number; tokens: number }
  /** Messages of the history that were not sent. */
  | { kind: "left"; key: string; messages: Message[]; tokens: number };

/** The messages of a prompt in order, those of the history looked up in the context. */
export function linesOf(prompt: PromptRecord, log: FactLog, context: ContextId | undefined): Line[] {
  const lines: Line[] = [];
  let first = true;
  prompt.parts.forEach((part, index) => {
    if (part.kind === "message") {
      const { role, text, tokens } = part;
      lines.push({ kind: "message", key: `${index}`, role, text, tokens, inHistory: false });
      return;
    }
    const messages = log.messagesBetween(context, part.first, part.last);
    if (first) {
      const left = olderThan(log, context, part.first);
      if (left.length > 0) lines.push({ kind: "left", key: `${index}/left`, messages: left, tokens: sum(left) });
    }
    first = false;
    if (messages.length !== part.count) {
      lines.push({ kind: "unknown", key: `${index}`, count: part.count, tokens: part.tokens });
      return;
    }
    for (const message of messages) {
      lines.push({
        kind: "message",
        key: message.id,
        role: message.role,
        text: textOf(message.content),
        tokens: message.tokens,
        author: message.author.node,
        inHistory: true,
      });
    }
  });
  return lines;
}

/** The messages of the context's history before the first that was sent. System messages are sent apart. */
function olderThan(log: FactLog, context: ContextId | undefined, first: string): Message[] {
  const archive = context === undefined ? undefined : log.contexts.get(context);
  const place = archive?.places.get(first);
  if (!archive || place === undefined) return [];
  const start = archive.marks.findLast((mark) => mark.start <= place && mark.length > place)?.start ?? 0;
  return archive.messages.slice(start, place).filter((message) => message.role !== "system");
}

function sum(messages: readonly Message[]): number {
  return messages.reduce((tokens, message) => tokens + message.tokens, 0);
}

/** In which round the window would be full if prompts went on growing as they did; nothing where they do not grow. */
export function fullInRound(view: NodeView, call: ModelCallView, round: number): number | undefined {
  const prompt = call.prompt;
  if (!prompt) return undefined;
  const before = view.epochs
    .filter((epoch) => (epoch.epoch.at(-1) ?? -1) === round - 1)
    .at(-1)
    ?.calls.findLast((one) => one.step === call.step)?.prompt;
  const growth = before ? prompt.tokens - before.tokens : 0;
  if (growth <= 0) return undefined;
  const left = Math.floor((prompt.window - prompt.reserve - prompt.tokens) / growth);
  return left < 0 || left > 500 ? undefined : round + left + 1;
}
