/**
 * The run that the window shows, as it is or as it was, and the listeners to its parts. An event about one node wakes only the
 * listeners of that node. Components subscribe through the hooks in `workspace/run-hooks.ts`.
 */
import type { ContextId, NodeId } from "@/bindings";
import { emptyHead } from "../fold/fold";
import type { RunHead } from "../fold/types";
import { FrameScheduler } from "./frame-scheduler";
import { PastRun, type ShownRun } from "./past-run";
import type { RunSession } from "./session";
import { Throttle } from "./throttle";
import type { ViewMotion } from "./view-motion";
import { type Listener, Watchers } from "./watchers";

/** What can be watched of a run as a whole: its head, its journal, its set of contexts, each frame, or the session itself. */
export type RunPart = "head" | "log" | "contexts" | "frame" | "session";

type Changes = { nodes: Iterable<NodeId>; contexts: ReadonlySet<ContextId>; entries: readonly unknown[] };

/** Minimum interval between updates of counts and lists. */
const COUNTS_INTERVAL_MS = 60;
/** Minimum interval between updates while the canvas moves. */
const MOVING_INTERVAL_MS = 150;
/** The interval between stream updates is at least this many times what a frame spends on them. */
const STREAM_DUTY_FACTOR = 3;

const EMPTY_HEAD = emptyHead();

export class ActiveRun {
  #session: RunSession | undefined;
  #past: PastRun | undefined;
  /** The head of the session as it was published last. */
  #head: RunHead = EMPTY_HEAD;
  readonly #nodes = new Watchers<NodeId>();
  readonly #contexts = new Watchers<ContextId>();
  readonly #parts = new Watchers<RunPart>();
  readonly #scheduler = new FrameScheduler();
  /** The state and epoch that the listeners of a node know. */
  readonly #knownStates = new Map<NodeId, string>();
  /** Growth that was not published yet. */
  readonly #growing = { nodes: new Set<NodeId>(), contexts: new Set<ContextId>(), log: false, head: false };
  readonly #streams: Throttle;
  readonly #counts: Throttle;

