/** The clipboard format: JSON text, readable by other windows and people. */

import type { Flow, NodeId } from "@/bindings";
import { formatJson, parseJson } from "@/design/exact-json";
import type { Size, SizeOf } from "./container-box";
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
  const part: CopiedFragment = { nodes: {}, edges: {}, layout: {}, sizes };
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
  return Object.keys(part.nodes).length === 0 ? undefined : part;
}

function isLength(value: unknown): value is number {
  return typeof value === "number" && value > 0 && value <= MAX_LENGTH;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
