/** What a node card or tile shows of the active run: hooks, and what they read. */
import type { Epoch, Flow, NodeId } from "@/bindings";
import { equalJson } from "@/design/json/equal-json";
import { isInBody } from "@/flow/containers/containers";
import { displayedFlow } from "@/flow/document/flow-state";
import { formatIteration, latestWithin } from "@/run/fold/epoch";
import type { NodeView, OpenPause } from "@/run/fold/types";
import type { RunSession } from "@/run/live/session";
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
  return useNodeOf(node, (view) => stateWithin(view, iteration));
}

/** The state of a node: its newest, or that in an iteration. */
export function stateWithin(view: NodeView | undefined, iteration: Epoch | undefined): NodeRunState | undefined {
  if (!iteration) return view && nodeStateOf(view);
  const epoch = latestWithin(view, iteration);
  return view && epoch && nodeStateOf(view, epoch);
}

type LoopRun = Pick<NodeRun, "state" | "error">;

/** The run of a loop: its own, not that of the tests of its condition. It waits while something in its body does. */
export function useLoopRun(loop: NodeId | undefined): LoopRun | undefined {
  const { editor } = useWorkspace();
  const id = loop ?? "";
  const iteration = useIterationAround(id);
  const run = useNodeOf(id, (view) => loopRunWithin(view, iteration));
  const waits = useRunHead(({ pauses }) => isWaitingIn(displayedFlow(editor.state), id, pauses));
  return run?.state === "running" && waits ? { ...run, state: "paused" } : run;
}

/** The own run of a loop: its newest, or that in an iteration of a loop around it. */
export function loopRunWithin(view: NodeView | undefined, iteration: Epoch | undefined): LoopRun | undefined {
  const execution = loopExecution(view, iteration);
  return view && execution && epochRunOf(view, execution);
}

export function isWaitingIn(flow: Flow, loop: NodeId, pauses: readonly OpenPause[]): boolean {
  return pauses.some(({ node }) => isInBody(flow, node, loop));
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
  const isStale = () => isStaleIn(activeRun.session, displayedFlow(editor.state), node);
  // Both say the same: one looks again when the document has changed, the other when the run has.
  useFlow(isStale);
  return useSessionValue(isStale);
}

export function isStaleIn(session: RunSession | undefined, now: Flow, node: NodeId): boolean {
  if (!session) return false;
  // A trial that was accepted into the flow is what it ran with.
  const tried = session.fold.nodes.get(node)?.epochs.at(-1)?.trial;
  if (tried && equalJson(tried, now.nodes[node]?.config ?? {})) return false;
  return staleNodes(session.flow, now).has(node);
}
