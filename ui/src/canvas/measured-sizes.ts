import type { NodeChange } from "@xyflow/react";
import type { CanvasElement } from "@/workspace/canvas-store";

type Change = NodeChange<CanvasElement>;

/** So long measured sizes are gathered, in milliseconds. */
const GATHERED_MS = 100;

/**
 * Gathers the sizes that React Flow measures, which it draws already: taking each over at once would draw the whole canvas in
 * each frame in which a card grows, as all do when a run starts.
 */
export class MeasuredSizes {
  #gathered = new Map<string, Change>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly apply: (changes: Change[]) => void) {}

  /** The changes to apply now. Measured sizes alone wait; with other changes, all come in their order. */
  take(changes: Change[]): Change[] {
    if (changes.some((change) => !isMeasured(change))) return [...this.#takeGathered(), ...changes];
    for (const change of changes) if ("id" in change) this.#gathered.set(change.id, change);
    this.#timer ??= setTimeout(() => this.flush(), GATHERED_MS);
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
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const gathered = [...this.#gathered.values()];
    this.#gathered.clear();
    return gathered;
  }
}

/** Whether it is not from a person who resizes the node. */
function isMeasured(change: Change): boolean {
  return change.type === "dimensions" && change.resizing === undefined && !change.setAttributes;
}
