import type { NodeId } from "@/bindings";

export function InputsOutputs(_props: { nodeId: NodeId }) {
  return null;
}
