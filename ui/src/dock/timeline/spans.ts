/** The spans of a node's row in the timeline: when it worked, waited for a person or for another attempt, or stood still with the run. */
import type { Epoch } from "@/bindings";
import type { EpochView, NodeView } from "@/run/fold/types";
import type { Standstill } from "@/run/live/event-log";

export type SpanKind = "work" | "wait" | "delay" | "failed" | "stopped";
/** `to` is undefined for open spans. */
export type Span = { kind: SpanKind; from: number; to?: number; epoch: Epoch };
export type ToolRow = { name: string; spans: Span[] };
export type NodeSpans = { spans: Span[]; tools: ToolRow[] };

// Views are immutable, so results can be cached by view.
const known = new WeakMap<EpochView, EpochSpans>();
type EpochSpans = { spans: Span[]; tools: Map<string, Span[]> };

export function spansOf(view: NodeView): NodeSpans {
  const spans: Span[] = [];
  const tools = new Map<string, Span[]>();
  for (const epoch of view.epochs) {
    const found = ofEpoch(epoch);
    for (const span of found.spans) spans.push(span);
    for (const [name, more] of found.tools) {
      const row = tools.get(name);
      if (row) for (const span of more) row.push(span);
      else tools.set(name, [...more]);
    }
  }
  return { spans, tools: [...tools].map(([name, row]) => ({ name, spans: row })) };
}

/** The tools a node has called, each once, in the order of their first calls. */
export function toolNamesOf(view: NodeView): Set<string> {
  const names = new Set<string>();
  for (const epoch of view.epochs) for (const name of ofEpoch(epoch).tools.keys()) names.add(name);
  return names;
}

function ofEpoch(view: EpochView): EpochSpans {
  let found = known.get(view);
  if (!found) {
    found = { spans: workOf(view), tools: toolsOf(view) };
    known.set(view, found);
  }
  return found;
}

function workOf(view: EpochView): Span[] {
  const spans: Span[] = [];
  const { epoch } = view;
  view.attempts.forEach((attempt, index) => {
    const kind: SpanKind = attempt.error ? "failed" : "work";
    let time = attempt.startedAt;
    for (const pause of view.pauses) {
      if (pause.askedAt < time || (attempt.endedAt !== undefined && pause.askedAt > attempt.endedAt)) continue;
      if (pause.askedAt > time) spans.push({ kind, from: time, to: pause.askedAt, epoch });
      spans.push({ kind: "wait", from: pause.askedAt, to: pause.answeredAt ?? attempt.endedAt, epoch });
      time = pause.answeredAt ?? attempt.endedAt ?? Number.POSITIVE_INFINITY;
    }
    if (attempt.endedAt === undefined ? Number.isFinite(time) : time <= attempt.endedAt) {
      spans.push({ kind, from: time, to: attempt.endedAt, epoch });
    }
    if (attempt.delayMs !== undefined && attempt.endedAt !== undefined) {
      spans.push({
        kind: "delay",
        from: attempt.endedAt,
        to: view.attempts[index + 1]?.startedAt ?? view.endedAt,
        epoch,
      });
    }
  });
  return spans;
}

function toolsOf(view: EpochView): Map<string, Span[]> {
  const tools = new Map<string, Span[]>();
  for (const tool of view.tools) {
    const { name } = tool.call;
    const kind: SpanKind = tool.error ? "failed" : "work";
    const span: Span = { kind, from: tool.startedAt, to: tool.endedAt ?? view.endedAt, epoch: view.epoch };
    const row = tools.get(name);
    if (row) row.push(span);
    else tools.set(name, [span]);
  }
  return tools;
}

/** Spans without the time in which the whole run stood still, which are spans of their own. What waits for a person goes on waiting. */
export function splitByStandstills(spans: readonly Span[], standstills: readonly Standstill[]): readonly Span[] {
  if (standstills.length === 0) return spans;
  const pieces: Span[] = [];
  for (const span of spans) {
    if (span.kind === "wait") {
      pieces.push(span);
      continue;
    }
    const end = span.to ?? Number.POSITIVE_INFINITY;
    let from = span.from;
    for (let at = firstAfter(standstills, span.from); at < standstills.length; at++) {
      const still = standstills[at] as Standstill;
      if (still.from >= end) break;
      if (still.from > from) pieces.push({ ...span, from, to: still.from });
      const to = Math.min(still.to ?? Number.POSITIVE_INFINITY, end);
      pieces.push({
        ...span,
        kind: "stopped",
        from: Math.max(from, still.from),
        to: Number.isFinite(to) ? to : undefined,
      });
      from = to;
    }
    if (from === span.from || from < end) pieces.push({ ...span, from });
  }
  return pieces;
}

/** The first standstill that is not over at a time. They come in order. */
function firstAfter(standstills: readonly Standstill[], time: number): number {
  let low = 0;
  let high = standstills.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((standstills[middle]?.to ?? Number.POSITIVE_INFINITY) > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

export type Mark = { span: Span; left: number; width: number; count: number };

/** The least a span is wide, in pixels, and how near ones of a kind are drawn as one. */
const MIN_MARK_WIDTH_PX = 3;

/** Spans as they are drawn between two pixels, near ones of a kind joined: never more than fit. */
export function marksOf(
  spans: readonly Span[],
  place: (time: number) => number,
  now: number,
  from: number,
  to: number,
): Mark[] {
  const marks: Mark[] = [];
  const latest = new Map<SpanKind, Mark>();
  for (const span of spans) {
    const left = place(span.from);
    const right = Math.max(left + MIN_MARK_WIDTH_PX, place(span.to ?? now));
    if (right < from || left > to) continue;
    const last = latest.get(span.kind);
    if (last && left < last.left + last.width + 1 && right - last.left < MIN_MARK_WIDTH_PX * 2) {
      last.width = Math.max(last.width, right - last.left);
      last.count += 1;
    } else {
      const mark = { span, left, width: right - left, count: 1 };
      latest.set(span.kind, mark);
      marks.push(mark);
    }
  }
  return marks;
}

/** The least width of the target that a mark is, in pixels. */
const MIN_TARGET_WIDTH_PX = 24;

/** The mark at a place of a row. Beside all marks, it is the nearest one with a target that reaches the place. */
export function markAt(marks: readonly Mark[], x: number): Mark | undefined {
  let nearest: Mark | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const mark of marks) {
    const distance = Math.max(mark.left - x, x - mark.left - mark.width, 0);
    const reach = Math.max(0, (MIN_TARGET_WIDTH_PX - mark.width) / 2);
    // Of marks above each other, the last one is drawn.
    if (distance > reach || distance > least) continue;
    nearest = mark;
    least = distance;
  }
  return nearest;
}
