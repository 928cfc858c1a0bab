/** Maps times to positions and back. Waits for a person can be collapsed, so that the work stays readable. */

export type Wait = { from: number; to?: number };

type Interval = { from: number; to: number; at: number; length: number };

/** However long a wait, folded it is at least this long, and at most this share of the work. */
const FOLDED_MS = 120;
const FOLDED_SHARE = 0.1;

export class TimeScale {
  readonly length: number;
  readonly #intervals: Interval[] = [];

  constructor(
    readonly start: number,
    readonly end: number,
    waits: readonly Wait[],
    folded: boolean,
  ) {
    const known = folded ? merged(waits, start, end) : [];
    let waited = 0;
    for (const wait of known) waited += wait.to - wait.from;
    const limit = Math.max(FOLDED_MS, (end - start - waited) * FOLDED_SHARE);
    let at = 0;
    let time = start;
    const add = (to: number, length: number) => {
      if (to <= time) return;
      this.#intervals.push({ from: time, to, at, length });
      at += length;
      time = to;
    };
    for (const wait of known) {
      add(wait.from, wait.from - time);
      add(wait.to, Math.min(wait.to - wait.from, limit));
    }
    add(end, end - time);
    this.length = Math.max(1, at);
  }

  /** Where a time is, from 0 to 1. Times outside are at the ends. */
  place(time: number): number {
    const interval = this.#find((known) => time < known.to);
    if (!interval) return time <= this.start ? 0 : 1;
    const share = Math.max(0, time - interval.from) / (interval.to - interval.from);
    return (interval.at + share * interval.length) / this.length;
  }

  /** Which time is at a place from 0 to 1. */
  time(place: number): number {
    const at = Math.min(1, Math.max(0, place)) * this.length;
    const interval = this.#find((known) => at < known.at + known.length);
    if (!interval) return this.end;
    return interval.from + ((at - interval.at) / interval.length) * (interval.to - interval.from);
  }

  /** The first interval for which it holds; it holds for all after that one. */
  #find(holds: (interval: Interval) => boolean): Interval | undefined {
    let low = 0;
    let high = this.#intervals.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(this.#intervals[middle] as Interval)) high = middle;
      else low = middle + 1;
    }
    return this.#intervals[low];
  }
}

/** The waits within the time shown, in order and without overlaps. */
function merged(waits: readonly Wait[], start: number, end: number): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  let time = start;
  for (const wait of waits) {
    const from = Math.max(time, wait.from);
    const to = Math.min(end, wait.to ?? end);
    if (to <= from) continue;
    found.push({ from, to });
    time = to;
  }
  return found;
}
