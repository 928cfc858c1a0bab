/** A throttle with a dynamic interval. The last request is never dropped. */
export class Throttle {
  #last = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly everyMs: () => number,
    readonly act: () => void,
  ) {}

  /** Runs now if the interval has passed, otherwise when it has. */
  ask(): void {
    if (this.#timer !== undefined) return;
    const wait = this.#last + this.everyMs() - performance.now();
    if (wait <= 0) this.#do();
    else this.#timer = setTimeout(() => this.#do(), wait);
  }

  #do(): void {
    this.#timer = undefined;
    this.#last = performance.now();
    this.act();
  }
}
