/** Commands that pin what a node delivers. */
import type { NodeId } from "@/bindings";
import { focusPin } from "@/canvas/select/keyboard-navigation";
import { commentField } from "@/flow/node-types/node-types";
import type { Command } from "@/workspace/commands/command";
import { pinToSet } from "@/workspace/values/pin-to-set";
import type { Workspace } from "@/workspace/workspace";

export const pinCommands: readonly Command[] = [
  {
    id: "pin.set",
    title: "Pin output",
    group: "Edit",
    keys: ["P"],
    terms: ["fix", "mock", "freeze", "value", "node"],
    onCanvas: true,
    enabled: (workspace) => {
      const id = nodeWithPin(workspace, false);
      return id !== undefined && pinToSet(workspace, id) !== undefined;
    },
    run: (workspace) => {
      const id = nodeWithPin(workspace, false);
      if (id === undefined || !workspace.editor.mayEdit()) return;
      const pin = pinToSet(workspace, id);
      if (!pin) return;
      workspace.editor.pin(id, pin);
      // Nothing was taken from a run: a person writes the value.
      if (pin.run === undefined) editPin(workspace, id);
    },
  },
  {
    id: "pin.edit",
    title: "Edit pin",
    group: "Edit",
    terms: ["pinned", "value", "change"],
    enabled: (workspace) => nodeWithPin(workspace, true) !== undefined,
    run: (workspace) => {
      const id = nodeWithPin(workspace, true);
      if (id !== undefined && workspace.editor.mayEdit()) editPin(workspace, id);
    },
  },
  {
    id: "pin.remove",
    title: "Unpin",
    group: "Edit",
    keys: ["Shift+P"],
    terms: ["pinned", "output", "remove"],
    onCanvas: true,
    enabled: (workspace) => nodeWithPin(workspace, true) !== undefined,
    run: (workspace) => {
      const id = nodeWithPin(workspace, true);
      if (id !== undefined && workspace.editor.mayEdit()) workspace.editor.pin(id, undefined);
    },
  },
];

/** The one node that is selected, if it runs and has a pin, or has none. */
function nodeWithPin({ editor, nodeTypes }: Workspace, isPinned: boolean): NodeId | undefined {
  const { flow, selection, viewing } = editor.state;
  const [id, ...others] = selection.nodes;
  const node = id === undefined ? undefined : flow.nodes[id];
  if (!node || others.length > 0 || viewing) return undefined;
  if (commentField(nodeTypes.all, node) !== undefined) return undefined;
  return (node.pin !== undefined) === isPinned ? id : undefined;
}

/** Shows the values of the pin, with the keyboard in the first of them. */
function editPin(workspace: Workspace, id: NodeId): void {
  workspace.layout.showInspectorTab("config");
  workspace.layout.setOpen("right", true);
  focusPin(workspace, id);
}
