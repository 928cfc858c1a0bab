/** The texts of the memory panel: steps as lines, the origin of a memory, its day. */
import type { MemoryContent, MemoryKind, MemoryRecord } from "@/bindings";
import { isUntrusted, parseOrigin } from "@/run/nodes/origins";
import { TEXTS } from "./texts";

/** The content of a form: the steps are lines. */
export type MemoryDraft = { kind: MemoryKind; text: string; steps: string };

export function draftOf({ kind, text, steps = [] }: MemoryContent): MemoryDraft {
  return { kind, text, steps: steps.join("\n") };
}

/** The content of a draft. Only procedures have steps; empty lines are dropped. */
export function contentOf({ kind, text, steps }: MemoryDraft): MemoryContent {
  const lines = steps
    .split("\n")
    .map((step) => step.trim())
    .filter(Boolean);
  return kind === "procedure" ? { kind, text: text.trim(), steps: lines } : { kind, text: text.trim() };
}

/** Whether a draft can be stored. */
export function isComplete(draft: MemoryDraft): boolean {
  const { text, steps = [] } = contentOf(draft);
  return text !== "" && (draft.kind !== "procedure" || steps.length > 0);
}

/**
 * The origin of a memory, in one line: the run or person that stored it, and the places of others that it was made
 * from.
 */
export function sourceText({ source: { flow, node }, origins = [] }: MemoryRecord): string {
  const by = flow === undefined ? TEXTS.byYou : TEXTS.byFlow(flow || "Untitled", node);
  const untrusted = origins.map(parseOrigin).filter(isUntrusted);
  return [by, ...untrusted.map(({ place }) => TEXTS.fromPlace(place))].join(" · ");
}

/** The day of a time as a person says it: a month and a day, and the year if it is another one. */
export function dayText(at: number, now: number): string {
  const [day, today] = [new Date(at), new Date(now)];
  if (day.toDateString() === today.toDateString()) return "today";
  const year = day.getFullYear() === today.getFullYear() ? undefined : "numeric";
  return day.toLocaleDateString("en", { month: "short", day: "numeric", year });
}

/** The selection without memories that are gone. */
export function stillThere(selected: ReadonlySet<string>, memories: readonly MemoryRecord[]): ReadonlySet<string> {
  const known = new Set(memories.map(({ id }) => id));
  const kept = [...selected].filter((id) => known.has(id));
  return kept.length === selected.size ? selected : new Set(kept);
}
