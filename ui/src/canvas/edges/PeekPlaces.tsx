import { useLayoutEffect } from "react";
import { boxesOf } from "@/canvas/measure/boxes";
import { MANY_NODES } from "@/canvas/view/view";
import type { CanvasEdge, CanvasNode, FrameNode, PeekPlace } from "@/workspace/canvas-store";
import { useWorkspace } from "@/workspace/context";
import { loopBorder, peekEdges, placePeeks } from "./peek-places";

type Drawn = { nodes: readonly CanvasNode[]; frames: readonly FrameNode[]; edges: readonly CanvasEdge[] };

/**
 * Finds places for the values on edges whenever cards or edges have moved; while cards are dragged, each value is in the middle
 * of its edge. So it is in a flow with very many nodes, too.
 */
export function PeekPlaces({ nodes, frames, edges }: Drawn) {
  const { canvas } = useWorkspace();
  useLayoutEffect(() => {
    const before = canvas.state.peekPlaces;
    if (nodes.length > MANY_NODES || [...nodes, ...frames].some(({ dragging }) => dragging)) {
      if (before) canvas.set({ peekPlaces: undefined });
      return;
    }
    const boxes = boxesOf(nodes);
    const covered = nodes.flatMap(({ id, type }) => {
      const box = boxes.get(id);
      if (!box) return [];
      return type === "loop" ? loopBorder(box) : [box];
    });
    const places = placePeeks(peekEdges(nodes, frames, edges), covered);
    for (const [id, place] of places) {
      const old = before?.get(id);
      if (old && isSame(old, place)) places.set(id, old);
    }
    canvas.set({ peekPlaces: places });
  }, [canvas, nodes, frames, edges]);
  return null;
}

function isSame(a: PeekPlace, b: PeekPlace): boolean {
  return a.at.x === b.at.x && a.at.y === b.at.y && a.width === b.width;
}
