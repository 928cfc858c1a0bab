/** Hooks for what a node card or an edge shows of the active run. */
import type { EdgeId, NodeId } from "@/bindings";
import { displayedFlow, useFlow } from "@/flow/store";
import { type EdgeRun, type NodeRun, type NodeRunState, nodeRunOf, passingOf, peekOf } from "@/run/element-views";
import { formatIteration } from "@/run/fold/epoch";
import { useNodeOf } from "@/workspace/run-hooks";

export function useNodeRun(node: NodeId): NodeRun | undefined {
  return useNodeOf(node, nodeRunOf);
}

/** The state of a node. Re-renders only when it changes. */
export function useNodeState(node: NodeId): NodeRunState | undefined {
  return useNodeOf(node, (view) => view?.state);
}

export function useNodeIteration(node: NodeId): string {
  return useNodeOf(node, (view) => (view ? formatIteration(view.epoch) : ""));
}

export function useEdgeRun(id: EdgeId): EdgeRun | undefined {
  const edge = useFlow((state) => displayedFlow(state).edges[id]);
  const source = edge?.source ?? "";
  const port = edge?.sourceOutput ?? "";
  const passing = useNodeOf(source, (view) => passingOf(source, view, port));
  if (!passing || !edge) return undefined;
  return { passed: passing.passed, peek: peekOf(passing, id) };
}
