/**
 * Runs notification jobs within a time budget per frame and defers the rest, so that no frame has to render a large change
 * at once.
 */
import { type Job, JobQueue } from "./job-queue";

/**
 * The time of one frame for jobs and their renders, in milliseconds: at 60 frames a second a third of what it takes. With
 * urgent jobs it is never more: they change what cards are made of, which takes long to lay out and to paint, too.
 */
const BUDGET_MS = 5;
/**
 * Where frames take longer, half of what passed since the last one, so that what grows is not painted many frames late; at
 * most this, in milliseconds: where frames take long, so do layout and painting, and they must fit in 50 with it.
 */
const MAX_BUDGET_MS = 8;
/**
 * If text grows in many places, a frame draws one of this many parts of it, but at least some. Without a graphics
 * processor, WebKit paints up to ten changed places separately, and for more of them everything in between.
 */
const GROWTH_PARTS = 3;
const MIN_GROWTH_JOBS = 4;
/** What a card takes that is drawn for the first time, in milliseconds. */
const CARD_MS = 2.5;
/** Rendering several cards together is cheaper than one by one, up to some number. */
const CARDS_TOGETHER = 4;
/** Cards are alike: the time of the last ones is half of the estimate for the next. */
const CARD_LEARNING = { more: 0.5, less: 0.5 };
/** What a panel takes that is drawn for the first time, in milliseconds. */
const PANEL_MS = 10;
/** Panels differ: after a slow one, the next counts as slow as well, or it would be drawn beside others as soon as a few were fast. */
const PANEL_LEARNING = { more: 1, less: 0.1 };
/** Two batches within this time would be in the same frame. */
const MIN_FRAME_GAP_MS = 8;

export class FrameScheduler {
  /** Urgent jobs. */
  readonly #soon = new JobQueue(CARD_MS, CARDS_TOGETHER, CARD_LEARNING);
  /** Jobs for what merely grows. */
  readonly #later = new JobQueue(CARD_MS, CARDS_TOGETHER, CARD_LEARNING);
  /** Jobs that render much. */
  readonly #large = new JobQueue(PANEL_MS, 1, PANEL_LEARNING);
  /** A large job found no time in the last frame. */
  #largeWaited = false;
  #frame: number | undefined;
  /** A batch runs now. */
  #running = false;
  #last = Number.NEGATIVE_INFINITY;
  #growthMs = 0;
  #budgetMs = BUDGET_MS;

  /** Duration of the last growth jobs including rendering, in milliseconds. */
  get growthMs(): number {
    return this.#growthMs;
  }

  /** Queues a job that runs before all growth jobs. `go` starts it. */
  soon(key: unknown, job: Job): void {
    this.#later.delete(key);
    this.#soon.add(key, job);
  }

  later(key: unknown, job: Job): void {
    if (!this.#soon.has(key)) this.#later.add(key, job);
  }

  /** Queues a job that renders much: it runs after the others if it fits into the frame, or before them in the next. */
  large(key: unknown, job: Job): void {
    this.#large.add(key, job);
  }

  /**
   * Runs a batch now, unless this frame had one, and the rest in the next frames. Must not be called during a render. What a job
   * queues waits for its turn.
   */
  go(): void {
    if (this.#frame !== undefined || this.#running) return;
    if (performance.now() - this.#last > MIN_FRAME_GAP_MS) this.#runBatch();
    else this.#schedule();
  }

  #schedule(): void {
    if (this.#soon.size + this.#later.size + this.#large.size === 0) return;
    const scheduled = performance.now();
    this.#frame = requestAnimationFrame(() => {
      this.#frame = undefined;
      // What was left over waited for one frame.
      this.#budgetMs = Math.min(MAX_BUDGET_MS, Math.max(BUDGET_MS, (performance.now() - scheduled) / 2));
      this.#runBatch();
    });
  }

  /** Runs what a frame has time for, and asks for another for the rest. */
  #runBatch(): void {
    this.#running = true;
    try {
      this.#runJobs(performance.now() + (this.#soon.size > 0 ? BUDGET_MS : this.#budgetMs));
    } finally {
      this.#running = false;
      this.#last = performance.now();
      this.#schedule();
    }
  }

  #runJobs(until: number): void {
    // A large job that takes longer than the rest of a frame gets a frame alone, in turns with the others.
    const largeFirst = this.#largeWaited || this.#soon.size + this.#later.size === 0;
    if (largeFirst) this.#large.runBatch(until);
    while (this.#soon.size > 0 && performance.now() < until) this.#soon.runBatch(until);
    if (!largeFirst || performance.now() < until) this.#runGrowth(until);
    while (this.#large.size > 0 && performance.now() + this.#large.jobMs <= until) this.#large.runBatch(until);
    this.#largeWaited = !largeFirst && this.#large.size > 0;
  }

  #runGrowth(until: number): void {
    if (this.#later.size === 0) return;
    const began = performance.now();
    const part = Math.max(MIN_GROWTH_JOBS, Math.ceil(this.#later.size / GROWTH_PARTS));
    const rest = Math.max(0, this.#later.size - part);
    do this.#later.runBatch(until);
    while (this.#later.size > rest && performance.now() < until);
    this.#growthMs = performance.now() - began;
  }

  /** Drops the urgent jobs and those for what grows. */
  clear(): void {
    this.#soon.clear();
    this.#later.clear();
  }
}
