import type { NodeChange } from "@xyflow/react";
import type { CanvasElement } from "@/workspace/canvas-store";

type Change = NodeChange<CanvasElement>;

/** Measured sizes are gathered until none has come for so long, in milliseconds: some frames, even if they are slow. */
const QUIET_MS = 200;
/** The longest that measured sizes are gathered, in milliseconds: loops and frames fit their nodes. */
const LONGEST_MS = 1000;
/**
 * Each size that is applied draws its node, and the first of them the canvas: so they are applied in so many parts, but at least
 * some at a time.
 */
const PARTS = 4;
const MIN_AT_A_TIME = 12;

/**
 * Gathers the sizes that React Flow measures, which it draws already: taking each over at once would draw the whole canvas in
 * each frame in which some of many nodes are measured.
 */
export class MeasuredSizes {
  #gathered = new Map<string, Change>();
  #quiet: ReturnType<typeof setTimeout> | undefined;
  #longest: ReturnType<typeof setTimeout> | undefined;

  /** `apply` draws changes; `whenFree` runs what it is given once there is time to draw much. */
  constructor(
    private readonly apply: (changes: Change[]) => void,
    private readonly whenFree: (flush: () => void) => void,
  ) {}

  /** The changes to apply now. Measured sizes alone wait; with other changes, all come in their order. */
  take(changes: Change[]): Change[] {
    if (changes.some((change) => !isMeasured(change))) return [...this.#takeGathered(), ...changes];
    for (const change of changes) if ("id" in change) this.#gathered.set(change.id, change);
    clearTimeout(this.#quiet);
    const flushInParts = () => this.#flushInParts(PARTS);
    this.#quiet = setTimeout(flushInParts, QUIET_MS);
    this.#longest ??= setTimeout(flushInParts, LONGEST_MS);
    return [];
  }

  #flushInParts(parts: number): void {
    this.#clearTimers();
    this.whenFree(() => {
      const part = this.#takeGathered(Math.max(MIN_AT_A_TIME, Math.ceil(this.#gathered.size / parts)));
      if (part.length > 0) this.apply(part);
      if (this.#gathered.size > 0) this.#flushInParts(Math.max(1, parts - 1));
    });
  }

  /** Applies waiting sizes: the nodes are about to change, and the sizes belong to the nodes before. */
  flush(): void {
    const gathered = this.#takeGathered();
    if (gathered.length > 0) this.apply(gathered);
  }

  /** Drops what waits. */
  clear(): void {
    this.#takeGathered();
  }

  #clearTimers(): void {
    clearTimeout(this.#quiet);
    clearTimeout(this.#longest);
    this.#longest = undefined;
  }

  #takeGathered(atMost = Number.POSITIVE_INFINITY): Change[] {
    this.#clearTimers();
    const taken = [...this.#gathered].slice(0, atMost);
    for (const [id] of taken) this.#gathered.delete(id);
    return taken.map(([, change]) => change);
  }
}

/** Whether it is not from a person who resizes the node. */
function isMeasured(change: Change): boolean {
  return change.type === "dimensions" && change.resizing === undefined && !change.setAttributes;
}
