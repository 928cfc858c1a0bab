/** Opens the flow that a node runs: its child run, or the file if there was no run. */
import type { Node, NodeId, RunId } from "@/bindings";
import { notify } from "@/design/notify";
import { openPath } from "@/flow/files";
import { childFlowField } from "@/flow/node-types";
import { displayedFlow, fileName, flowStore } from "@/flow/store";
import type { RunControl } from "./control";
import type { EpochChoice } from "./epoch-choice";
import { displayedEpoch, epochOf } from "./fold/epoch";
import type { ActiveRun } from "./live/active-run";

type Parts = { activeRun: ActiveRun; epochChoice: EpochChoice; runs: RunControl };

/** Whether the node runs another flow. */
export function runsFlow(node: Node | undefined): boolean {
  return childFlowField(node) !== undefined;
}

/** The latest child run of a node: of the chosen iteration, or of the displayed one, or of any. */
function childOf({ activeRun, epochChoice }: Parts, node: NodeId): RunId | undefined {
  const view = activeRun.session?.fold.nodes.get(node);
  const chosen = epochOf(view, epochChoice.of(node));
  if (chosen) return chosen.children?.at(-1);
  const displayed = displayedEpoch(view);
  return (displayed?.children ?? view?.epochs.findLast((epoch) => epoch.children?.length)?.children)?.at(-1);
}

/** Opens the latest child run of a node, or the flow file it names if there is none. */
export function openChild(parts: Parts, id: NodeId): void {
  const run = childOf(parts, id);
  if (run !== undefined) {
    void parts.runs.open(run);
    return;
  }
  if (parts.epochChoice.of(id)) {
    notify.info("The node started no run in this iteration.");
    return;
  }
  const state = flowStore.getState();
  const node = displayedFlow(state).nodes[id];
  const file = node?.config?.[childFlowField(node) ?? ""];
  if (typeof file === "string" && file !== "" && state.path !== undefined && !state.viewing) {
    void openPath(resolveFlowPath(state.path, file));
    return;
  }
  notify.info("This node has not run yet. Run the flow to see its sub-flow run.");
}

/** Resolves a path in a flow file, relative to the folder of that file. */
function resolveFlowPath(flow: string, file: string): string {
  if (/^([\\/]|[a-z]:[\\/])/i.test(file)) return file;
  return flow.slice(0, flow.length - fileName(flow).length) + file;
}
