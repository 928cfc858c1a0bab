/** The timeline's rows: each node, below it the tools it called. */
import type { NodeId } from "@/bindings";
import { containersAround } from "@/flow/containers/containers";
import type { NodeView } from "@/run/fold/types";
import type { Standstill } from "@/run/live/event-log";
import type { RunSession } from "@/run/live/session";
import { type NodeSpans, type Span, spansOf, splitByStandstills, toolNamesOf } from "./spans";

/** One line of the timeline. Its spans are worked out by `spansIn` for the lines in view only. */
export type TimelineRow = { key: string; node: NodeId; tool?: string; view: NodeView };

// Views are immutable, so results can be cached by view.
const rowsOfViews = new WeakMap<NodeView, TimelineRow[]>();
const spansOfViews = new WeakMap<NodeView, NodeSpans>();

export function timelineRows(session: RunSession): TimelineRow[] {
  const rows: TimelineRow[] = [];
  for (const node of loopsWithBodies(session)) {
    const view = session.fold.nodes.get(node);
    if (view) for (const row of rowsOf(node, view)) rows.push(row);
  }
  return rows;
}

/** The nodes in the order of their first events; the nodes of a loop directly below it. */
function loopsWithBodies({ order, flow }: RunSession): readonly NodeId[] {
  const known = new Set(order);
  const bodies = new Map<NodeId | undefined, NodeId[]>();
  for (const node of order) {
    // A loop may have begun without an event of its own, as in a journal that is still being read.
    const loop = containersAround(flow, node).find((around) => known.has(around));
    const body = bodies.get(loop);
    if (body) body.push(node);
    else bodies.set(loop, [node]);
  }
  if (bodies.size <= 1) return order;
  const rows: NodeId[] = [];
  const open = [...(bodies.get(undefined) ?? [])].reverse();
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    rows.push(node);
    open.push(...(bodies.get(node) ?? []).toReversed());
  }
  return rows;
}

function rowsOf(node: NodeId, view: NodeView): TimelineRow[] {
  let rows = rowsOfViews.get(view);
  if (!rows) {
    rows = [{ key: node, node, view }];
    for (const tool of toolNamesOf(view)) rows.push({ key: `${node}\u0000${tool}`, node, tool, view });
    rowsOfViews.set(view, rows);
  }
  return rows;
}

const NEVER: readonly Standstill[] = [];

export function spansIn(row: TimelineRow, standstills = NEVER): readonly Span[] {
  return piecesOf(row, standstills).pieces;
}

/** How often and how long a row's node or tool has worked, without the time in which the run stood still. Open spans count up to `now`. */
export function workIn(row: TimelineRow, now: number, standstills = NEVER): { times: number; ms: number } {
  const { ms, open } = addedUp(spansIn(row, standstills));
  return { times: piecesOf(row, standstills).times, ms: open.reduce((sum, from) => sum + now - from, ms) };
}

/** Whether the row changes as time passes. */
export function isOpen(row: TimelineRow, standstills = NEVER): boolean {
  return addedUp(spansIn(row, standstills)).open.length > 0;
}

/** The spans of a row, and how many there are without standstills. */
type Pieces = { standstills: readonly Standstill[]; pieces: readonly Span[]; times: number };

const piecesOfSpans = new WeakMap<readonly Span[], Pieces>();

function piecesOf(row: TimelineRow, standstills: readonly Standstill[]): Pieces {
  const spans = wholeSpansIn(row);
  let found = piecesOfSpans.get(spans);
  if (found?.standstills !== standstills) {
    found = { standstills, pieces: splitByStandstills(spans, standstills), times: spans.length };
    piecesOfSpans.set(spans, found);
  }
  return found;
}

const NO_SPANS: readonly Span[] = [];

function wholeSpansIn(row: TimelineRow): readonly Span[] {
  let found = spansOfViews.get(row.view);
  if (!found) {
    found = spansOf(row.view);
    spansOfViews.set(row.view, found);
  }
  return row.tool === undefined ? found.spans : (found.tools.find((tool) => tool.name === row.tool)?.spans ?? NO_SPANS);
}

// A node may have thousands of iterations, and rows render several times a second: sums are cached.
const workBySpans = new WeakMap<readonly Span[], Work>();
type Work = { ms: number; open: number[] };

function addedUp(spans: readonly Span[]): Work {
  let work = workBySpans.get(spans);
  if (!work) {
    work = { ms: 0, open: [] };
    for (const { kind, from, to } of spans) {
      if (kind !== "work") continue;
      if (to === undefined) work.open.push(from);
      else work.ms += to - from;
    }
    workBySpans.set(spans, work);
  }
  return work;
}

/** The displayed time range. It does not grow while the run waits. */
export function timeRange(session: RunSession, now: number): { start: number; end: number } {
  const { head } = session.fold;
  const start = head.startedAt ?? now;
  const last = session.log.entries.at(-1)?.at ?? start;
  if (head.endedAt !== undefined) return { start, end: Math.max(head.endedAt, start + 1) };
  const end = session.interrupted ? last : Math.max(now, last);
  return { start, end: Math.max(end, start + 1) };
}
