/** What differs between two versions of a flow. */
import type { Flow, Node } from "@/bindings";
import { equalJson } from "@/design/json/equal-json";

/** Names of nodes, a count of edges, what else of the flow differs, and whether anything stands elsewhere on the canvas. */
export type FlowChanges = {
  added: string[];
  removed: string[];
  changed: string[];
  edges: number;
  rest: FlowPart[];
  layout: boolean;
};

const PARTS = ["name", "description", "settings", "frames"] as const;
export type FlowPart = (typeof PARTS)[number];

/** What one would have to do to `from` to get `to`. */
export function flowChanges(from: Flow, to: Flow): FlowChanges {
  const ids = new Set([...Object.keys(from.nodes), ...Object.keys(to.nodes)]);
  const edges = new Set([...Object.keys(from.edges), ...Object.keys(to.edges)]);
  const changes: FlowChanges = {
    added: [],
    removed: [],
    changed: [],
    edges: 0,
    rest: PARTS.filter((part) => !equalJson(from[part], to[part])),
    layout: !equalJson([from.layout, from.routes], [to.layout, to.routes]),
  };
  for (const id of ids) {
    const [before, after] = [from.nodes[id], to.nodes[id]];
    if (!before && after) changes.added.push(nameOf(id, after));
    else if (before && !after) changes.removed.push(nameOf(id, before));
    else if (after && !equalJson(before, after)) changes.changed.push(nameOf(id, after));
  }
  for (const id of edges) if (!equalJson(from.edges[id], to.edges[id])) changes.edges += 1;
  return changes;
}

function nameOf(id: string, { title }: Node): string {
  return title || id;
}
