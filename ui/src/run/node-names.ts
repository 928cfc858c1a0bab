/** What people call the nodes of the run that is shown. */
import type { ContextId, NodeId } from "@/bindings";
import { nodeType } from "@/flow/node-types";
import { displayedFlow, flowStore } from "@/flow/store";
import { activeSession } from "./live/active-run";

/** A node's title, its type's, or its id; also of a node that has been deleted since the run. */
export function nameOf(id: NodeId): string {
  const node = displayedFlow(flowStore.getState()).nodes[id] ?? activeSession()?.flow.nodes[id];
  if (!node) return id;
  return node.title || nodeType(node.type)?.title || id;
}

/** Names of contexts: the nodes that made them, or their ids where names clash. */
export function contextNames(contexts: readonly { id: ContextId; maker: NodeId }[]): Map<ContextId, string> {
  const names = contexts.map(({ id, maker }) => (id === "main" ? "main" : nameOf(maker)));
  const alike = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  return new Map(contexts.map(({ id }, at) => [id, alike.has(names[at] ?? "") ? id : (names[at] ?? id)]));
}

/** The type of a node of the run. */
export function typeOf(id: NodeId): string | undefined {
  return (displayedFlow(flowStore.getState()).nodes[id] ?? activeSession()?.flow.nodes[id])?.type;
}