  constructor(viewMotion: ViewMotion) {
    this.#streams = new Throttle(
      () =>
        viewMotion.moving
          ? MOVING_INTERVAL_MS
          : Math.min(COUNTS_INTERVAL_MS, STREAM_DUTY_FACTOR * this.#scheduler.growthMs),
      () => this.#publishStreams(),
    );
    this.#counts = new Throttle(
      () => (viewMotion.moving ? MOVING_INTERVAL_MS : COUNTS_INTERVAL_MS),
      () => this.#publishCounts(),
    );
  }

  /** The run as it is now, which actions are about. */
  get session(): RunSession | undefined {
    return this.#session;
  }

  /** The run as it was, while a person looks at its past. */
  get past(): PastRun | undefined {
    return this.#past;
  }

  /** The run as the window shows it. */
  get shown(): ShownRun | undefined {
    return this.#past ?? this.#session;
  }

  /** The head of the run as the window shows it. */
  get head(): RunHead {
    return this.shown?.fold.head ?? EMPTY_HEAD;
  }

  /** The head of the run as it is now. */
  get headNow(): RunHead {
    return this.#session?.fold.head ?? EMPTY_HEAD;
  }

  /** Shows another run, or none. */
  show(session: RunSession | undefined): void {
    if (this.#session === session) return;
    this.#session = session;
    this.#past = undefined;
    this.#knownStates.clear();
    this.#scheduler.clear();
    this.#head = session?.fold.head ?? EMPTY_HEAD;
    this.#nodes.wakeAll();
    this.#contexts.wakeAll();
    this.#parts.wakeAll();
  }

  /**
   * Shows the run as it was after its first `count` events: the run itself goes on without being seen. Without a count, or after
   * all events so far, shows the run as it is and follows it.
   */
  lookAt(count: number | undefined): void {
    const session = this.#session;
    const isNow = count === undefined || count >= (session?.log.entries.length ?? 0);
    if (!session || (isNow ? !this.#past : this.#past?.count === count)) return;
    const before = this.shown?.fold.nodes;
    this.#past = isNow ? undefined : new PastRun(session, Math.max(1, count));
    this.#head = session.fold.head;
    const after = this.shown?.fold.nodes;
    for (const node of new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])) {
      if (before?.get(node) !== after?.get(node)) this.#wakeSoon(node);
    }
    this.#contexts.wakeAll();
    this.#parts.wakeAll();
    this.#scheduler.go();
  }

  /**
   * Publishes what changed in a run, if it is the one that is shown. What a person acts on (states, questions, the end) is
   * published at once, streams as fast as they can be drawn, counts and lists no faster than they can be read.
   */
  publish(session: RunSession, changes: Changes): void {
    if (session !== this.#session) return;
    const growing = this.#growing;
    // Nothing of the past changes with the run.
    if (!this.#past) this.#publishNodes(session, changes.nodes);
    for (const context of changes.contexts) growing.contexts.add(context);
    if (changes.entries.length > 0) growing.log = true;
    const before = this.#head;
    const after = session.fold.head;
    this.#head = after;
    if (before !== after) {
      if (
        before.status !== after.status ||
        before.pauses !== after.pauses ||
        before.stops !== after.stops ||
        before.cancelling !== after.cancelling
      ) {
        this.#parts.wake("head");
      } else {
        growing.head = true;
      }
    }
    this.#parts.wake("frame");
    this.#streams.ask();
    this.#counts.ask();
    this.#scheduler.go();
  }

  /** Publishes that something about the session itself changed, such as whether it is interrupted. */
  publishSession(session: RunSession): void {
    if (session === this.#session) this.#parts.wake("session");
  }

  /** Renders what takes long, in a frame that has time for it. What waits under a key is rendered once. */
  renderLarge(key: unknown, render: () => void): void {
    this.#scheduler.large(key, render);
    this.#scheduler.go();
  }

  onPart(part: RunPart, listener: Listener): () => void {
    return this.#parts.add(part, listener);
  }

  onNode(node: NodeId, listener: Listener): () => void {
    return this.#nodes.add(node, listener);
  }

  onContext(context: ContextId, listener: Listener): () => void {
    return this.#contexts.add(context, listener);
  }

  #publishNodes(session: RunSession, nodes: Iterable<NodeId>): void {
    for (const node of nodes) {
      const view = session.fold.nodes.get(node);
      const state = view && `${view.state} ${view.epoch.join(".")}`;
      if (state === this.#knownStates.get(node)) {
        this.#growing.nodes.add(node);
        continue;
      }
      if (state) this.#knownStates.set(node, state);
      this.#growing.nodes.delete(node);
      this.#wakeSoon(node);
    }
  }

  #wakeSoon(node: NodeId): void {
    if (this.#nodes.has(node)) this.#scheduler.soon(node, () => this.#nodes.wake(node));
  }

  #publishStreams(): void {
    for (const node of this.#growing.nodes) {
      if (this.#nodes.has(node)) this.#scheduler.later(node, () => this.#nodes.wake(node));
    }
    this.#growing.nodes.clear();
    this.#scheduler.go();
  }

  #publishCounts(): void {
    const growing = this.#growing;
    if (growing.log) this.#scheduler.large("log", () => this.#parts.wake("log"));
    if (growing.head) this.#scheduler.large("head", () => this.#parts.wake("head"));
    if (growing.contexts.size > 0) this.#scheduler.large("contexts", () => this.#publishContexts());
    growing.log = false;
    growing.head = false;
    this.#scheduler.go();
  }

  #publishContexts(): void {
    for (const context of this.#growing.contexts) this.#contexts.wake(context);
    this.#growing.contexts.clear();
    this.#parts.wake("contexts");
  }
}
