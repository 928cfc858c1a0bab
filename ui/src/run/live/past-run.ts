/** A followed run as it was after some of its events. It is read like the run itself, which goes on. */
import type { Entry, Epoch, Flow, MemoryState, NodeId, RunId } from "@/bindings";
import type { RunState } from "../fold/types";
import type { EventLog } from "./event-log";
import type { RunSession } from "./session";

/** What components read of the run that the window shows: a `RunSession`, or a `PastRun`. */
export type ShownRun = {
  readonly run: RunId;
  /** The flow as it ran. */
  readonly flow: Flow;
  readonly fold: RunState;
  readonly log: Pick<EventLog, "entries" | "contexts" | "hasChildren" | "contextAt" | "memoryAt" | "endOf">;
  /** The nodes in the order of their first events. */
  readonly order: readonly NodeId[];
};

export class PastRun implements ShownRun {
  readonly fold: RunState;
  readonly log: PastLog;

  /** `count` is how many events had happened, at least 1. */
  constructor(
    readonly session: RunSession,
    readonly count: number,
  ) {
    this.fold = session.states.after(count);
    this.log = new PastLog(session.log, count);
  }

  get run(): RunId {
    return this.session.run;
  }

  get flow(): Flow {
    return this.session.flow;
  }

  get order(): NodeId[] {
    return this.session.order.filter((node) => this.fold.nodes.has(node));
  }

  /** The time of the last event that had happened. */
  get at(): number {
    return this.session.log.entries[this.count - 1]?.at ?? 0;
  }
}

/** The log of a run up to one of its events. Contexts keep their later marks: `contextAt` leaves them out. */
class PastLog {
  readonly #log: EventLog;
  readonly #count: number;
  readonly #last: number;
  #entries: Entry[] | undefined;

  constructor(log: EventLog, count: number) {
    this.#log = log;
    this.#count = count;
    this.#last = log.entries[count - 1]?.seq ?? 0;
  }

  /** Copied when they are wanted: a copy for each position of a dragged slider would keep the garbage collector busy. */
  get entries(): Entry[] {
    this.#entries ??= this.#log.entries.slice(0, this.#count);
    return this.#entries;
  }

  get contexts(): EventLog["contexts"] {
    return this.#log.contexts;
  }

  get hasChildren(): boolean {
    return this.#log.hasChildren && this.entries.some((entry) => entry.type === "child.started");
  }

  contextAt: EventLog["contextAt"] = (id, seq) => this.#log.contextAt(id, this.#until(seq));

  memoryAt(seq?: number): MemoryState | undefined {
    return this.#log.memoryAt(this.#until(seq));
  }

  endOf(node: NodeId, epoch: Epoch): number | undefined {
    const end = this.#log.endOf(node, epoch);
    return end !== undefined && end <= this.#last ? end : undefined;
  }

  #until(seq: number | undefined): number {
    return Math.min(seq ?? this.#last, this.#last);
  }
}
