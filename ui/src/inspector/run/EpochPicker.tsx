import type { NodeId } from "@/bindings";

export function EpochPicker(_props: { nodeId: NodeId }) {
  return null;
}
