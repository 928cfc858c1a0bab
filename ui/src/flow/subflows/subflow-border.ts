/** What crosses the border of a sub-flow, as the engine has it: inputs by its `mapping`, results by name in its output `result`. */
import type { CheckedFlow, Edge, Flow, Node, NodeId } from "@/bindings";
import type { Box, Point } from "@/flow/align/align";
import type { SizeOf } from "@/flow/containers/container-box";
import { addEdge } from "@/flow/edits/edits";
import { setRoute } from "@/flow/edits/routes";
import type { NodeTypes } from "@/flow/node-types/node-types";

/** The flow after an edit and the nodes to select, or why it cannot be done. */
export type Outcome = { flow: Flow; nodes: NodeId[] } | { refused: string };

export type SubflowParts = {
  types: NodeTypes;
  checked: CheckedFlow;
  sizeOf: SizeOf;
  nameOf(flow: Flow, id: NodeId): string;
};

export const SUBFLOW = "subflow";
export const MAPPED = "mapping";
export const RESULT = "result";
/** The node types by which values go in and out of a flow, and the one that takes a part of a value. */
export const OUTPUT = "output";
export const RUN_INPUT = "manualInput";
export const QUERY = "json";

/** One value for the flow in a sub-flow: an input of the node, and `NODE.PORT` in it. */
export type Mapped = { from: string; to: string };

export function mappingOf(node: Node): Mapped[] {
  const { mapping } = node.config ?? {};
  return Array.isArray(mapping) ? (mapping as Mapped[]) : [];
}

/** The query that takes one result. Without that result there is no output, so what depends on it is skipped. */
export function resultQuery(output: NodeId): string {
  return `.[${JSON.stringify(output)}] // empty | .value`;
}

/** The settings of a flow that decide what its nodes do; the rest is about the run as a whole. */
export function nodeSettings({ settings }: Flow): Flow["settings"] {
  if (!settings) return undefined;
  const { limits: _, quotas: __, memory: ___, ...own } = settings;
  return Object.keys(own).length === 0 ? undefined : own;
}

type Schema = { format?: string; properties?: Record<string, Schema> };

/** What a node reads of other nodes by their IDs: where its config names them, and the names. */
export function nodeReads(types: NodeTypes, node: Node): { path: string[]; read: NodeId }[] {
  const reads = (schema: Schema | undefined, value: unknown, path: string[]): { path: string[]; read: NodeId }[] => {
    if (schema?.format === "node" && typeof value === "string") return [{ path, read: value }];
    if (typeof value !== "object" || value === null) return [];
    const fields = Object.entries(schema?.properties ?? {});
    return fields.flatMap(([field, one]) => reads(one, (value as Record<string, unknown>)[field], [...path, field]));
  };
  return reads(types.byType.get(node.type)?.configSchema as Schema | undefined, node.config, []);
}

/**
 * The points on the way to a box, up to the first one in it, or on the way from it, after the last one in it. Of an edge that
 * crosses the border these stay, on the edge that takes its place.
 */
export function pointsOutside(points: readonly Point[], box: Box, way: "to" | "from"): readonly Point[] {
  const isInside = ({ x, y }: Point) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
  if (way === "from") return points.slice(points.findLastIndex(isInside) + 1);
  const first = points.findIndex(isInside);
  return first < 0 ? points : points.slice(0, first);
}

/** Adds an edge that passes through these points of the canvas. */
export function connectThrough(flow: Flow, edge: Edge, points: readonly Point[]): Flow {
  const added = addEdge(flow, edge);
  return added.edges.reduce((next, id) => setRoute(next, id, points), added.flow);
}
