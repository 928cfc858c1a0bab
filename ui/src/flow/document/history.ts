/** Undo and redo of whole flows. Flows share unchanged parts, so a step is as small as its edit. */
import type { Flow } from "@/bindings";
import { equalJson } from "@/design/json/equal-json";
import type { Items } from "@/flow/edits/edits";

/** A flow before an edit, with the edit's label and the selection. */
export type Step = { flow: Flow; label: string; selection: Items; merge?: string };

export type History = { past: readonly Step[]; future: readonly Step[] };

export type Moment = { flow: Flow; selection: Items };

const MAX_STEPS = 500;

export const EMPTY_HISTORY: History = { past: [], future: [] };

/**
 * Remembers the moment before an edit. An edit with the same `merge` key as the one before belongs to the same gesture
 * (a word typed, an arrow key held) and is undone together with it.
 */
export function remember(history: History, before: Moment, label: string, merge?: string): History {
  const last = history.past.at(-1);
  if (merge !== undefined && last?.merge === merge && history.future.length === 0) return history;
  const past = [...history.past.slice(1 - MAX_STEPS), stepAt(before, label, merge)];
  return { past, future: [] };
}

/** The moment before a gesture that has brought the flow back to what it was then, and the history without it. */
export function withoutEffect(
  history: History,
  now: Flow,
  merge: string | undefined,
): { flow: Flow; history: History } | undefined {
  const last = history.past.at(-1);
  if (merge === undefined || last?.merge !== merge || !equalJson(last.flow, now)) return undefined;
  return { flow: last.flow, history: { ...history, past: history.past.slice(0, -1) } };
}

/** Ends the gesture: the next edit is a step of its own. */
export function seal(history: History): History {
  const last = history.past.at(-1);
  if (last?.merge === undefined) return history;
  return { ...history, past: [...history.past.slice(0, -1), { ...last, merge: undefined }] };
}

/** Goes one step back; undefined if there is none. */
export function undo(history: History, now: Moment): { history: History; moment: Moment; label: string } | undefined {
  const step = history.past.at(-1);
  if (!step) return undefined;
  return {
    history: { past: history.past.slice(0, -1), future: [...history.future, stepAt(now, step.label)] },
    moment: step,
    label: step.label,
  };
}

/** Reverts the last undo; undefined if there is none. */
export function redo(history: History, now: Moment): { history: History; moment: Moment; label: string } | undefined {
  const step = history.future.at(-1);
  if (!step) return undefined;
  return {
    history: { past: [...history.past, stepAt(now, step.label)], future: history.future.slice(0, -1) },
    moment: step,
    label: step.label,
  };
}

/** Copies only what a step needs: the whole document state would keep every earlier step alive. */
function stepAt({ flow, selection }: Moment, label: string, merge?: string): Step {
  return { flow, selection, label, merge };
}
