/** Folded loops and frames on the canvas: the element that stands for a node in one, and the ends of its edges. */
import { Position as Sides } from "@xyflow/react";
import type { Edge, Flow, NodeId } from "@/bindings";
import { CARD_WIDTH, portY } from "@/canvas/measure/geometry";
import { innerEnds } from "@/flow/containers/containers";
import { foldedAround } from "@/flow/containers/folding";
import type { CanvasNode, FoldedSides } from "@/workspace/canvas-store";
import { frameElement } from "./frame-ids";
import { FOLDED_HANDLE, handleId } from "./pulled-ends";

type Handles = NonNullable<CanvasNode["handles"]>;

export const NO_SIDES: FoldedSides = Object.freeze({ into: false, outOf: false });

/** The handles at the sides of a folded element, where the edges of its nodes end. */
export function foldedHandles({ into, outOf }: FoldedSides): Handles {
  const box = { y: portY(0) - 27, width: 1, height: 1 };
  return [
    ...(into ? [{ id: FOLDED_HANDLE, type: "target" as const, position: Sides.Left, x: 0, ...box }] : []),
    ...(outOf ? [{ id: FOLDED_HANDLE, type: "source" as const, position: Sides.Right, x: CARD_WIDTH, ...box }] : []),
  ];
}

/** For each folded element, the sides at which edges of its nodes are drawn. */
export function foldedSides(flow: Flow): Map<string, FoldedSides> {
  const sides = new Map<string, FoldedSides>();
  for (const edge of Object.values(flow.edges)) {
    const [source, target] = [drawnFor(flow, edge.source), drawnFor(flow, edge.target)];
    if (source === target) continue;
    if (target !== edge.target && edge.source !== target)
      sides.set(target, { ...(sides.get(target) ?? NO_SIDES), into: true });
    if (source !== edge.source && edge.target !== source)
      sides.set(source, { ...(sides.get(source) ?? NO_SIDES), outOf: true });
  }
  return sides;
}

export type DrawnEnds = {
  source: string;
  target: string;
  sourceHandle: string;
  targetHandle: string;
  /** Both ends are in the same folded loop or frame. */
  hidden: boolean;
};

/** Where the ends of an edge are drawn: at their ports, or at the folded loop or frame they are in. */
export function drawnEnds(flow: Flow, edge: Edge): DrawnEnds {
  const inner = innerEnds(flow, edge);
  const [source, target] = [drawnFor(flow, edge.source), drawnFor(flow, edge.target)];
  return {
    source,
    target,
    sourceHandle: source === edge.source ? handleId(edge.sourceOutput, inner.source) : FOLDED_HANDLE,
    targetHandle: target === edge.target ? handleId(edge.targetInput, inner.target) : FOLDED_HANDLE,
    hidden: source === target && (source !== edge.source || target !== edge.target),
  };
}

/** The element that stands for a node on the canvas: itself, or the outermost folded loop or frame around it. */
export function drawnFor(flow: Flow, id: NodeId): string {
  const fold = foldedAround(flow, id);
  if (!fold) return id;
  return fold.frame !== undefined ? frameElement(fold.frame) : fold.loop;
}
