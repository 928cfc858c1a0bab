/**
 * The fold of a run's events, batch by batch. Untouched parts keep their identity, so that watchers are notified only about
 * what changed. The same rules as the engine's `run::view`; shared test vectors check both.
 */
import type { ContextId, Entry, Epoch, NodeId, RunStatus } from "@/bindings";
import { applyToActivation, beginIteration, forceWay, goesOnWith, newEpochView } from "./activation";
import { applyToContexts } from "./contexts";
import { Draft } from "./draft";
import { compareEpochs, indexOfEpoch, sameEpoch } from "./epoch";
import { applyToLoops, discardIn, isIterationEvent, loopEntry } from "./loops";
import { applyToMemory, memoryOfConversation } from "./memory";
import { applyToQuotas } from "./quotas";
import { addCost, addTokens, NO_COST, NO_TOKENS } from "./spending";
import { applyToStops, wholeStop } from "./stops";
import type { ContextView, EpochView, NodeView, RunHead, RunView } from "./types";

/** What a batch changed. */
export type Changed = {
  nodes: Set<NodeId>;
  contexts: Set<ContextId>;
  /** Entries of the journal that were new, in order. */
  entries: Entry[];
  deltas: number;
};

type EndEntry = Extract<Entry, { type: "run.finished" | "run.failed" | "run.cancelled" }>;

export function emptyHead(): RunHead {
  return {
    set: {},
    status: "running",
    cancelling: false,
    waitingOn: [],
    pauses: [],
    loops: {},
    outputs: {},
    totals: { tokens: NO_TOKENS, cost: NO_COST, modelCalls: 0, reusedCalls: 0, toolCalls: 0, retries: 0, waitedMs: 0 },
    counts: { ready: 0, running: 0, paused: 0, retrying: 0, done: 0, skipped: 0, failed: 0, cached: 0 },
    nextSeq: 0,
  };
}

export class RunFold {
  head: RunHead = emptyHead();
  readonly nodes = new Map<NodeId, NodeView>();
  readonly contexts = new Map<ContextId, ContextView>();

  /** A fold that goes on from here alone. Both share their views, which no batch changes in place. */
  copy(): RunFold {
    const copy = new RunFold();
    copy.head = this.head;
    for (const [id, view] of this.nodes) copy.nodes.set(id, view);
    for (const [id, view] of this.contexts) copy.contexts.set(id, view);
    return copy;
  }

