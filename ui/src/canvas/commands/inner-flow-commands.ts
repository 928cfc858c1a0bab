/** Commands for flows that are written inside a node, which are edited on the same canvas. */
import type { NodeId } from "@/bindings";
import { sizesOf } from "@/canvas/measure/boxes";
import { focusOnceDrawn } from "@/canvas/select/keyboard-navigation";
import { notify } from "@/design/dialogs/notify";
import { convertToSubflow } from "@/flow/subflows/convert-to-subflow";
import { dissolveSubflow } from "@/flow/subflows/dissolve-subflow";
import { type Outcome, SUBFLOW, type SubflowParts } from "@/flow/subflows/subflow-border";
import { holdsInnerFlow } from "@/run/control/child-run";
import type { Command } from "@/workspace/commands/command";
import type { Workspace } from "@/workspace/workspace";

export const innerFlowCommands: readonly Command[] = [
  {
    id: "innerFlow.edit",
    title: "Edit inner flow",
    group: "Edit",
    terms: ["sub-flow", "nested", "inline", "open"],
    enabled: (workspace) => selectedHolder(workspace) !== undefined,
    run: (workspace) => {
      const id = selectedHolder(workspace);
      if (id !== undefined) workspace.editor.openInner(id);
    },
  },
  {
    id: "subflow.convert",
    title: "Convert selection to sub-flow",
    group: "Edit",
    terms: ["group", "extract", "nested", "inner flow", "refactor"],
    enabled: ({ editor, nodeTypes }) => editor.state.selection.nodes.size > 0 && nodeTypes.get(SUBFLOW) !== undefined,
    run: (workspace) => {
      const { editor, canvas } = workspace;
      const { flow, selection } = editor.state;
      const [id] = apply(workspace, "Convert to sub-flow", convertToSubflow(flow, selection.nodes, partsOf(workspace)));
      if (id !== undefined) canvas.set({ renaming: id });
    },
  },
  {
    id: "subflow.dissolve",
    title: "Dissolve sub-flow",
    group: "Edit",
    terms: ["ungroup", "inline", "expand", "unpack"],
    enabled: ({ editor, nodeTypes }) => {
      const { selection, flow } = editor.state;
      const [id] = selection.nodes;
      return selection.nodes.size === 1 && nodeTypes.get(flow.nodes[id ?? ""]?.type ?? "")?.type === SUBFLOW;
    },
    run: (workspace) => {
      const { flow, selection } = workspace.editor.state;
      const [id = ""] = selection.nodes;
      apply(workspace, "Dissolve sub-flow", dissolveSubflow(flow, id, partsOf(workspace)));
    },
  },
  {
    id: "innerFlow.close",
    title: "Back to outer flow",
    group: "Edit",
    keys: ["Shift+Escape"],
    terms: ["sub-flow", "close", "up", "parent"],
    enabled: ({ editor }) => editor.state.outer !== undefined && !editor.state.viewing,
    run: ({ editor, canvas }) => {
      const node = editor.state.outer?.at(-1)?.node;
      editor.closeInner();
      if (node !== undefined) focusOnceDrawn(canvas, node);
    },
  },
];

/** Makes a change of the flow one undo step, or says why it cannot be made. Returns the nodes that are selected then. */
function apply({ editor }: Workspace, label: string, outcome: Outcome): NodeId[] {
  if (!editor.mayEdit()) return [];
  if ("refused" in outcome) {
    notify.info(outcome.refused);
    return [];
  }
  return editor.edit(label, () => outcome.flow, { select: { nodes: outcome.nodes } }) ? outcome.nodes : [];
}

function partsOf(workspace: Workspace): SubflowParts {
  const types = workspace.nodeTypes.all;
  return {
    types,
    checked: workspace.editor.state.checked,
    sizeOf: sizesOf(workspace),
    nameOf: (flow, id) => flow.nodes[id]?.title || types.byType.get(flow.nodes[id]?.type ?? "")?.title || id,
  };
}

function selectedHolder({ editor, nodeTypes }: Workspace): NodeId | undefined {
  const { selection, flow, viewing } = editor.state;
  const [id, ...others] = selection.nodes;
  if (id === undefined || others.length > 0 || viewing) return undefined;
  return holdsInnerFlow(nodeTypes.all, flow.nodes[id]) ? id : undefined;
}
