/** Opening the flow that a node runs: its run where there is one, else the flow itself. */
import type { Node, NodeId, RunId } from "@/bindings";
import { openPath } from "@/flow/files";
import { fileName, flowStore, shownFlow } from "@/flow/store";
import { notify } from "@/look/notify";
import { openRun } from "./control";
import { sameEpoch } from "./fold/epoch";
import { shownSession } from "./live/shown";

/** Whether the node runs another flow. */
export function runsFlow(node: Node | undefined): boolean {
  return node?.type === "subflow" || node?.type === "workflow" || node?.type === "subworkflow";
}

/** The run that the node's shown activation began last, if it began one. */
function childOf(node: NodeId): RunId | undefined {
  const view = shownSession()?.fold.nodes.get(node);
  const began = (view?.epochs ?? []).filter((epoch) => (epoch.children ?? []).length > 0);
  const shown = began.find((epoch) => view && sameEpoch(epoch.epoch, view.epoch)) ?? began.at(-1);
  return shown?.children?.at(-1);
}

/** Opens what the node runs: in place, its latest run; without one the file it names. */
export function openChild(id: NodeId): void {
  const run = childOf(id);
  if (run !== undefined) {
    void openRun(run);
    return;
  }
  const state = flowStore.getState();
  const node = shownFlow(state).nodes[id];
  const file = node?.config?.file;
  if (typeof file === "string" && file !== "" && state.path !== undefined && !state.viewing) {
    const folder = state.path.slice(0, state.path.length - fileName(state.path).length);
    void openPath(folder + file);
    return;
  }
  notify.info("This node has not run yet. Run the flow, and open what happened inside it here.");
}