  /** Takes in a batch. Entries of the journal that were seen before are ignored; deltas are always taken. */
  apply(batch: readonly Entry[]): Changed {
    const changed: Changed = { nodes: new Set(), contexts: new Set(), entries: [], deltas: 0 };
    const draft = new Draft();
    for (const entry of batch) {
      if (entry.seq !== undefined) {
        if (entry.seq < this.head.nextSeq) continue;
        changed.entries.push(entry);
        this.#head(draft).nextSeq = entry.seq + 1;
        if (entry.interruptedMs) this.#addInterruption(entry.interruptedMs, draft);
        this.#applyToRun(entry, draft);
        const context = applyToContexts(this.contexts, entry, draft);
        if (context !== undefined) changed.contexts.add(context);
        const loop = loopEntry(entry);
        if (loop) {
          const head = this.#head(draft);
          head.loops = applyToLoops(head.loops, loop, draft);
          for (const id of discardIn(this.contexts, loop, draft)) changed.contexts.add(id);
          if (loop.type === "iteration.started") {
            this.#changeActivation(loop.node, loop.epoch.slice(0, -1), draft, (view) => beginIteration(view, loop.at));
            changed.nodes.add(loop.node);
          }
        }
      } else {
        changed.deltas += 1;
      }
      if (entry.type === "value.rerouted") {
        const { point, from, to } = entry;
        this.#changeActivation(point.node, point.epoch, draft, (view) => forceWay(view, from, to));
        changed.nodes.add(point.node);
      }
      if (isActivationEvent(entry)) {
        const trial = this.head.trials?.[entry.node]?.config;
        this.#changeActivation(entry.node, entry.epoch, draft, (view) => {
          if (entry.type === "node.started" && !goesOnWith(view, entry.attempt)) {
            if (trial || view.trial) view.trial = trial;
          }
          applyToActivation(view, entry, draft);
        });
        changed.nodes.add(entry.node);
      }
    }
    return changed;
  }

  /**
   * Clears the streams of unfinished activations: a new watch receives them again from the start. Returns their nodes.
   */
  clearStreams(): NodeId[] {
    const draft = new Draft();
    const forgotten: NodeId[] = [];
    for (const [id, known] of this.nodes) {
      const open = known.epochs.findIndex(
        (epoch) => epoch.endedAt === undefined && (epoch.streamed || epoch.reasoning),
      );
      if (open < 0) continue;
      const node = draft.own(known);
      node.epochs = node.epochs.map((epoch) =>
        epoch.endedAt === undefined ? { ...epoch, streamed: "", reasoning: "" } : epoch,
      );
      this.nodes.set(id, node);
      forgotten.push(id);
    }
    return forgotten;
  }

  /** The whole view as one plain object, as the vectors have it. */
  toView(): RunView {
    return {
      ...this.head,
      nodes: Object.fromEntries(this.nodes),
      contexts: Object.fromEntries(this.contexts),
    };
  }

  #head(draft: Draft): RunHead {
    this.head = draft.own(this.head);
    return this.head;
  }

  #applyToRun(entry: Entry, draft: Draft): void {
    const head = this.#head(draft);
    const at = entry.at;
    switch (entry.type) {
      case "run.started":
        head.run = entry.run;
        if (entry.from !== undefined) head.from = entry.from;
        head.flow = entry.flow;
        if (entry.to !== undefined) head.to = entry.to;
        if (entry.input !== undefined) head.input = entry.input;
        head.set = (entry.set ?? {}) as RunHead["set"];
        if (entry.parentRunId !== undefined) head.parentRunId = entry.parentRunId;
        if (entry.conversation !== undefined) head.conversation = entry.conversation;
        head.memory = memoryOfConversation(entry);
        head.startedAt = at;
        break;
      case "node.finished":
      case "node.skipped":
      case "node.failed":
        this.#closePause(head, entry.node, entry.epoch);
        break;
      case "node.retrying":
        head.totals = draft.own(head.totals);
        head.totals.retries += 1;
        break;
      case "model.replied":
        head.totals = draft.own(head.totals);
        if (entry.reused) head.totals.reusedCalls += 1;
        else head.totals.modelCalls += 1;
        break;
      case "quota.reserved":
      case "quota.reconciled":
        head.quotas = applyToQuotas(head.quotas, entry);
        break;
      case "tool.called":
        head.totals = draft.own(head.totals);
        head.totals.toolCalls += 1;
        break;
      case "memory.appended":
        head.memory = applyToMemory(head.memory, entry);
        break;
      case "loop.iteration": {
        const known = head.loops[entry.node];
        head.loops = draft.own(head.loops);
        head.loops[entry.node] = { ...known, epoch: entry.epoch, iterations: (known?.iterations ?? 0) + 1 };
        break;
      }
      case "loop.exhausted": {
        const known = head.loops[entry.node] ?? { iterations: 0 };
        head.loops = draft.own(head.loops);
        head.loops[entry.node] = {
          ...known,
          epoch: entry.epoch,
          exhausted: entry.maxEpochs,
          ...(entry.unattended && { unattended: true }),
        };
        break;
      }
      case "run.paused": {
        this.#closePause(head, entry.node, entry.epoch);
        const { node, epoch, prompt, schema, tool } = entry;
        head.pauses = [...head.pauses, { node, epoch, prompt, schema, ...(tool && { tool }), askedAt: at }];
        break;
      }
      case "child.waiting": {
        this.#closePause(head, entry.node, entry.epoch);
        const asked = entry.questions.map(({ prompt, schema, tool, ...asker }) => {
          const { node, epoch } = entry;
          return { node, epoch, prompt, schema, ...(tool && { tool }), askedAt: at, asker };
        });
        head.pauses = [...head.pauses, ...asked];
        break;
      }
      // A node that starts while the run waits had a waiting child run before a crash.
      case "node.started":
      case "child.resumed":
      case "input.provided":
        this.#stopWaiting(head, at, draft);
        this.#closePause(head, entry.node, entry.epoch);
        break;
      case "run.waiting":
        this.#stopWaiting(head, at, draft);
        head.waitingSince = at;
        head.status = openStatus(head);
        head.waitingOn = entry.on;
        break;
      case "debug.breakpoints":
        head.breakpoints = entry.breakpoints;
        break;
      case "debug.stopped":
      case "debug.continued":
      case "value.overridden":
      case "value.rerouted": {
        const stoppedMs = applyToStops(head, entry);
        if (stoppedMs > 0) {
          head.totals = draft.own(head.totals);
          head.totals.stoppedMs = (head.totals.stoppedMs ?? 0) + stoppedMs;
        }
        head.status = openStatus(head);
        break;
      }
      case "trial.made": {
        const { node, was, config } = entry;
        // Of several, the first one names the config of the flow.
        head.trials = { ...head.trials, [node]: { was: head.trials?.[node]?.was ?? was, config } };
        break;
      }
      case "trial.dropped": {
        const { [entry.node]: _, ...trials } = head.trials ?? {};
        head.trials = Object.keys(trials).length > 0 ? trials : undefined;
        break;
      }
      case "run.cancelling":
        this.#stopWaiting(head, at, draft);
        head.cancelling = true;
        break;
      case "run.finished":
        this.#end(head, "finished", entry, draft);
        break;
      case "run.failed":
        this.#end(head, "failed", entry, draft);
        head.error = { node: entry.node, epoch: entry.epoch, error: entry.error };
        break;
      case "run.cancelled":
        this.#end(head, "cancelled", entry, draft);
        break;
    }
  }

  #end(head: RunHead, status: RunStatus, { at, outputs, origins }: EndEntry, draft: Draft): void {
    this.#stopWaiting(head, at, draft);
    head.stops = undefined;
    head.status = status;
    head.cancelling = false;
    head.outputs = outputs as RunHead["outputs"];
    if (origins) head.origins = origins;
    head.endedAt = at;
    head.pauses = [];
  }

  #stopWaiting(head: RunHead, at: number, draft: Draft): void {
    if (head.waitingSince === undefined) return;
    head.totals = draft.own(head.totals);
    head.totals.waitedMs += Math.max(0, at - head.waitingSince);
    head.waitingSince = undefined;
    head.status = openStatus(head);
    head.waitingOn = [];
  }

  /** Time in which no process drove the run. While it waited or stood still, that counts as such. */
  #addInterruption(ms: number, draft: Draft): void {
    const head = this.#head(draft);
    if (head.waitingSince !== undefined || wholeStop(head.stops)) return;
    head.totals = draft.own(head.totals);
    head.totals.interruptedMs = (head.totals.interruptedMs ?? 0) + ms;
  }

  #closePause(head: RunHead, node: NodeId, epoch: Epoch): void {
    if (head.pauses.length === 0) return;
    const open = head.pauses.filter((pause) => pause.node !== node || !sameEpoch(pause.epoch, epoch));
    if (open.length !== head.pauses.length) head.pauses = open;
  }

  /** Changes one activation, then what its node shows, the counts and the tokens. */
  #changeActivation(id: NodeId, epoch: Epoch, draft: Draft, change: (activation: EpochView) => void): void {
    let node = this.nodes.get(id);
    if (node) {
      node = draft.own(node);
    } else {
      node = draft.made<NodeView>({ state: "ready", epoch, epochs: draft.made([]) });
      this.#counts(draft).ready += 1;
    }
    this.nodes.set(id, node);
    node.epochs = draft.own(node.epochs);
    let index = indexOfEpoch(node.epochs, epoch);
    let activation: EpochView;
    if (index < 0) {
      index = -1 - index;
      activation = draft.made(newEpochView(epoch));
      node.epochs.splice(index, 0, activation);
    } else {
      activation = draft.own(node.epochs[index] as EpochView);
      node.epochs[index] = activation;
    }
    const { usage, cost } = activation;
    change(activation);
    if (activation.usage !== usage || activation.cost !== cost) this.#addSpent(usage, cost, activation, draft);
    const displayed = displayedAfter(node, activation);
    if (!displayed) return;
    if (displayed.state !== node.state) {
      const counts = this.#counts(draft);
      counts[node.state] -= 1;
      counts[displayed.state] += 1;
      node.state = displayed.state;
    }
    if (node.epoch !== displayed.epoch && !sameEpoch(node.epoch, displayed.epoch)) node.epoch = displayed.epoch;
  }

  #counts(draft: Draft): RunHead["counts"] {
    const head = this.#head(draft);
    head.counts = draft.own(head.counts);
    return head.counts;
  }

  #addSpent(usage: EpochView["usage"], cost: EpochView["cost"], after: EpochView, draft: Draft): void {
    const head = this.#head(draft);
    head.totals = draft.own(head.totals);
    head.totals.tokens = addTokens(head.totals.tokens, after.usage, usage);
    head.totals.cost = addCost(head.totals.cost, after.cost, cost);
  }
}

