/** Which edges of a new layout have to go around cards, and by which points. */
import type { EdgeId, Flow, NodeId, Position } from "@/bindings";
import { handleId } from "@/canvas/elements/pulled-ends";
import { contains } from "@/canvas/measure/boxes";
import { pointsAlong } from "@/canvas/measure/paths";
import type { Box, Point } from "@/flow/align/align";
import { containerOf, cornerOf, innerEnds } from "@/flow/containers/containers";
import type { CanvasNode } from "@/workspace/canvas-store";

/** The least room between an edge and a card, in canvas units. */
const CLEARANCE = 6;

/**
 * For each edge whose usual curve would cross a card, its points on the canvas. `flow` has the new places, `bends` are relative to the
 * body that an edge is in.
 */
export function routesAround(
  flow: Flow,
  nodes: readonly CanvasNode[],
  places: ReadonlyMap<NodeId, Partial<Position>>,
  bends: ReadonlyMap<EdgeId, readonly Point[]>,
): [EdgeId, Point[]][] {
  const placed = new Map(nodes.map((node) => [node.id, { node, box: boxOf(node, places.get(node.id)) }]));
  const end = (id: NodeId, type: "source" | "target", handle: string): Point | undefined => {
    const { node, box } = placed.get(id) ?? {};
    const port = node?.handles?.find((one) => one.type === type && one.id === handle);
    if (!box || !port) return undefined;
    return { x: type === "source" ? box.x + box.width : box.x, y: box.y + port.y + (port.height ?? 0) / 2 };
  };
  return [...bends].flatMap(([id, points]): [EdgeId, Point[]][] => {
    const edge = flow.edges[id];
    if (!edge) return [];
    const container = containerOf(flow, edge.source);
    const inner = innerEnds(flow, edge);
    const from = end(edge.source, "source", handleId(edge.sourceOutput, inner.source));
    const to = end(edge.target, "target", handleId(edge.targetInput, inner.target));
    // Edges from or to the inside of a loop have no ends here: their points are of another body.
    if (!from || !to || container !== containerOf(flow, edge.target)) return [];
    const others = [...placed].flatMap(([other, { node, box }]) =>
      node.parentId === container && other !== edge.source && other !== edge.target ? [grown(box)] : [],
    );
    const way = pointsAlong(from, to);
    if (!others.some((box) => way.some((point) => contains(box, point)))) return [];
    const origin = container === undefined ? { x: 0, y: 0 } : cornerOf(flow, container);
    return [[id, points.map(({ x, y }) => ({ x: x + origin.x, y: y + origin.y }))]];
  });
}

function boxOf({ position, measured }: CanvasNode, { x, y, width, height }: Partial<Position> = {}): Box {
  return {
    x: x ?? position.x,
    y: y ?? position.y,
    width: width ?? measured?.width ?? 0,
    height: height ?? measured?.height ?? 0,
  };
}

function grown({ x, y, width, height }: Box): Box {
  return { x: x - CLEARANCE, y: y - CLEARANCE, width: width + 2 * CLEARANCE, height: height + 2 * CLEARANCE };
}
