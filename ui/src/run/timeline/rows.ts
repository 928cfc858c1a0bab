/** The timeline's rows: each node, below it the tools it called. */
import type { NodeId } from "@/bindings";
import type { NodeView } from "../fold/types";
import type { RunSession } from "../live/session";
import { type NodeSpans, type Span, spansOf } from "./spans";

export type TimelineRow = { key: string; node: NodeId; tool?: string; view: NodeView; spans: Span[] };

// Views never change, so what is worked out of one holds for good.
const known = new WeakMap<NodeView, NodeSpans>();

export function timelineRows(session: RunSession): TimelineRow[] {
  const rows: TimelineRow[] = [];
  for (const node of session.order) {
    const view = session.fold.nodes.get(node);
    if (!view) continue;
    let found = known.get(view);
    if (!found) {
      found = spansOf(view);
      known.set(view, found);
    }
    rows.push({ key: node, node, view, spans: found.spans });
    for (const tool of found.tools) {
      rows.push({ key: `${node}\u0000${tool.name}`, node, tool: tool.name, view, spans: tool.spans });
    }
  }
  return rows;
}

/** From when to when the run is shown. A run that waits stands still. */
export function timeRange(session: RunSession, now: number): { start: number; end: number } {
  const { head } = session.fold;
  const start = head.startedAt ?? now;
  const last = session.log.entries.at(-1)?.at ?? start;
  if (head.endedAt !== undefined) return { start, end: Math.max(head.endedAt, start + 1) };
  const end = session.interrupted ? last : Math.max(now, last);
  return { start, end: Math.max(end, start + 1) };
}
