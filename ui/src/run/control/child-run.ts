/** Opens the flow that a node runs: its child run, or the file or the inner flow if there was no run. */
import type { Node, NodeId, RunId } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import type { FlowEditor } from "@/flow/document/editor";
import { displayedFlow, fileName } from "@/flow/document/flow-state";
import type { FlowFiles } from "@/flow/files/files";
import { childFlowField, type NodeTypeRegistry, type NodeTypes } from "@/flow/node-types/node-types";
import { displayedEpoch, epochOf } from "@/run/fold/epoch";
import type { ActiveRun } from "@/run/live/active-run";
import type { EpochChoice } from "@/run/nodes/epoch-choice";
import { TEXTS } from "@/run/texts";
import type { RunControl } from "./control";

type Parts = {
  editor: FlowEditor;
  files: FlowFiles;
  nodeTypes: NodeTypeRegistry;
  activeRun: ActiveRun;
  epochChoice: EpochChoice;
  runs: RunControl;
};

/** Whether the node runs another flow. */
export function runsFlow(types: NodeTypes, node: Node | undefined): boolean {
  return childFlowField(types, node) !== undefined;
}

/** Whether the node runs a flow that is, or can be, written inside of it. */
export function holdsInnerFlow(types: NodeTypes, node: Node | undefined): boolean {
  const file = node?.config?.[childFlowField(types, node) ?? ""];
  return runsFlow(types, node) && (file === undefined || file === null || file === "");
}

/** The latest child run of a node: of the chosen iteration, or of the displayed one, or of any. */
function childOf(
  { activeRun, epochChoice }: Pick<Parts, "activeRun" | "epochChoice">,
  node: NodeId,
): RunId | undefined {
  const view = activeRun.shown?.fold.nodes.get(node);
  const chosen = epochOf(view, epochChoice.of(node));
  if (chosen) return chosen.children?.at(-1);
  const displayed = displayedEpoch(view);
  return (displayed?.children ?? view?.epochs.findLast((epoch) => epoch.children?.length)?.children)?.at(-1);
}

/** Opens the latest child run of a node, or the flow file it names, or the flow inside of it, if there is none. */
export function openChild(parts: Parts, id: NodeId): void {
  const run = childOf(parts, id);
  if (run !== undefined) {
    void parts.runs.open(run);
    return;
  }
  if (parts.epochChoice.of(id)) {
    notify.info(TEXTS.noRunInIteration);
    return;
  }
  const { state } = parts.editor;
  const node = displayedFlow(state).nodes[id];
  const file = node?.config?.[childFlowField(parts.nodeTypes.all, node) ?? ""];
  if (typeof file === "string" && file !== "" && state.path !== undefined && !state.viewing) {
    void parts.files.openPath(resolveFlowPath(state.path, file));
    return;
  }
  if (holdsInnerFlow(parts.nodeTypes.all, node) && !state.viewing) {
    parts.editor.openInner(id);
    return;
  }
  notify.info(TEXTS.noRunOfNode);
}

/** Resolves a path in a flow file, relative to the folder of that file. */
function resolveFlowPath(flow: string, file: string): string {
  if (/^([\\/]|[a-z]:[\\/])/i.test(file)) return file;
  return flow.slice(0, flow.length - fileName(flow).length) + file;
}
