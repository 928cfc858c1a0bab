/** What a check found, by node. */
import type { Diagnostic, NodeId } from "@/bindings";

const NONE: readonly Diagnostic[] = [];
// A check returns a new list, so each list is indexed once.
const indexes = new WeakMap<readonly Diagnostic[], Map<NodeId, Diagnostic[]>>();

/** Diagnostics by node, worked out once for each check. */
export function diagnosticsOf(all: readonly Diagnostic[], node: NodeId): readonly Diagnostic[] {
  let index = indexes.get(all);
  if (!index) {
    index = byNode(all);
    indexes.set(all, index);
  }
  return index.get(node) ?? NONE;
}

function byNode(all: readonly Diagnostic[]): Map<NodeId, Diagnostic[]> {
  const index = new Map<NodeId, Diagnostic[]>();
  for (const found of all) {
    if (found.node === undefined) continue;
    const list = index.get(found.node);
    if (list) list.push(found);
    else index.set(found.node, [found]);
  }
  return index;
}