/** What a run does that has not ended. */
function openStatus(head: RunHead): RunStatus {
  if (head.stops !== undefined) return "stopped";
  return head.waitingSince !== undefined ? "waiting" : "running";
}

/** The activation the node shows from now on: the latest, but rather one that ran than one that did not. */
function displayedAfter(node: NodeView, changed: EpochView): EpochView | undefined {
  const order = compareEpochs(changed.epoch, node.epoch);
  if (changed.state !== "skipped") {
    return order >= 0 || node.state === "skipped" ? changed : undefined;
  }
  if (order === 0) {
    return node.epochs.findLast((known) => known.state !== "skipped") ?? node.epochs.at(-1);
  }
  return order > 0 && node.state === "skipped" ? changed : undefined;
}

type ActivationEntry = Extract<Entry, { node: NodeId; epoch: Epoch }>;

function isActivationEvent(entry: Entry): entry is ActivationEntry {
  if (isIterationEvent(entry)) return false;
  switch (entry.type) {
    case "run.started":
    case "loop.iteration":
    case "loop.exhausted":
    case "history.appended":
    case "history.pinned":
    case "run.waiting":
    case "run.cancelling":
    case "run.finished":
    case "run.failed":
    case "run.cancelled":
    case "debug.breakpoints":
    case "debug.stopped":
    case "debug.continued":
    case "debug.logged":
    case "value.overridden":
    case "value.rerouted":
    case "trial.made":
    case "trial.dropped":
      return false;
    default:
      return true;
  }
}
