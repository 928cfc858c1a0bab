/** Hooks for what a node card shows of the active run. */
import type { NodeId } from "@/bindings";
import { equalJson } from "@/design/json/equal-json";
import { isInBody } from "@/flow/containers/containers";
import { displayedFlow } from "@/flow/document/flow-state";
import { formatIteration, latestWithin } from "@/run/fold/epoch";
import { epochRunOf, type NodeRun, type NodeRunState, nodeRunOf, nodeStateOf } from "@/run/nodes/element-views";
import { loopExecution } from "@/run/nodes/loop-iterations";
import { staleNodes } from "@/run/nodes/stale-nodes";
import { useFlow, useWorkspace } from "@/workspace/context";
import { useIterationAround, useNodeOf, useRunHead, useSessionValue } from "@/workspace/run-hooks";

/** The run of a node: its newest activation, or that in the iteration chosen for a loop around it. */
export function useNodeRun(node: NodeId): NodeRun | undefined {
  const iteration = useIterationAround(node);
  return useNodeOf(node, (view) => {
    if (!iteration) return nodeRunOf(view);
    const epoch = latestWithin(view, iteration);
    return view && epoch && epochRunOf(view, epoch);
  });
}

/** The state of a node. Re-renders only when it changes. */
export function useNodeState(node: NodeId): NodeRunState | undefined {
  const iteration = useIterationAround(node);
  return useNodeOf(node, (view) => {
    if (!iteration) return view && nodeStateOf(view);
    const epoch = latestWithin(view, iteration);
    return view && epoch && nodeStateOf(view, epoch);
  });
}

/** The run of a loop: its own, not that of the tests of its condition. It waits while something in its body does. */
export function useLoopRun(loop: NodeId | undefined): Pick<NodeRun, "state" | "error"> | undefined {
  const { editor } = useWorkspace();
  const id = loop ?? "";
  const iteration = useIterationAround(id);
  const run = useNodeOf(id, (view) => {
    const execution = loopExecution(view, iteration);
    return view && execution && epochRunOf(view, execution);
  });
  const waits = useRunHead(({ pauses }) => pauses.some(({ node }) => isInBody(displayedFlow(editor.state), node, id)));
  return run?.state === "running" && waits ? { ...run, state: "paused" } : run;
}

export function useNodeIteration(node: NodeId): string {
  const iteration = useIterationAround(node);
  return useNodeOf(node, (view) => {
    const epoch = iteration ? latestWithin(view, iteration)?.epoch : view?.epoch;
    return epoch ? formatIteration(epoch) : "";
  });
}

/** Whether what a node shows of the run is a result of an older flow. */
export function useIsStale(node: NodeId): boolean {
  const { activeRun, editor } = useWorkspace();
  const isStale = () => {
    const { session } = activeRun;
    if (!session) return false;
    const now = displayedFlow(editor.state);
    // A trial that was accepted into the flow is what it ran with.
    const tried = session.fold.nodes.get(node)?.epochs.at(-1)?.trial;
    if (tried && equalJson(tried, now.nodes[node]?.config ?? {})) return false;
    return staleNodes(session.flow, now).has(node);
  };
  // Both say the same: one looks again when the document has changed, the other when the run has.
  useFlow(isStale);
  return useSessionValue(isStale);
}
