/** What a model was sent, made readable: shares of the window, the messages themselves, and what was left out. */
import type {
  Attachment,
  BlockCut,
  BlockKind,
  BlockSource,
  ContextId,
  Message,
  NodeId,
  OmissionReason,
  Origins,
  PromptPart,
  PromptRecord,
  Role,
} from "@/bindings";
import { formatJson } from "@/design/json/exact-json";
import type { EpochView, ModelCallView, NodeView } from "@/run/fold/types";
import type { EventLog } from "@/run/live/event-log";
import { TEXTS } from "@/run/texts";
import { attachmentsOf } from "@/run/values/attachments";
import { plainMessageText, textWithLabels } from "@/run/values/message-text";

export type Share = {
  part:
    | "system"
    | "history"
    | "retrieval"
    | "memory"
    | "tools"
    | "partner"
    | "question"
    | "attachments"
    | "reserve"
    | "free";
  title: string;
  tokens: number;
};

export type PartTokens = Record<
  "system" | "history" | "retrieval" | "memory" | "toolInstructions" | "partner" | "question" | "attachments" | "steps",
  number
>;

const PART_OF_BLOCK = {
  retrieval: "retrieval",
  tools: "toolInstructions",
  memory: "memory",
  partner: "partner",
} as const satisfies Record<BlockKind, keyof PartTokens>;

/** Tokens of a prompt by kind. A question that is already in the history counts there. */
export function partsOf(prompt: PromptRecord): PartTokens {
  const tokens: PartTokens = {
    system: 0,
    history: 0,
    retrieval: 0,
    memory: 0,
    toolInstructions: 0,
    partner: 0,
    question: 0,
    attachments: 0,
    steps: 0,
  };
  for (const part of prompt.parts) {
    if (part.kind === "block") tokens[PART_OF_BLOCK[part.block]] += part.tokens;
    else if (part.kind === "attachments") tokens.attachments += part.tokens;
    else if (part.kind === "history" || part.kind === "turns") tokens.history += part.tokens;
    else if (part.kind === "step") tokens.steps += part.tokens;
    else if (part.role === "system") tokens.system += part.tokens;
    else if (part.role === "user") tokens.question += part.tokens;
    else tokens.steps += part.tokens;
  }
  return tokens;
}

/** How the window is divided. The shares add up to the window, or to the prompt where that is larger. */
export function sharesOf(prompt: PromptRecord, lines: readonly Line[] = []): Share[] {
  const { system, retrieval, memory, toolInstructions, partner, attachments, steps, ...rest } = partsOf(prompt);
  let { history, question } = rest;
  if (question === 0 && partner === 0) {
    // The question may already be in the history, as its last message.
    question = questionIn(lines);
    history -= question;
  }
  const free = Math.max(0, prompt.window - prompt.reserve - prompt.tokens);
  return [
    { part: "system", title: TEXTS.system, tokens: system },
    { part: "history", title: TEXTS.history, tokens: history },
    ...(retrieval > 0 ? [{ part: "retrieval" as const, title: TEXTS.retrieval, tokens: retrieval }] : []),
    ...(memory > 0 ? [{ part: "memory" as const, title: TEXTS.memory, tokens: memory }] : []),
    { part: "tools", title: TEXTS.tools, tokens: prompt.toolTokens + toolInstructions + steps },
    ...(partner > 0 ? [{ part: "partner" as const, title: TEXTS.partner, tokens: partner }] : []),
    ...(question > 0 || partner === 0 ? [{ part: "question" as const, title: TEXTS.question, tokens: question }] : []),
    ...(attachments > 0 ? [{ part: "attachments" as const, title: TEXTS.attachments, tokens: attachments }] : []),
    { part: "reserve", title: TEXTS.reserve, tokens: prompt.reserve },
    { part: "free", title: TEXTS.free, tokens: free },
  ];
}

function questionIn(lines: readonly Line[]): number {
  const last = lines.findLast((line) => line.kind === "message" && line.inHistory);
  return last?.kind === "message" && last.role === "user" ? (last.tokens ?? 0) : 0;
}

