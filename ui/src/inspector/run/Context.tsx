import type { NodeId } from "@/bindings";

export function Context(_props: { nodeId: NodeId }) {
  return null;
}
