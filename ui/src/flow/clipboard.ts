/** The clipboard format: JSON text, readable by other windows and people. */

import type { Flow, NodeId } from "@/bindings";
import { formatJson, parseJson } from "@/design/exact-json";
import { type Fragment, fragment } from "./edits";

const MARK = "plait/nodes";

/** The nodes and the edges among them as JSON text. */
export function toText(flow: Flow, nodes: ReadonlySet<NodeId>): string {
  return formatJson({ clipboard: MARK, version: 1, ...fragment(flow, nodes) }, 2) ?? "";
}

/** Parses copied nodes; undefined for other text. A whole flow document can be pasted, too. */
export function fromText(text: string): Fragment | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || !isRecord(value.nodes)) return undefined;
  if (value.clipboard !== MARK && !(typeof value.version === "number" && isRecord(value.edges))) return undefined;
  const part: Fragment = { nodes: {}, edges: {}, layout: {} };
  for (const [id, node] of Object.entries(value.nodes)) {
    if (!isRecord(node) || typeof node.type !== "string") return undefined;
    part.nodes[id] = node as Fragment["nodes"][string];
    const at = isRecord(value.layout) ? value.layout[id] : undefined;
    const { x, y } = isRecord(at) ? at : {};
    part.layout[id] = Number.isFinite(x) && Number.isFinite(y) ? (at as Fragment["layout"][string]) : { x: 0, y: 0 };
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
