import type { NodeChange } from "@xyflow/react";
import type { CanvasElement } from "@/workspace/canvas-store";

type Change = NodeChange<CanvasElement>;

/** Measured sizes are gathered until none has come for so long, in milliseconds: some frames, even if they are slow. */
const QUIET_MS = 200;
/** The longest that a measured size waits, in milliseconds: frames and loops grow with what is in them. */
const LONGEST_MS = 1000;

/**
 * Gathers the sizes that React Flow measures, which it draws already: taking each over at once would draw the whole canvas in
 * each frame in which a card grows, as all do when a run starts.
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
    const flushSoon = () => this.whenFree(() => this.flush());
    this.#quiet = setTimeout(flushSoon, QUIET_MS);
    this.#longest ??= setTimeout(flushSoon, LONGEST_MS);
    return [];
  }

  /** Applies what waits: the nodes are about to change, and what is measured counts for those before. */
  flush(): void {
    const gathered = this.#takeGathered();
    if (gathered.length > 0) this.apply(gathered);
  }

  /** Drops what waits. */
  clear(): void {
    this.#takeGathered();
  }

  #takeGathered(): Change[] {
    clearTimeout(this.#quiet);
    clearTimeout(this.#longest);
    this.#longest = undefined;
    const gathered = [...this.#gathered.values()];
    this.#gathered.clear();
    return gathered;
  }
}

/** Whether it is not from a person who resizes the node. */
function isMeasured(change: Change): boolean {
  return change.type === "dimensions" && change.resizing === undefined && !change.setAttributes;
}
