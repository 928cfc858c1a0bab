import { flushSync } from "react-dom";

export type Job = () => void;

/** Jobs that wait for their turn to render. Each key is queued once, at its first position. */
export class JobQueue {
  readonly #jobs = new Map<unknown, Job>();
  #jobMs: number;

  /**
   * `jobMs` is what a job takes as long as none has run; at most `maxBatch` are rendered together. `learning` is how much of
   * the difference is taken over when a job takes longer than known, or less.
   */
  constructor(
    jobMs: number,
    private readonly maxBatch: number,
    private readonly learning: { more: number; less: number },
  ) {
    this.#jobMs = jobMs;
  }

  /** What a job takes, in milliseconds, as far as is known. */
  get jobMs(): number {
    return this.#jobMs;
  }

  get size(): number {
    return this.#jobs.size;
  }

  has(key: unknown): boolean {
    return this.#jobs.has(key);
  }

  add(key: unknown, job: Job): void {
    if (!this.#jobs.has(key)) this.#jobs.set(key, job);
  }

  delete(key: unknown): void {
    this.#jobs.delete(key);
  }

  clear(): void {
    this.#jobs.clear();
  }

  /** Runs as many jobs as should be done by then, in milliseconds of `performance.now`, but at least one if there is any. */
  runBatch(until: number): void {
    if (this.#jobs.size === 0) return;
    const began = performance.now();
    const count = Math.max(1, Math.min(this.maxBatch, Math.floor((until - began) / this.#jobMs)));
    const batch = [...this.#jobs].slice(0, count);
    for (const [key] of batch) this.#jobs.delete(key);
    flushSync(() => {
      for (const [, job] of batch) job();
    });
    const difference = (performance.now() - began) / batch.length - this.#jobMs;
    this.#jobMs += difference * (difference > 0 ? this.learning.more : this.learning.less);
  }
}
