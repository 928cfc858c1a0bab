/**
 * The state of a run after each of its events: the fold of the journal up to there. Checkpoints on the way bound what a
 * position takes, so that a slider can be dragged over a long journal.
 */
import type { Entry } from "@/bindings";
import { RunFold } from "../fold/fold";
import type { RunState } from "../fold/types";

/** Between two checkpoints: fewer take more memory, more take more time for each position. */
const EVENTS_PER_CHECKPOINT = 1024;

export class RunStates {
  /** The one at index `i` is after `i * EVENTS_PER_CHECKPOINT` events. They are made when a position needs them. */
  readonly #checkpoints = [new RunFold()];

  /** `journal` may grow at its end. */
  constructor(readonly journal: readonly Entry[]) {}

  /** The state after the first `count` events. */
  after(count: number): RunState {
    const index = Math.floor(count / EVENTS_PER_CHECKPOINT);
    const fold = this.#checkpoint(index).copy();
    fold.apply(this.journal.slice(index * EVENTS_PER_CHECKPOINT, count));
    return fold;
  }

  #checkpoint(index: number): RunFold {
    for (let last = this.#checkpoints.length - 1; last < index; last++) {
      const next = (this.#checkpoints[last] as RunFold).copy();
      const start = last * EVENTS_PER_CHECKPOINT;
      next.apply(this.journal.slice(start, start + EVENTS_PER_CHECKPOINT));
      this.#checkpoints.push(next);
    }
    return this.#checkpoints[index] as RunFold;
  }
}
