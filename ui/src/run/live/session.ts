/**
 * One followed run. Entries are queued and folded at most once a frame, within a time budget, in order and without loss.
 * Listeners are notified once a frame.
 */
import type { Entry, Flow, NodeId, RunId } from "@/bindings";
import type { Host, HostError } from "@/ipc";
import { type Changed, RunFold } from "../fold/fold";
import { isOver } from "../fold/status";
import { RunStates } from "../time-travel/run-states";
import { EventLog } from "./event-log";

/** How long folding may take of one frame, in milliseconds; the rest waits for the next. */
const FRAME_BUDGET_MS = 6;
/** How many entries are folded between two looks at the clock. */
const ENTRIES_PER_CLOCK_CHECK = 128;
/** Hidden pages get no frames; then this is as good. */
const HIDDEN_PAGE_DELAY_MS = 200;

export type SessionEvents = {
  /** Some entries were folded. */
  changed(session: RunSession, changed: Changed): void;
  /** The watch broke; what was folded stays. */
  broke(session: RunSession, error: HostError): void;
};

export class RunSession {
  readonly fold = new RunFold();
  readonly log = new EventLog();
  /** The state after each event so far. */
  readonly states = new RunStates(this.log.entries);
  /** The nodes in the order of their first events. */
  readonly order: NodeId[] = [];
  /** The run's process died, according to the store. */
  interrupted: boolean;
  #queue: Entry[] = [];
  #next = 0;
  #frame: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unwatch: (() => void) | undefined;
  #watched = false;
  #closed = false;
  #replayedBefore = 0;

  constructor(
    readonly host: Host,
    readonly run: RunId,
    /** The flow as it ran. */
    readonly flow: Flow,
    readonly events: SessionEvents,
    interrupted = false,
  ) {
    this.interrupted = interrupted;
  }

  /** Whether more events may come. */
  get live(): boolean {
    return this.#unwatch !== undefined;
  }

  /** Whether it is what a recorded program did, which Plait shows, and neither stops nor resumes. */
  get isObserved(): boolean {
    const [first] = this.log.entries;
    return first?.type === "run.started" && first.program !== undefined;
  }

  /** Takes in entries; they are folded with the next frame. */
  push(entries: readonly Entry[]): void {
    if (this.#closed || entries.length === 0) return;
    for (const entry of entries) this.#queue.push(entry);
    this.#schedule();
  }

  /** Takes in what happened before the run was opened. */
  replay(entries: readonly Entry[]): void {
    this.#replayedBefore = (entries.findLast((entry) => entry.seq !== undefined)?.seq ?? -1) + 1;
    this.push(entries);
  }

  /** Whether all that happened before the run was opened is folded. */
  get isCaughtUp(): boolean {
    return this.fold.head.nextSeq >= this.#replayedBefore;
  }

  /** Whether an entry happened before the run was opened. */
  isReplayed(entry: Entry): boolean {
    return entry.seq !== undefined && entry.seq < this.#replayedBefore;
  }

  /** Follows the run from its known entries on. */
  watch(): void {
    if (this.#closed || this.#unwatch) return;
    if (this.#watched) {
      const nodes = new Set(this.fold.clearStreams());
      this.events.changed(this, { nodes, contexts: new Set(), entries: [], deltas: 0 });
    }
    this.#watched = true;
    const from = Math.max(
      this.fold.head.nextSeq,
      (this.#queue.findLast((entry) => entry.seq !== undefined)?.seq ?? -1) + 1,
    );
    this.#unwatch = this.host.watch(
      this.run,
      from,
      (entries) => this.push(entries),
      (error) => {
        this.#unwatch = undefined;
        if (!this.#closed) this.events.broke(this, error);
      },
    );
  }

  unwatch(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  /** Ends the watch and drops entries that were not folded. The run itself continues. */
  close(): void {
    this.#closed = true;
    this.unwatch();
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#queue = [];
  }

  #schedule(): void {
    if (this.#frame !== undefined) return;
    this.#frame = requestAnimationFrame(() => this.#drain());
    this.#timer = setTimeout(() => this.#drain(), HIDDEN_PAGE_DELAY_MS);
  }

  #drain(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#frame = undefined;
    const changed: Changed = { nodes: new Set(), contexts: new Set(), entries: [], deltas: 0 };
    const until = performance.now() + FRAME_BUDGET_MS;
    // Folding in one go while there is time keeps the copies few; the chunks are there only to look at the clock.
    do {
      const end = Math.min(this.#next + ENTRIES_PER_CLOCK_CHECK, this.#queue.length);
      this.#fold(this.#queue.slice(this.#next, end), changed);
      this.#next = end;
    } while (this.#next < this.#queue.length && performance.now() < until);
    if (this.#next === this.#queue.length) {
      this.#queue = [];
      this.#next = 0;
    } else {
      this.#schedule();
    }
    if (isOver(this.fold.head.status)) {
      this.interrupted = false;
      if (this.#queue.length === 0) this.unwatch();
    }
    this.events.changed(this, changed);
  }

  #fold(batch: readonly Entry[], into: Changed): void {
    const changed = this.fold.apply(batch);
    this.log.append(changed.entries);
    for (const node of changed.nodes) {
      if (!into.nodes.has(node) && !this.#known.has(node)) {
        this.#known.add(node);
        this.order.push(node);
      }
      into.nodes.add(node);
    }
    for (const context of changed.contexts) into.contexts.add(context);
    for (const entry of changed.entries) into.entries.push(entry);
    into.deltas += changed.deltas;
  }

  readonly #known = new Set<NodeId>();
}
