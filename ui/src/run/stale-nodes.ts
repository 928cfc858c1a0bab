/** Which nodes are not as they were when a run started: what they show of it is a result of an older flow. */
import type { Flow, Node, NodeId } from "@/bindings";

const NONE: ReadonlySet<NodeId> = new Set();
// Flows are immutable; all cards ask about the same two.
const latest = new WeakMap<Flow, { now: Flow; stale: ReadonlySet<NodeId> }>();

/** The nodes whose type, config, policy or incoming edges have changed since `ran`. Names and places make no difference. */
export function staleNodes(ran: Flow, now: Flow): ReadonlySet<NodeId> {
  if (ran === now || (ran.nodes === now.nodes && ran.edges === now.edges)) return NONE;
  const known = latest.get(ran);
  if (known?.now === now) return known.stale;
  const stale = new Set<NodeId>();
  for (const [id, node] of Object.entries(now.nodes)) if (!isSame(ran.nodes[id], node)) stale.add(id);
  for (const [id, edge] of Object.entries(now.edges)) if (!Object.hasOwn(ran.edges, id)) stale.add(edge.target);
  for (const [id, edge] of Object.entries(ran.edges)) if (!Object.hasOwn(now.edges, id)) stale.add(edge.target);
  latest.set(ran, { now, stale });
  return stale;
}

function isSame(before: Node | undefined, now: Node): boolean {
  return before === now || (before !== undefined && meaning(before) === meaning(now));
}

function meaning({ title: _, ...rest }: Node): string {
  return JSON.stringify(rest);
}
