/** The points of edges that cross the border of a sub-flow: those outside of its nodes stay, on the edge that takes its place. */
import type { Edge, Flow } from "@/bindings";
import type { Box, Point } from "@/flow/align/align";
import { connect } from "@/flow/edits/edits";
import { setRoute } from "@/flow/edits/routes";

/** The points on the way to a box, up to the first one in it, or on the way from it, after the last one in it. */
export function pointsOutside(points: readonly Point[], box: Box, way: "to" | "from"): readonly Point[] {
  const isInside = ({ x, y }: Point) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
  if (way === "from") return points.slice(points.findLastIndex(isInside) + 1);
  const first = points.findIndex(isInside);
  return first < 0 ? points : points.slice(0, first);
}

/** Adds an edge that passes through these points of the canvas. */
export function connectThrough(flow: Flow, edge: Edge, points: readonly Point[]): Flow {
  const added = connect(flow, edge);
  return added.edges.reduce((next, id) => setRoute(next, id, points), added.flow);
}
