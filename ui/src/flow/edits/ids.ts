/** Ids for new nodes and edges: readable in a diff, unique in their flow, never changed afterwards. */
import type { Edge, EdgeId, Flow, FrameId, NodeId } from "@/bindings";

/** `chat`, then `chat-2`, `chat-3`, … `taken` has ids in use besides those of the flow. */
export function freshNodeId(flow: Flow, type: string, taken?: ReadonlySet<NodeId>): NodeId {
  const base = type.replace(/-\d+$/, "") || "node";
  return fresh(base, (id) => Object.hasOwn(flow.nodes, id) || taken?.has(id) === true);
}

/** `ask.message->chat.message`, numbered where that is taken. */
export function freshEdgeId(flow: Flow, edge: Edge, taken?: ReadonlySet<EdgeId>): EdgeId {
  const base = `${edge.source}.${edge.sourceOutput}->${edge.target}.${edge.targetInput}`;
  return fresh(base, (id) => Object.hasOwn(flow.edges, id) || taken?.has(id) === true);
}

/** `frame`, then `frame-2`, `frame-3`, … */
export function freshFrameId(flow: Flow): FrameId {
  return fresh("frame", (id) => Object.hasOwn(flow.frames ?? {}, id));
}

/** A key that no other document of this or another window has. */
export function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function fresh(base: string, taken: (id: string) => boolean): string {
  if (!taken(base)) return base;
  for (let number = 2; ; number += 1) {
    const id = `${base}-${number}`;
    if (!taken(id)) return id;
  }
}
