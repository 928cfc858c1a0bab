/** The points that a person has edges pass through. In the file they are relative to the loop that both ends are in. */
import type { Edge, EdgeId, Flow, NodeId } from "@/bindings";
import type { Point } from "@/flow/align/align";
import { containersAround, cornerOf, isInBody } from "@/flow/containers/containers";

const NONE: readonly Point[] = Object.freeze([]);

export function routeOf(flow: Flow, id: EdgeId): readonly Point[] {
  const edge = flow.edges[id];
  const points = flow.routes?.[id];
  if (!edge || !points || points.length === 0) return NONE;
  const origin = originOf(flow, edge);
  return points.map(({ x, y }) => ({ x: x + origin.x, y: y + origin.y }));
}

/** Has an edge pass through these points of the canvas; through none, it takes its usual way. */
export function setRoute(flow: Flow, id: EdgeId, points: readonly Point[]): Flow {
  const edge = flow.edges[id];
  if (!edge) return flow;
  const { [id]: before, ...others } = flow.routes ?? {};
  if (points.length === 0 && !before) return flow;
  const origin = originOf(flow, edge);
  const route = points.map(({ x, y }) => ({ x: Math.round(x - origin.x), y: Math.round(y - origin.y) }));
  return withRoutes(flow, points.length === 0 ? others : { ...others, [id]: route });
}

/** The points with one more where it makes the least detour. `from` and `to` are the ends of the edge. */
export function withPoint(points: readonly Point[], from: Point, to: Point, added: Point): Point[] {
  const all = [from, ...points, to];
  const detours = all.slice(1).map((next, index) => {
    const last = all[index] ?? from;
    return distance(last, added) + distance(added, next) - distance(last, next);
  });
  const index = detours.indexOf(Math.min(...detours));
  return [...points.slice(0, index), added, ...points.slice(index)];
}

/** After an edit: points move with their edge where both ends did, stay in place elsewhere, and go with their edge. */
export function followNodes(before: Flow, after: Flow): Flow {
  if (!after.routes || (before.layout === after.layout && before.edges === after.edges && before.nodes === after.nodes))
    return after;
  let flow = after;
  for (const [id, points] of Object.entries(after.routes)) {
    const [old, edge] = [before.edges[id], after.edges[id]];
    if (!edge) {
      const { [id]: _, ...others } = flow.routes ?? {};
      flow = withRoutes(flow, others);
    } else if (old?.source === edge.source && old.target === edge.target && before.routes?.[id] === points) {
      const moves = [edge.source, edge.target].map((node) => moveOf(before, after, node));
      const [a = { x: 0, y: 0 }, b] = moves;
      const shift = a.x === b?.x && a.y === b.y ? a : { x: 0, y: 0 };
      const [from, to] = [originOf(before, old), originOf(after, edge)];
      if (from.x + shift.x === to.x && from.y + shift.y === to.y) continue;
      const placed = points.map(({ x, y }) => ({ x: x + from.x + shift.x, y: y + from.y + shift.y }));
      flow = setRoute(flow, id, placed);
    }
  }
  return flow;
}

/** Takes the points from edges of these nodes. */
export function clearRoutes(flow: Flow, nodes: { has(id: NodeId): boolean }): Flow {
  const kept = Object.entries(flow.routes ?? {}).filter(([id]) => {
    const edge = flow.edges[id];
    return edge && !nodes.has(edge.source) && !nodes.has(edge.target);
  });
  return flow.routes && kept.length < Object.keys(flow.routes).length
    ? withRoutes(flow, Object.fromEntries(kept))
    : flow;
}

function withRoutes(flow: Flow, routes: NonNullable<Flow["routes"]>): Flow {
  const { routes: _, ...rest } = flow;
  return Object.keys(routes).length === 0 ? rest : { ...rest, routes };
}

function moveOf(before: Flow, after: Flow, node: NodeId): Point {
  const [from, to] = [cornerOf(before, node), cornerOf(after, node)];
  return { x: to.x - from.x, y: to.y - from.y };
}

/** The corner of the innermost loop that both ends are in; a loop with an end at its inner port counts as well. */
function originOf(flow: Flow, { source, target }: Edge): Point {
  const around = (id: NodeId, other: NodeId) => [
    ...(isInBody(flow, other, id) ? [id] : []),
    ...containersAround(flow, id),
  ];
  const others = new Set(around(target, source));
  const home = around(source, target).find((id) => others.has(id));
  return home === undefined ? { x: 0, y: 0 } : cornerOf(flow, home);
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
