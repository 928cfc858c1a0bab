/** Edges that only put branches in turn: without them, their target would start with the same node as what it waits for. */
import type { CheckedFlow, EdgeId, Flow, NodeId } from "@/bindings";
import type { NodeTypes } from "@/flow/node-types/node-types";
import { declaredPorts } from "./ports";

/**
 * The edges into an input for order alone that come from further down a branch, while another such edge comes from where the branch
 * begins: a trigger starts both, and one waits for the other.
 */
export function turnEdges(types: NodeTypes, flow: Flow, checked: CheckedFlow): Set<EdgeId> {
  const found = new Set<EdgeId>();
  const sources = new Map<NodeId, NodeId[]>();
  const byInput = new Map<string, EdgeId[]>();
  for (const [id, { source, target, targetInput }] of Object.entries(flow.edges)) {
    add(sources, target, source);
    add(byInput, JSON.stringify([target, targetInput]), id);
  }
  for (const ids of byInput.values()) {
    const [first] = ids.flatMap((id) => flow.edges[id] ?? []);
    if (ids.length < 2 || !first) continue;
    const ports = declaredPorts(types, flow, checked, first.target);
    if (!ports?.inputs.find(({ name }) => name === first.targetInput)?.orderOnly) continue;
    const starts = new Set(ids.flatMap((id) => flow.edges[id]?.source ?? []));
    for (const id of ids) if (leadsBackTo(flow.edges[id]?.source, starts, sources)) found.add(id);
  }
  return found;
}

function add(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** Whether one of some other nodes comes before a node. */
function leadsBackTo(
  node: NodeId | undefined,
  wanted: ReadonlySet<NodeId>,
  sources: ReadonlyMap<NodeId, readonly NodeId[]>,
): boolean {
  if (node === undefined) return false;
  const seen = new Set([node]);
  const open = [node];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const before of sources.get(at) ?? []) {
      if (seen.has(before)) continue;
      if (wanted.has(before)) return true;
      seen.add(before);
      open.push(before);
    }
  }
  return false;
}
