/** Brings a node or an edge into view and selects it. A view in which it can be read already stays where it is. */
import type { NodeId } from "@/bindings";
import { foldsAround } from "@/flow/containers/folding";
import { displayedFlow } from "@/flow/document/flow-state";
import type { RevealTarget } from "@/workspace/canvas-store";
import type { Workspace } from "@/workspace/workspace";
import { inView, showAll } from "./view";

export function reveal(workspace: Workspace, { node, edge, center = false }: RevealTarget): void {
  const { editor } = workspace;
  const flow = displayedFlow(editor.state);
  const ends = edge !== undefined ? flow.edges[edge] : undefined;
  if (node !== undefined) editor.selectOnly({ nodes: [node] });
  else if (edge !== undefined) editor.selectOnly({ edges: [edge] });
  const displayed = node !== undefined ? [node] : ends ? [ends.source, ends.target] : [];
  const nodes = displayed.filter((id) => Object.hasOwn(flow.nodes, id));
  const folded = nodes.flatMap((id) => foldsAround(flow, id));
  if (folded.length > 0) {
    const loops = folded.flatMap(({ loop }) => loop ?? []);
    editor.fold({ nodes: loops, frames: folded.flatMap(({ frame }) => frame ?? []) }, false);
    // What was folded is drawn in the next frame.
    requestAnimationFrame(() => requestAnimationFrame(() => bringIntoView(workspace, nodes, center)));
  } else bringIntoView(workspace, nodes, center);
}

function bringIntoView(workspace: Workspace, nodes: readonly NodeId[], center: boolean): void {
  if (nodes.length > 0 && (center || !inView(workspace, nodes)))
    showAll(workspace, { nodes, maxZoom: 1, padding: 0.25, duration: 250 });
}