export type Line =
  /** The tokens of a tool's result are counted with the reply that called it. */
  | {
      kind: "message";
      key: string;
      role: Role;
      text: string;
      tokens?: number;
      author?: NodeId;
      inHistory: boolean;
      /** Images and files that are sent with it. */
      attachments?: readonly Attachment[];
      /** Where it comes from. */
      origins?: Origins;
    }
  /** A block of the user message, with what its items are, where they come from, and what its cap left out. */
  | {
      kind: "block";
      key: string;
      block: BlockKind;
      text: string;
      tokens: number;
      sources: readonly BlockSource[];
      /** Images and files that are sent after it. */
      attachments?: readonly Attachment[];
      origins?: Origins;
      cut?: BlockCut;
    }
  /** Messages sent but that this window does not know. */
  | { kind: "unknown"; key: string; count: number; tokens: number }
  /** Messages of the history that were not sent. */
  | { kind: "left"; key: string; messages: Message[]; tokens: number }
  /** Turns of a loop's conversation that were not sent. */
  | { kind: "leftTurns"; key: string; count: number; reason: OmissionReason };

/** The messages of a prompt in order. History messages come from the context, tool steps from the activation. */
export function linesOf(prompt: PromptRecord, epoch: EpochView, log: EventLog, context: ContextId | undefined): Line[] {
  const lines: Line[] = [];
  const placeOfTurns = turnsAt(prompt);
  prompt.parts.forEach((part, index) => {
    if (index === placeOfTurns) lines.push(...turnsLeftOut(prompt));
    if (part.kind === "block") {
      const { block, text, tokens, sources = [], origins, cut } = part;
      const more = { ...(origins && { origins }), ...(cut && { cut }) };
      lines.push({ kind: "block", key: `${index}`, block, text, tokens, sources, ...more });
    } else if (part.kind === "message") {
      const { role, text, tokens, origins } = part;
      const line = { kind: "message", key: `${index}`, role, text, tokens, inHistory: false } as const;
      lines.push({ ...line, ...(origins && { origins }) });
    } else if (part.kind === "attachments") {
      const line = lines.at(-1);
      if (line?.kind === "message" || line?.kind === "block") line.attachments = part.attachments;
    } else if (part.kind === "turns") {
      lines.push(...linesOfTurns(part, `${index}`, log));
    } else if (part.kind === "step") {
      lines.push(...linesOfStep(epoch, part.step, part.tokens, part.rejection));
    } else {
      const messages = log.messagesBetween(context, part.first, part.last);
      const left = leftOut(prompt, log, context, part.first);
      if (left.length > 0) lines.push({ kind: "left", key: `${index}/left`, messages: left, tokens: sum(left) });
      if (messages.length !== part.count) {
        lines.push({ kind: "unknown", key: `${index}`, count: part.count, tokens: part.tokens });
      } else {
        for (const message of messages) lines.push(lineOf(message));
      }
    }
  });
  return lines;
}

/** Where the turns of a conversation stand in a prompt, or would stand: before the user message. */
function turnsAt({ parts }: PromptRecord): number {
  const turns = parts.findIndex((part) => part.kind === "turns");
  const isQuestion = (part: PromptPart) => part.kind === "block" || (part.kind === "message" && part.role === "user");
  return turns >= 0 ? turns : parts.findIndex(isQuestion);
}

/** The turns that were not sent. The message that the node itself sends is not missing. */
function turnsLeftOut({ conversation }: PromptRecord): Line[] {
  const left = (conversation?.leftOut ?? []).filter(({ reason }) => reason !== "ownMessage");
  return left.map(({ reason, first, count }) => ({ kind: "leftTurns", key: `left/${first}`, count, reason }));
}

