/** The events that the list shows. Grows with the journal: each event is tested once. */
import type { Amount, Entry } from "@/bindings";
import { formatIteration } from "@/run/fold/epoch";
import { loopEntry } from "@/run/fold/loops";
import { answerValue } from "@/run/values/answers";
import { formatCost, formatCount } from "@/run/values/format";
import { oneLine, previewOf, shorten } from "@/run/values/preview";

export class EventFilter {
  /** The places, in the journal, of the events that are shown. */
  readonly places: number[] = [];
  #read = 0;

  constructor(
    readonly family: string,
    readonly words: string,
    readonly nameOf: (node: string) => string,
  ) {}

  get all(): boolean {
    return this.family === "" && this.words.trim() === "";
  }

  read(entries: readonly Entry[]): void {
    for (; this.#read < entries.length; this.#read++) {
      const entry = entries[this.#read];
      if (entry && this.#takes(entry)) this.places.push(this.#read);
    }
  }

  /** The row of the last shown event among the first `count` of the journal; -1 if none of them is shown. */
  lastBefore(count: number): number {
    return this.places.findLastIndex((place) => place < count);
  }

  #takes(entry: Entry): boolean {
    if (this.family !== "" && familyOf(entry) !== this.family) return false;
    const words = this.words.trim().toLowerCase();
    if (words === "") return true;
    const node = "node" in entry ? `${entry.node} ${this.nameOf(entry.node)}` : "";
    return words.split(/\s+/).every((word) => `${entry.type} ${node}`.toLowerCase().includes(word));
  }
}

export const FAMILIES = [
  "run",
  "node",
  "context",
  "turn",
  "prompt",
  "model",
  "quota",
  "knowledge",
  "memory",
  "tool",
  "child",
  "loop",
  "input",
  "debug",
] as const;

/** The word before the dot. What iterations and histories of loops do belongs to loops, changed values to the debugger. */
export function familyOf(entry: Entry): string {
  const word = entry.type.slice(0, entry.type.indexOf("."));
  if (word === "iteration" || word === "history") return "loop";
  return word === "value" || word === "trial" ? "debug" : word;
}

/** Whether the event is about a failure. */
export function isBad(entry: Entry): boolean {
  return (
    entry.type === "node.failed" ||
    entry.type === "run.failed" ||
    (entry.type === "node.retrying" && !entry.dropped) ||
    entry.type === "turn.discarded" ||
    (entry.type === "tool.finished" && entry.error !== undefined)
  );
}

const LIMIT = 160;

/** A one-line summary of an event's payload. */
export function gistOf(entry: Entry): string {
  const loop = loopEntry(entry);
  if (loop) return loop.type === "context.discarded" ? "" : `iteration ${formatIteration(loop.epoch)}`;
  switch (entry.type) {
    case "run.started":
      return `${entry.flow.name}${entry.to === undefined ? "" : `, to ${entry.to}`}`;
    case "node.ready":
      return Object.keys(entry.inputs ?? {}).join(", ");
    case "node.started":
      return entry.attempt > 1 ? `attempt ${entry.attempt}` : "";
    case "node.finished":
      return previewOf(entry.outputs, LIMIT);
    case "node.skipped":
      return entry.reason;
    case "node.noticed":
      return line(`${entry.notice.code} ${entry.notice.message}`);
    case "node.failed":
    case "run.failed":
      return line(`${entry.error.code} ${entry.error.message}`);
    case "node.retrying":
      return line(entry.dropped ? entry.error.message : `in ${entry.delayMs} ms: ${entry.error.message}`);
    case "context.created":
      return `${entry.context.contextId}, ${entry.context.provider} ${entry.context.model}`;
    case "context.changed":
      return `${entry.contextId}: ${entry.change.kind}`;
    case "turn.started":
      return entry.contextId;
    case "turn.committed":
      return `${entry.contextId}: ${entry.messages.length} ${entry.messages.length === 1 ? "message" : "messages"}`;
    case "turn.discarded":
      return `${entry.contextId}${entry.partial === "" ? "" : `: ${previewOf(entry.partial, 80)}`}`;
    case "prompt.rendered":
      return `${entry.prompt.model}, ${entry.prompt.tokens} of ${entry.prompt.window} tokens`;
    case "model.replied":
      return entry.reply.toolCalls?.length
        ? `calls ${entry.reply.toolCalls.map((call) => call.name).join(", ")}`
        : previewOf(entry.reply.text, LIMIT);
    case "model.failed":
      return `${entry.model}: ${entry.code}`;
    case "quota.reserved":
      return `up to ${describeAmount(entry.amount)}`;
    case "quota.reconciled":
      return `${describeAmount(entry.amount)}${entry.estimated ? ", estimated" : ""}`;
    case "knowledge.retrieved": {
      const { used, leftOut = [], query } = entry.retrieval;
      const passages = `${used.length} ${used.length === 1 ? "passage" : "passages"}, ${leftOut.length} left out`;
      return line(`${passages}: ${query}`);
    }
    case "memory.recalled": {
      const { memories, query } = entry.recall;
      return line(`${memories.length} ${memories.length === 1 ? "memory" : "memories"}: ${query}`);
    }
    case "memory.remembered":
      return entry.memories.map((memory) => previewOf(memory.text, 80)).join(", ");
    case "memory.appended":
      return entry.change.turns.map((turn) => previewOf(turn.text, 80)).join(", ");
    case "tool.called":
      return `${entry.call.name} ${previewOf(entry.call.arguments, 100)}`;
    case "tool.finished":
      return entry.error ? line(entry.error.message) : previewOf(entry.result, LIMIT);
    case "child.started":
    case "child.asked":
    case "child.resumed":
      return `run ${entry.run}`;
    case "child.waiting":
      return entry.questions.map((question) => previewOf(question.prompt, 80)).join(", ");
    case "run.cancelling":
      return "stopping";
    case "loop.iteration":
      return `iteration ${formatIteration(entry.epoch)}`;
    case "loop.exhausted":
      return `stopped after ${entry.maxEpochs} iterations${entry.unattended ? " in which nobody was asked" : ""}`;
    case "run.paused":
      return previewOf(entry.prompt, LIMIT);
    case "input.provided":
      return entry.answer === "end" ? "ended" : previewOf(answerValue(entry.answer), LIMIT);
    case "debug.breakpoints":
      return entry.breakpoints.map(({ node, side }) => `${side} ${node}`).join(", ");
    case "debug.stopped":
      return entry.point ? `${entry.point.side} ${entry.point.node}` : entry.cause.kind;
    case "debug.continued":
      return entry.verb;
    case "value.overridden":
      return line(`${entry.port}: ${previewOf(entry.was, 60)} → ${previewOf(entry.value, 60)}`);
    case "trial.made":
      return previewOf(entry.config, LIMIT);
    case "value.rerouted":
      return line(`${entry.from} → ${entry.to}: ${previewOf(entry.values[entry.to], 100)}`);
    case "debug.logged":
      return previewOf(entry.text, LIMIT);
    case "run.waiting":
      return entry.on.map((one) => one.node).join(", ") + (entry.more ? ` and ${entry.more} more` : "");
    case "run.finished":
    case "run.cancelled":
      return previewOf(entry.outputs, LIMIT);
    default:
      return "";
  }
}

function describeAmount({ tokens, nanoUsd }: Amount): string {
  return `${formatCount(tokens)} tokens${nanoUsd > 0 ? `, ${formatCost({ nanoUsd })}` : ""}`;
}

function line(text: string): string {
  return shorten(oneLine(text), LIMIT);
}
