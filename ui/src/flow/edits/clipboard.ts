/** The clipboard format: JSON text, readable by other windows and people. */

import type { Flow, Frame, NodeId } from "@/bindings";
import { formatJson, parseJson } from "@/design/json/exact-json";
import type { Point } from "@/flow/align/align";
import type { Size, SizeOf } from "@/flow/containers/container-box";
import { type Fragment, fragment } from "./edits";

const MARK = "plait/nodes";
/** No node is larger, in canvas units. */
const MAX_LENGTH = 100_000;

/** Copied nodes, and how large they were drawn: a node may have more ports than its type. */
export type CopiedFragment = Fragment & { sizes: Readonly<Record<NodeId, Size>> };

/** The nodes and the edges among them as JSON text. */
export function toText(flow: Flow, nodes: ReadonlySet<NodeId>, sizeOf: SizeOf): string {
  const part = fragment(flow, nodes);
  const sizes = Object.fromEntries(Object.keys(part.nodes).map((id) => [id, sizeOf(flow, id)]));
  return formatJson({ clipboard: MARK, version: 1, ...part, sizes }, 2) ?? "";
}

/** Parses copied nodes; undefined for other text. A whole flow document can be pasted, too. */
export function fromText(text: string): CopiedFragment | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || !isRecord(value.nodes)) return undefined;
  if (value.clipboard !== MARK && !(typeof value.version === "number" && isRecord(value.edges))) return undefined;
  const sizes: Record<NodeId, Size> = {};
  const part: CopiedFragment = { nodes: {}, edges: {}, layout: {}, frames: {}, routes: {}, sizes };
  for (const [id, node] of Object.entries(value.nodes)) {
    if (!isRecord(node) || typeof node.type !== "string") return undefined;
    part.nodes[id] = node as Fragment["nodes"][string];
    const at = isRecord(value.layout) ? value.layout[id] : undefined;
    const { x, y } = isRecord(at) ? at : {};
    part.layout[id] = Number.isFinite(x) && Number.isFinite(y) ? (at as Fragment["layout"][string]) : { x: 0, y: 0 };
    const { width, height } = isRecord(value.sizes) && isRecord(value.sizes[id]) ? value.sizes[id] : {};
    if (isLength(width) && isLength(height)) sizes[id] = { width, height };
  }
  for (const [id, edge] of Object.entries(isRecord(value.edges) ? value.edges : {})) {
    if (
      isRecord(edge) &&
      ["source", "sourceOutput", "target", "targetInput"].every((key) => typeof edge[key] === "string")
    ) {
      part.edges[id] = edge as Fragment["edges"][string];
    }
  }
  for (const [id, route] of Object.entries(isRecord(value.routes) ? value.routes : {})) {
    if (Object.hasOwn(part.edges, id) && Array.isArray(route) && route.every(isPoint)) part.routes[id] = route;
  }
  for (const [id, frame] of Object.entries(isRecord(value.frames) ? value.frames : {})) {
    if (isFrame(frame) && frame.nodes.every((node) => Object.hasOwn(part.nodes, node))) part.frames[id] = frame;
  }
  if (Object.keys(part.nodes).length === 0) return undefined;
  if (value.clipboard === MARK) return part;
  // In a document, frames and points in a loop are relative to it.
  const { routes, ...document } = part;
  const points = Object.fromEntries(Object.entries(routes).map(([id, route]) => [id, [...route]]));
  return {
    ...fragment({ version: 1, name: "", ...document, routes: points }, new Set(Object.keys(part.nodes))),
    sizes,
  };
}

function isPoint(value: unknown): value is Point {
  return isRecord(value) && Number.isFinite(value.x) && Number.isFinite(value.y);
}

function isFrame(value: unknown): value is Frame {
  if (!isRecord(value)) return false;
  const { title, nodes, main, width, height } = value;
  if (!isPoint(value) || typeof title !== "string") return false;
  if (main !== undefined && typeof main !== "string") return false;
  return isLength(width) && isLength(height) && Array.isArray(nodes) && nodes.every((id) => typeof id === "string");
}

function isLength(value: unknown): value is number {
  return typeof value === "number" && value > 0 && value <= MAX_LENGTH;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
