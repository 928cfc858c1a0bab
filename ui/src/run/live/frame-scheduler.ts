/**
 * Tells watchers that something changed, in portions: as many in one frame as a frame can bear, the rest in the next
 * ones. However much changes at once, no frame has to draw all of it.
 */
import { flushSync } from "react-dom";

/** How long telling, and what React draws of it, may take of one frame, in milliseconds. */
const BUDGET_MS = 8;
/** Two portions within this time would fall into one frame. */
const MIN_FRAME_GAP_MS = 8;
/** How many are told between two looks at the clock: what is drawn together costs less than one by one. */
const JOBS_PER_CLOCK_CHECK = 3;

export type Job = () => void;

export class FrameScheduler {
  /** What a person acts on, and what merely grows. Each thing stands once, where it was first asked for. */
  #soon = new Map<unknown, Job>();
  #later = new Map<unknown, Job>();
  #frame: number | undefined;
  #last = Number.NEGATIVE_INFINITY;
  #growthMs = 0;

  /** How long it took to tell, and draw, the last portion of what merely grows. */
  get growthMs(): number {
    return this.#growthMs;
  }

  /** Something to be told before all that merely grows. Begins with `go`. */
  soon(key: unknown, job: Job): void {
    this.#later.delete(key);
    if (!this.#soon.has(key)) this.#soon.set(key, job);
  }

  later(key: unknown, job: Job): void {
    if (!this.#soon.has(key) && !this.#later.has(key)) this.#later.set(key, job);
  }

  /** Tells a portion, now if this frame has had none, and the rest with the next frames. Never while React draws. */
  go(): void {
    if (this.#frame !== undefined) return;
    if (performance.now() - this.#last > MIN_FRAME_GAP_MS) this.#runBatch();
    this.#schedule();
  }

  #schedule(): void {
    if (this.#soon.size + this.#later.size === 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#runBatch();
      this.#schedule();
    });
  }

  #runBatch(): void {
    const until = performance.now() + BUDGET_MS;
    while (this.#soon.size > 0 && performance.now() < until) runBatch(this.#soon);
    // What grows has its turn in every frame, or a busy run would never show it.
    if (this.#later.size > 0) {
      const began = performance.now();
      do runBatch(this.#later);
      while (this.#later.size > 0 && performance.now() < until);
      this.#growthMs = performance.now() - began;
    }
    this.#last = performance.now();
  }

  /** Forgets what was not told. */
  clear(): void {
    this.#soon.clear();
    this.#later.clear();
  }
}

function runBatch(jobs: Map<unknown, Job>): void {
  const portion: Job[] = [];
  for (const [key, job] of jobs) {
    jobs.delete(key);
    portion.push(job);
    if (portion.length === JOBS_PER_CLOCK_CHECK) break;
  }
  flushSync(() => {
    for (const job of portion) job();
  });
}
