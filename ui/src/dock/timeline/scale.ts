/** Time to place and back. Waiting for a person can be folded to a short stretch, so that the work stays readable. */

export type Wait = { from: number; to?: number };

type Piece = { from: number; to: number; at: number; length: number };

/** However long a wait, folded it is at least this long, and at most this share of the work. */
const FOLDED_MS = 120;
const FOLDED_SHARE = 0.1;

export class TimeScale {
  readonly length: number;
  readonly #pieces: Piece[] = [];

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
      this.#pieces.push({ from: time, to, at, length });
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
    const piece = this.#find((known) => time < known.to);
    if (!piece) return time <= this.start ? 0 : 1;
    const share = Math.max(0, time - piece.from) / (piece.to - piece.from);
    return (piece.at + share * piece.length) / this.length;
  }

  /** Which time is at a place from 0 to 1. */
  time(place: number): number {
    const at = Math.min(1, Math.max(0, place)) * this.length;
    const piece = this.#find((known) => at < known.at + known.length);
    if (!piece) return this.end;
    return piece.from + ((at - piece.at) / piece.length) * (piece.to - piece.from);
  }

  /** The first piece for which it holds; it holds for all after that one. */
  #find(holds: (piece: Piece) => boolean): Piece | undefined {
    let low = 0;
    let high = this.#pieces.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(this.#pieces[middle] as Piece)) high = middle;
      else low = middle + 1;
    }
    return this.#pieces[low];
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
