/** Applies one event to its activation. The same rules as the engine's `run::view::activation`. */
import type { ContextId, Entry, Epoch, Fault, MessageId, PortName, SamplingRef } from "@/bindings";
import type { Draft } from "./draft";
import { addCost, addTokens, costOfCall, NO_COST, NO_TOKENS } from "./spending";
import type { EpochView, ModelCallView, NodeState, ToolCallView, TurnState, TurnView } from "./types";

export function newEpochView(epoch: Epoch): EpochView {
  return {
    epoch,
    state: "ready",
    inputs: {},
    outputs: {},
    messages: {},
    attempts: [],
    pauses: [],
    calls: [],
    tools: [],
    contexts: [],
    handled: false,
    usage: NO_TOKENS,
    cost: NO_COST,
    streamed: "",
    reasoning: "",
  };
}

export function beginIteration(view: EpochView, at: number): void {
  view.iteratingSince ??= at;
}

/** A person chose another way. Of several choices, the first names what the node chose. */
export function forceWay(view: EpochView, from: PortName, to: PortName): void {
  const first = view.forced?.from ?? from;
  view.forced = first === to ? undefined : { from: first, to };
}

/** Whether the start of this attempt is that of one which a pause or a crash had interrupted. */
export function goesOnWith(view: EpochView, attempt: number): boolean {
  const last = view.attempts.at(-1);
  return last?.attempt === attempt && !last.error;
}

/** Changes `view`, which this batch owns. */
export function applyToActivation(view: EpochView, entry: Entry, draft: Draft): void {
  const at = entry.at;
  switch (entry.type) {
    case "node.ready":
      view.state = "ready";
      view.inputs = (entry.inputs ?? {}) as EpochView["inputs"];
      view.readyAt = at;
      break;
    case "node.started":
      start(view, entry.attempt, at, draft);
      break;
    case "node.delta":
      if (entry.text) view.streamed += entry.text;
      if (entry.reasoning) view.reasoning += entry.reasoning;
      break;
    case "node.progressed":
      view.progress = entry.progress;
      break;
    case "node.noticed":
      view.notices = draft.own(view.notices ?? []);
      view.notices.push(entry.notice);
      break;
    case "node.finished":
      end(view, entry.metadata.cached ? "cached" : "done", at, draft);
      view.outputs = entry.outputs as EpochView["outputs"];
      view.messages = (entry.messages ?? {}) as EpochView["messages"];
      if (entry.metadata.origins) view.origins = entry.metadata.origins;
      // What the node says of itself goes before what was added up; what came from a cache cost nothing.
      if (entry.metadata.cached) {
        view.usage = view.dropped?.usage ?? NO_TOKENS;
        view.cost = view.dropped?.cost ?? NO_COST;
      } else if (entry.metadata.tokenUsage) {
        view.usage = view.dropped
          ? addTokens(view.dropped.usage, entry.metadata.tokenUsage)
          : entry.metadata.tokenUsage;
      }
      view.metadata = entry.metadata;
      // The end of a loop is derived, so nobody has measured it.
      if (view.iteratingSince !== undefined) {
        view.metadata = { ...entry.metadata, durationMs: Math.max(0, at - view.iteratingSince) };
      }
      break;
    case "node.skipped":
      end(view, "skipped", at, draft);
      view.skipped = entry.reason;
      if (entry.failed) view.skippedAfter = entry.failed;
      break;
    case "node.failed":
      if (entry.origins) view.origins = entry.origins;
      fail(view, entry.error, entry.handled, at, draft);
      break;
    case "node.retrying": {
      view.state = "retrying";
      if (view.progress) view.progress = undefined;
      view.error = entry.error;
      const last = view.attempts.at(-1);
      if (last?.attempt === entry.attempt) {
        const { error, delayMs, dropped } = entry;
        setLast(view, draft, { ...last, endedAt: at, error, delayMs, ...(dropped && { dropped }) });
      }
      if (entry.dropped) {
        // What it has used so far adds to what the next attempt uses.
        view.dropped = { usage: view.usage, cost: view.cost };
        if (view.forced) view.forced = undefined;
      }
      break;
    }
    case "context.created":
      touch(view, entry.context.contextId, draft);
      break;
    case "context.changed":
      touch(view, entry.contextId, draft);
      break;
    case "turn.started":
      turn(view, entry.contextId, "started", [], undefined, draft);
      break;
    case "turn.committed": {
      const ids = entry.messages.map((message) => message.id);
      turn(view, entry.contextId, "committed", ids, undefined, draft);
      break;
    }
    case "turn.discarded":
      turn(view, entry.contextId, "discarded", [], entry.partial, draft);
      break;
    default:
      applyStep(view, entry, draft);
  }
}

