/** Brings a node or an edge into view and selects it. */
import type { EdgeId, NodeId } from "@/bindings";
import { selectOnly } from "@/flow/actions";
import { flowStore, shownFlow } from "@/flow/store";
import { showAll } from "./view";

export function reveal({ node, edge }: { node?: NodeId; edge?: EdgeId }): void {
  const flow = shownFlow(flowStore.getState());
  const ends = edge !== undefined ? flow.edges[edge] : undefined;
  if (node !== undefined) selectOnly({ nodes: [node] });
  else if (edge !== undefined) selectOnly({ edges: [edge] });
  const shown = node !== undefined ? [node] : ends ? [ends.source, ends.target] : [];
  const nodes = shown.filter((id) => Object.hasOwn(flow.nodes, id));
  if (nodes.length > 0) showAll({ nodes, maxZoom: 1, padding: 0.25, duration: 250 });
}
