import type { NodeId } from "@/bindings";

export function Prompt(_props: { nodeId: NodeId }) {
  return null;
}