/** The steps within an activation: model calls, tool calls, questions to people. */
function applyStep(view: EpochView, entry: Entry, draft: Draft): void {
  const at = entry.at;
  switch (entry.type) {
    case "prompt.rendered":
      // Each call starts a new stream; an earlier stream is in its reply.
      view.streamed = "";
      view.reasoning = "";
      view.calls = draft.own(view.calls);
      view.calls.push({
        step: entry.step,
        ...(entry.sampling && { sampling: entry.sampling }),
        startedAt: at,
        prompt: entry.prompt,
      });
      break;
    case "model.replied": {
      view.calls = draft.own(view.calls);
      const { step, sampling } = entry;
      let index = view.calls.findLastIndex(
        (call) => call.step === step && !call.reply && isSameSampling(call.sampling, sampling),
      );
      if (index < 0) index = view.calls.push({ step, ...(sampling && { sampling }), startedAt: at }) - 1;
      const replied: ModelCallView = { ...(view.calls[index] as ModelCallView), endedAt: at, reply: entry.reply };
      if (entry.account) replied.account = entry.account;
      if (entry.origins) replied.origins = entry.origins;
      if (entry.reused) replied.reused = entry.reused;
      view.calls[index] = replied;
      if (entry.reused) break;
      if (entry.reply.usage) view.usage = addTokens(view.usage, entry.reply.usage);
      view.cost = addCost(view.cost, costOfCall(entry.account?.costNanoUsd));
      break;
    }
    case "model.failed":
      view.cost = addCost(view.cost, costOfCall(undefined));
      break;
    case "knowledge.retrieved":
      view.retrieval = entry.retrieval;
      break;
    case "tool.called": {
      const called: ToolCallView = { step: entry.step, call: entry.call, startedAt: at };
      // A call that was interrupted is made again.
      const interrupted = openToolCall(view, entry.step, entry.call.id);
      view.tools = draft.own(view.tools);
      if (interrupted < 0) view.tools.push(called);
      else view.tools[interrupted] = called;
      break;
    }
    case "tool.progressed": {
      const index = openToolCall(view, entry.step, entry.callId);
      const open = view.tools[index];
      if (!open) break;
      view.tools = draft.own(view.tools);
      view.tools[index] = { ...open, progress: entry.progress };
      break;
    }
    case "tool.finished": {
      const index = openToolCall(view, entry.step, entry.callId);
      const open = view.tools[index];
      if (!open) break;
      const { progress: _, ...called } = open;
      const finished: ToolCallView = { ...called, endedAt: at };
      if (entry.result !== undefined && entry.result !== null) finished.result = entry.result;
      if (entry.error) finished.error = entry.error;
      if (entry.origins) finished.origins = entry.origins;
      if (entry.reused) finished.reused = entry.reused;
      view.tools = draft.own(view.tools);
      view.tools[index] = finished;
      break;
    }
    case "child.started":
      if (view.children?.at(-1) !== entry.run) view.children = [...(view.children ?? []), entry.run];
      break;
    case "child.waiting":
      view.state = "paused";
      break;
    case "child.resumed":
      view.state = "running";
      break;
    case "run.paused":
      view.state = "paused";
      view.pauses = draft.own(view.pauses);
      view.pauses.push({
        prompt: entry.prompt,
        schema: entry.schema,
        ...(entry.tool && { tool: entry.tool }),
        askedAt: at,
      });
      break;
    case "input.provided": {
      view.state = "running";
      const last = view.pauses.at(-1);
      if (!last) break;
      view.pauses = draft.own(view.pauses);
      view.pauses[view.pauses.length - 1] = { ...last, answeredAt: at, answer: entry.answer };
      break;
    }
  }
}

function start(view: EpochView, attempt: number, at: number, draft: Draft): void {
  view.state = "running";
  view.startedAt ??= at;
  if (!goesOnWith(view, attempt)) {
    view.attempts = draft.own(view.attempts);
    view.attempts.push({ attempt, startedAt: at });
  }
  if (view.error) view.error = undefined;
  if (view.progress) view.progress = undefined;
  view.streamed = "";
  view.reasoning = "";
}

function end(view: EpochView, state: NodeState, at: number, draft: Draft): void {
  view.state = state;
  view.endedAt = at;
  if (view.error) view.error = undefined;
  if (view.progress) view.progress = undefined;
  const last = view.attempts.at(-1);
  if (last && last.endedAt === undefined) setLast(view, draft, { ...last, endedAt: at });
}

function fail(view: EpochView, error: Fault, handled: boolean, at: number, draft: Draft): void {
  end(view, "failed", at, draft);
  const last = view.attempts.at(-1);
  if (last) setLast(view, draft, { ...last, error });
  view.error = error;
  view.handled = handled;
}

function setLast(view: EpochView, draft: Draft, attempt: EpochView["attempts"][number]): void {
  view.attempts = draft.own(view.attempts);
  view.attempts[view.attempts.length - 1] = attempt;
}

function turn(
  view: EpochView,
  contextId: ContextId,
  state: TurnState,
  messages: MessageId[],
  partial: string | undefined,
  draft: Draft,
): void {
  touch(view, contextId, draft);
  const next: TurnView = { contextId, state, messages };
  if (partial !== undefined) next.partial = partial;
  view.turn = next;
}

function touch(view: EpochView, id: ContextId, draft: Draft): void {
  if (view.contexts.includes(id)) return;
  view.contexts = draft.own(view.contexts);
  view.contexts.push(id);
}

function isSameSampling(left: SamplingRef | undefined, right: SamplingRef | undefined): boolean {
  return left?.callId === right?.callId && left?.index === right?.index;
}

/** The place of the call that has not ended yet, or -1. */
function openToolCall(view: EpochView, step: number, id: string): number {
  return view.tools.findLastIndex((tool) => tool.step === step && tool.call.id === id && tool.endedAt === undefined);
}
