/** Does something when asked, but not faster than a given pace; the last wish is never forgotten. */
export class Throttle {
  #last = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly everyMs: () => number,
    readonly act: () => void,
  ) {}

  /** Now, if the last time is long enough ago; else as soon as it is. */
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
