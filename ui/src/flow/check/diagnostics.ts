/** What a check found, by node, and what can be done about it with one press. */
import type { CheckedFlow, Diagnostic, Flow, NodeId } from "@/bindings";
import { edgeKind } from "@/flow/connect/ports";
import { routeThroughNext } from "@/flow/edits/container-edits";
import type { NodeTypes } from "@/flow/node-types/node-types";
import { TEXTS } from "@/flow/texts";

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

export type QuickFix = { label: string; flow: Flow };

export type Finding = Pick<Diagnostic, "edge" | "node"> & { code: string; pointer?: string };

/** The flow without the finding; undefined where that needs a decision of the person. */
export function quickFix(types: NodeTypes, flow: Flow, checked: CheckedFlow, finding: Finding): QuickFix | undefined {
  const mark = /\/unconfirmed\/(\d+)$/.exec(finding.pointer ?? "")?.[1];
  if (mark !== undefined && finding.node !== undefined) return confirmMark(flow, finding.node, Number(mark));
  if (finding.code !== "loop.side_exit" || finding.edge === undefined) return undefined;
  const fixed = routeThroughNext(flow, finding.edge, (edge) => edgeKind(types, flow, checked, edge) === "context");
  return fixed && { label: TEXTS.routeThroughNext, flow: fixed };
}

/** The flow without one of the marks that an import made on a node: a person has seen how the node differs from its original. */
function confirmMark(flow: Flow, id: NodeId, index: number): QuickFix | undefined {
  const node = flow.nodes[id];
  const mark = node?.unconfirmed?.[index];
  if (!node || !mark) return undefined;
  const rest = node.unconfirmed?.filter((_, at) => at !== index) ?? [];
  const { unconfirmed: _, ...plain } = node;
  const changed = rest.length > 0 ? { ...node, unconfirmed: rest } : plain;
  const label = mark.kind === "edgeLost" ? TEXTS.confirmOrder : TEXTS.confirmStart;
  return { label, flow: { ...flow, nodes: { ...flow.nodes, [id]: changed } } };
}
