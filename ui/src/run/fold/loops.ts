/** What events of loops do: iterations begin and end, and one that failed takes back what it said in contexts. */
import type { Activation, ContextId, Entry } from "@/bindings";
import type { Draft } from "./draft";
import { sameEpoch } from "./epoch";
import type { ContextView, RunHead } from "./types";

/** The events of iterations, and of what their contexts have become. */
export type LoopEntry = Extract<Entry, { type: "iteration.started" | "iteration.finished" | "context.discarded" }>;

/** The event as one of a loop; undefined for any other. */
export function loopEntry(entry: Entry): LoopEntry | undefined {
  switch (entry.type) {
    case "iteration.started":
    case "iteration.finished":
    case "context.discarded":
      return entry;
    default:
      return undefined;
  }
}

/** Whether an event is about an iteration of a loop, and not about an activation of its node. */
export function isIterationEvent(entry: Entry): boolean {
  const loop = loopEntry(entry);
  return loop !== undefined && loop.type !== "context.discarded";
}

/** Counts the iterations of each loop. */
export function applyToLoops(loops: RunHead["loops"], entry: LoopEntry, draft: Draft): RunHead["loops"] {
  if (entry.type === "context.discarded") return loops;
  const known = loops[entry.node];
  const begun = entry.type === "iteration.started" ? 1 : 0;
  const next = draft.own(loops);
  next[entry.node] = { ...known, epoch: entry.epoch, iterations: (known?.iterations ?? 0) + begun };
  return next;
}

/** Removes the messages of iterations that failed. Says which contexts had some. */
export function discardIn(contexts: Map<ContextId, ContextView>, entry: LoopEntry, draft: Draft): ContextId[] {
  if (entry.type !== "context.discarded") return [];
  const isGone = (author: Activation) =>
    entry.activations.some(({ node, epoch }) => node === author.node && sameEpoch(epoch, author.epoch));
  const changed: ContextId[] = [];
  for (const [id, known] of contexts) {
    const { messageHistory } = known.record;
    if (!messageHistory.some((message) => isGone(message.author))) continue;
    const view = draft.own(known);
    const kept = draft.made(messageHistory.filter((message) => !isGone(message.author)));
    view.record = draft.own(view.record);
    view.record.messageHistory = kept;
    view.tokens = kept.reduce((tokens, message) => tokens + message.tokens, 0);
    view.changedAt = entry.at;
    contexts.set(id, view);
    changed.push(id);
  }
  return changed;
}
