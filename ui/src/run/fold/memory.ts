/** What events do to the workflow's memory. The same rules as the engine's `memory` and `run::view`. */
import type { Entry, MemoryState, MemoryTurn } from "@/bindings";

type Started = Extract<Entry, { type: "run.started" }>;
type Appended = Extract<Entry, { type: "memory.appended" }>;

/** The memory that a run starts with: its messages are not messages of this run. */
export function memoryOfConversation(started: Started): MemoryState | undefined {
  const memory = started.conversation?.memory;
  if (!memory) return undefined;
  const turns = memory.turns?.map(({ message: _, ...turn }) => turn);
  return stateOf(memory.summary, turns ?? [], { changedAt: started.at });
}

/** The memory after a change. */
export function applyToMemory(state: MemoryState | undefined, entry: Appended): MemoryState {
  const { change, node, epoch, at } = entry;
  const turns = [...(state?.turns ?? []), ...change.turns].slice(change.dropped ?? 0);
  const changed = { changedBy: { node, epoch }, changedAt: at, ...(change.error && { error: change.error }) };
  return stateOf(change.summary ?? state?.summary, turns, changed);
}

function stateOf(
  summary: MemoryState["summary"],
  turns: MemoryTurn[],
  changed: Pick<MemoryState, "changedAt" | "changedBy" | "error">,
): MemoryState {
  return { ...(summary && { summary }), ...(turns.length > 0 && { turns }), ...changed };
}
