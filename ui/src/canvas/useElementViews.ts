/** Hooks for what a node card shows of the active run. */
import type { NodeId } from "@/bindings";
import { type NodeRun, type NodeRunState, nodeRunOf, nodeStateOf } from "@/run/element-views";
import { formatIteration } from "@/run/fold/epoch";
import { useNodeOf } from "@/workspace/run-hooks";

export function useNodeRun(node: NodeId): NodeRun | undefined {
  return useNodeOf(node, nodeRunOf);
}

/** The state of a node. Re-renders only when it changes. */
export function useNodeState(node: NodeId): NodeRunState | undefined {
  return useNodeOf(node, (view) => view && nodeStateOf(view));
}

export function useNodeIteration(node: NodeId): string {
  return useNodeOf(node, (view) => (view ? formatIteration(view.epoch) : ""));
}
