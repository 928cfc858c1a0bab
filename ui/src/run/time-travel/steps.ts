/**
 * Where a step through the past of a run leads. A position is a number of events: that of the state after them. Each function
 * answers with a position on the asked side of `from`, or with nothing where there is none.
 */
import type { Entry, NodeId } from "@/bindings";
import { isIterationEvent } from "../fold/loops";

/** The events of a node that a person follows a run by; what happens within an activation is between them. */
const STEPS: ReadonlySet<Entry["type"]> = new Set<Entry["type"]>([
  "node.started",
  "node.retrying",
  "node.finished",
  "node.failed",
  "node.skipped",
  "run.paused",
  "child.waiting",
  "input.provided",
]);

/** The nearest earlier step of any node. */
export function stepBack(journal: readonly Entry[], from: number): number | undefined {
  return before(journal, from, ({ type }) => STEPS.has(type));
}

/** The nearest later step of any node. */
export function stepForward(journal: readonly Entry[], from: number): number | undefined {
  const index = journal.findIndex(({ type }, at) => at >= from && STEPS.has(type));
  return index < 0 ? undefined : index + 1;
}

/** The nearest earlier event that changed the node. */
export function lastChange(journal: readonly Entry[], from: number, node: NodeId): number | undefined {
  return before(journal, from, (entry) => "node" in entry && entry.node === node && !isIterationEvent(entry));
}

/** The position right after the last event before `from` that fits, other than `from` itself. */
function before(journal: readonly Entry[], from: number, fits: (entry: Entry) => boolean): number | undefined {
  for (let count = from - 1; count > 0; count--) {
    const entry = journal[count - 1];
    if (entry && fits(entry)) return count;
  }
  return undefined;
}
