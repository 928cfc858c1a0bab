/**
 * Which nodes and edges are elements of the page while the canvas shows tiles. Of a flow with very many, only those that the
 * pointer or the keyboard is at or can reach next: React Flow keeps the others hidden.
 */
import { useMemo } from "react";
import { MANY_NODES } from "@/canvas/view/view";
import type { CanvasEdge, CanvasElement } from "@/workspace/canvas-store";
import { useCanvas } from "@/workspace/context";

type Hideable = CanvasElement | CanvasEdge;

/** One hidden copy of each, so that React Flow takes over only what has changed. */
const copies = new WeakMap<Hideable, Hideable>();

/** The same nodes and edges, hidden but for those that have to be in the page. */
export function useInPage(nodes: CanvasElement[], edges: CanvasEdge[]): [CanvasElement[], CanvasEdge[]] {
  const isPartial = useCanvas((state) => state.far === true) && nodes.length > MANY_NODES;
  const pointed = useCanvas((state) => state.pointed);
  const pointedEdge = useCanvas((state) => state.pointedEdge);
  const renaming = useCanvas((state) => state.renaming);
  const shownNodes = useMemo(() => {
    if (!isPartial) return nodes;
    const needed = reachable(nodes)
      .add(pointed ?? "")
      .add(renaming ?? "");
    return nodes.map((node) => (needed.has(node.id) ? node : hidden(node)));
  }, [isPartial, nodes, pointed, renaming]);
  const shownEdges = useMemo(
    () => (isPartial ? edges.map((edge) => (edge.selected || edge.id === pointedEdge ? edge : hidden(edge))) : edges),
    [isPartial, edges, pointedEdge],
  );
  return [shownNodes, shownEdges];
}

/** The selected node with those before and after it, which Tab leads to; without one, the first and the last. */
export function reachable(nodes: readonly Pick<CanvasElement, "id" | "selected">[]): Set<string> {
  const at = nodes.findIndex(({ selected }) => selected);
  const found = at < 0 ? [nodes[0], nodes.at(-1)] : [nodes[at - 1], nodes[at], nodes[at + 1]];
  return new Set(found.flatMap((node) => node?.id ?? []));
}

function hidden<T extends Hideable>(shown: T): T {
  let copy = copies.get(shown);
  if (!copy) {
    copy = { ...shown, hidden: true };
    copies.set(shown, copy);
  }
  return copy as T;
}