/** The turns of a loop's conversation: as the text that they were sent as, or the summary and each of them. */
function linesOfTurns(part: Extract<PromptPart, { kind: "turns" }>, key: string, log: EventLog): Line[] {
  const { text, tokens, count, current = [], origins, namedMediaTypes = [] } = part;
  if (text !== undefined) {
    return [{ kind: "message", key, role: "user", text, tokens, inHistory: false, ...(origins && { origins }) }];
  }
  const before = log.loops.sentIn(part);
  const lines: Line[] = (before ?? []).map(({ id, role, content, tokens, node, origins }) => {
    const attachments = attachmentsOf(content).filter(({ mediaType }) => !namedMediaTypes.includes(mediaType));
    const line = { kind: "message", key: id, role, text: textWithLabels(content, namedMediaTypes), tokens } as const;
    const more = { ...(attachments.length > 0 && { attachments }), ...(origins && { origins }) };
    return { ...line, author: node, inHistory: true, ...more };
  });
  if (!before) lines.push({ kind: "unknown", key, count: count - current.length, tokens });
  for (const [at, { role, text, node, attachments }] of current.entries()) {
    const more = { author: node, inHistory: true, ...(attachments && { attachments }) };
    lines.push({ kind: "message", key: `${key}/${at}`, role, text, ...more });
  }
  return lines;
}

function lineOf(message: Message): Line {
  const { id, role, content, tokens, author, origins } = message;
  const attachments = attachmentsOf(content);
  const line = { kind: "message", key: id, role, text: plainMessageText(content), tokens } as const;
  const more = { ...(attachments.length > 0 && { attachments }), ...(origins && { origins }) };
  return { ...line, author: author.node, inHistory: true, ...more };
}

/** The reply of an earlier step of this activation, and the results of its tools. */
function linesOfStep(epoch: EpochView, step: number, tokens: number, rejection?: string): Line[] {
  const reply = epoch.calls.findLast((call) => call.step === step && !call.sampling && call.reply)?.reply;
  const tools = rejection === undefined ? epoch.tools.filter((tool) => tool.step === step) : [];
  if (!reply) return [{ kind: "unknown", key: `step/${step}`, count: tools.length + 1, tokens }];
  const toolCalls = tools.map((tool) => `→ ${tool.call.name} ${formatJson(tool.call.arguments)}`);
  const replyLine: Line = {
    kind: "message",
    key: `step/${step}`,
    role: "assistant",
    text: [reply.text, ...toolCalls].filter(Boolean).join("\n"),
    tokens,
    inHistory: false,
  };
  const results = tools.map(
    (tool, index): Line => ({
      kind: "message",
      key: `step/${step}/${index}`,
      role: "tool",
      text: tool.error ? tool.error.message : toText(tool.result),
      inHistory: false,
      ...(tool.origins && { origins: tool.origins }),
    }),
  );
  if (rejection === undefined) return [replyLine, ...results];
  const reason: Line = { kind: "message", key: `step/${step}/why`, role: "user", text: rejection, inHistory: false };
  return [replyLine, reason];
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (formatJson(value) ?? "");
}

/** The messages of the history that the prompt says were left out, before the first that was sent. */
function leftOut(prompt: PromptRecord, log: EventLog, context: ContextId | undefined, before: string): Message[] {
  const { omitted } = prompt;
  if (!omitted) return [];
  const messages = log.messagesBetween(context, omitted.first, omitted.last);
  return messages.filter((message) => message.id !== before);
}

function sum(messages: readonly Message[]): number {
  return messages.reduce((tokens, message) => tokens + message.tokens, 0);
}

/** Whether a call is for the node's own reply, and not for a summary of the workflow's memory or for a tool. */
export function isOwnCall(call: ModelCallView): boolean {
  return call.prompt?.purpose === undefined;
}

/** The node's own call before this one: in the same activation, or in its latest one before. */
export function previousCall(
  view: NodeView,
  epoch: EpochView,
  call: ModelCallView,
): { epoch: EpochView; call: ModelCallView } | undefined {
  const index = epoch.calls.indexOf(call);
  const earlier = epoch.calls.slice(0, index).findLast((one) => one.prompt && isOwnCall(one));
  if (earlier) return { epoch, call: earlier };
  const epochs = view.epochs.slice(0, view.epochs.indexOf(epoch));
  for (const before of epochs.toReversed()) {
    const last = before.calls.findLast((one) => one.prompt && isOwnCall(one));
    if (last) return { epoch: before, call: last };
  }
  return undefined;
}

/** Whether turns of a conversational loop are part of a prompt. */
export function hasLoopHistory(prompt: PromptRecord): boolean {
  return (prompt.conversation?.sent ?? 0) > 0;
}
