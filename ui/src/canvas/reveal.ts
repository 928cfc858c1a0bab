/** Brings a node or an edge into view and selects it. A view in which it can be read already stays where it is. */
import type { EdgeId, NodeId } from "@/bindings";
import { selectOnly } from "@/flow/actions";
import { displayedFlow, flowStore } from "@/flow/store";
import { inView, showAll } from "./view";

type Revealed = {
  node?: NodeId;
  edge?: EdgeId;
  /** Also centers nodes that are already in view. */
  center?: boolean;
};

export function reveal({ node, edge, center = false }: Revealed): void {
  const flow = displayedFlow(flowStore.getState());
  const ends = edge !== undefined ? flow.edges[edge] : undefined;
  if (node !== undefined) selectOnly({ nodes: [node] });
  else if (edge !== undefined) selectOnly({ edges: [edge] });
  const displayed = node !== undefined ? [node] : ends ? [ends.source, ends.target] : [];
  const nodes = displayed.filter((id) => Object.hasOwn(flow.nodes, id));
  if (nodes.length > 0 && (center || !inView(nodes))) showAll({ nodes, maxZoom: 1, padding: 0.25, duration: 250 });
}
