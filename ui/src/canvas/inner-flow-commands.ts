/** Commands for flows that are written inside a node, which are edited on the same canvas. */
import type { NodeId } from "@/bindings";
import { holdsInnerFlow } from "@/run/child-run";
import type { Command } from "@/workspace/command";
import type { Workspace } from "@/workspace/workspace";
import { focusOnceDrawn } from "./keyboard-navigation";

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

function selectedHolder({ editor, nodeTypes }: Workspace): NodeId | undefined {
  const { selection, flow, viewing } = editor.state;
  const [id, ...others] = selection.nodes;
  if (id === undefined || others.length > 0 || viewing) return undefined;
  return holdsInnerFlow(nodeTypes.all, flow.nodes[id]) ? id : undefined;
}
