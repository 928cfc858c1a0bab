/** Which nodes are not as they were when a run started: what they show of it is a result of an older flow. */
import type { Edge, Flow, Node, NodeId } from "@/bindings";
import { equalJson } from "@/design/json/equal-json";

const NONE: ReadonlySet<NodeId> = new Set();
// Flows are immutable; all cards ask about the same two.
const latest = new WeakMap<Flow, { now: Flow; stale: ReadonlySet<NodeId> }>();

/**
 * The nodes with a type, config, policy or incoming edges that changed since `ran`. Names and places make no
 * difference, nor does an edge that was deleted and drawn again.
 */
export function staleNodes(ran: Flow, now: Flow): ReadonlySet<NodeId> {
  if (ran === now || (ran.nodes === now.nodes && ran.edges === now.edges)) return NONE;
  const known = latest.get(ran);
  if (known?.now === now) return known.stale;
  const stale = new Set<NodeId>();
  for (const [id, node] of Object.entries(now.nodes)) if (!isSame(ran.nodes[id], node)) stale.add(id);
  const [before, after] = [connections(ran), connections(now)];
  for (const [key, target] of after) if (!before.has(key)) stale.add(target);
  for (const [key, target] of before) if (!after.has(key)) stale.add(target);
  latest.set(ran, { now, stale });
  return stale;
}

/** The nodes that edges lead to, by what the edges connect. Their ids say nothing: an edge drawn again has another one. */
function connections(flow: Flow): Map<string, NodeId> {
  const key = ({ source, sourceOutput, target, targetInput }: Edge) =>
    JSON.stringify([source, sourceOutput, target, targetInput]);
  return new Map(Object.values(flow.edges).map((edge) => [key(edge), edge.target]));
}

function isSame(before: Node | undefined, now: Node): boolean {
  if (before === now) return true;
  if (before === undefined) return false;
  // What was taken from a run as a pin is what the card shows.
  const apart = { title: undefined, ...(now.pin?.run === undefined ? {} : { pin: undefined }) };
  return equalJson({ ...before, ...apart }, { ...now, ...apart });
}
