/** Commands for loops: wrapping nodes in one, moving them in and out, folding, taking a loop away. */
import type { Edge, NodeId } from "@/bindings";
import { foldFrame, selectedFrame } from "@/canvas/frames/frame-commands";
import { sizesOf } from "@/canvas/measure/boxes";
import { focusOnceDrawn } from "@/canvas/select/keyboard-navigation";
import { edgeKind } from "@/flow/connect/ports";
import { containerOf, containersAround, isContainer } from "@/flow/containers/containers";
import { isFolded } from "@/flow/containers/folding";
import { displayedFlow } from "@/flow/document/flow-state";
import { appendTo, type IsContext, moveOut, ungroup, wrap } from "@/flow/edits/container-edits";
import type { Command } from "@/workspace/commands/command";
import type { Workspace } from "@/workspace/workspace";

const selected = ({ editor }: Workspace): readonly NodeId[] => [...editor.state.selection.nodes];

export const loopCommands: readonly Command[] = [
  {
    id: "loop.wrap",
    title: "Wrap in loop",
    group: "Edit",
    keys: ["Mod+G"],
    terms: ["repeat", "while", "for each", "group"],
    onCanvas: true,
    enabled: (workspace) => selected(workspace).length > 0 && loopType(workspace) !== undefined,
    run: wrapSelection,
  },
  {
    id: "loop.ungroup",
    title: "Ungroup loop",
    group: "Edit",
    keys: ["Mod+Shift+G"],
    terms: ["unwrap", "dissolve", "keep the body"],
    onCanvas: true,
    enabled: (workspace) => selectedLoop(workspace) !== undefined,
    run: ungroupSelected,
  },
  {
    id: "loop.moveInto",
    title: "Move into loop…",
    group: "Edit",
    terms: ["container", "body", "parent"],
    enabled: (workspace) => loopsFor(workspace, selected(workspace)).length > 0,
    run: (workspace) => {
      if (workspace.editor.mayEdit()) workspace.canvas.set({ movingInto: selected(workspace) });
    },
  },
  {
    id: "loop.moveOut",
    title: "Move out of loop",
    group: "Edit",
    terms: ["container", "body", "parent"],
    enabled: ({ editor }) =>
      selected({ editor } as Workspace).some((id) => containerOf(editor.state.flow, id) !== undefined),
    run: (workspace) => {
      const ids = selected(workspace);
      workspace.editor.edit("Move out of loop", (flow) => moveOut(flow, ids, sizesOf(workspace)));
    },
  },
  {
    id: "loop.fold",
    title: "Fold or unfold loop or frame",
    group: "View",
    keys: ["Shift+F"],
    terms: ["collapse", "expand", "open"],
    enabled: (workspace) => selectedLoop(workspace) !== undefined || selectedFrame(workspace) !== undefined,
    run: (workspace) => {
      const { editor, canvas } = workspace;
      const flow = displayedFlow(editor.state);
      const frame = selectedFrame(workspace);
      if (frame !== undefined) foldFrame(workspace, frame, flow.frames?.[frame]?.folded !== true);
      const loop = selectedLoop(workspace);
      if (loop === undefined) return;
      editor.fold({ nodes: [loop] }, !isFolded(flow, loop));
      focusOnceDrawn(canvas, loop);
    },
  },
];

/** The loops that nodes can be moved into: not those in them, and not the one they are in. */
export function loopsFor({ editor, nodeTypes }: Workspace, ids: readonly NodeId[]): NodeId[] {
  const { flow } = editor.state;
  const moved = new Set(ids);
  if (ids.length === 0) return [];
  return Object.keys(flow.nodes).filter((id) => {
    if (!isContainer(nodeTypes.all, flow.nodes[id]) || moved.has(id)) return false;
    if (containersAround(flow, id).some((loop) => moved.has(loop))) return false;
    return ids.some((one) => containerOf(flow, one) !== id);
  });
}

/** Moves nodes into a loop, below its nodes. */
export function moveIntoLoop(workspace: Workspace, ids: readonly NodeId[], loop: NodeId): void {
  workspace.editor.edit("Move into loop", (flow) => appendTo(flow, ids, loop, sizesOf(workspace)));
}

function wrapSelection(workspace: Workspace): void {
  const { editor, canvas } = workspace;
  const type = loopType(workspace);
  if (type === undefined || !editor.mayEdit()) return;
  const { flow } = editor.state;
  const added = wrap(flow, selected(workspace), type, sizesOf(workspace), contextsIn(workspace));
  editor.edit("Wrap in loop", () => added.flow, { select: added });
  const [loop] = added.nodes;
  if (loop !== undefined) focusOnceDrawn(canvas, loop);
}

function ungroupSelected(workspace: Workspace): void {
  const loop = selectedLoop(workspace);
  if (loop === undefined) return;
  const { flow } = workspace.editor.state;
  const body = Object.keys(flow.nodes).filter((id) => containerOf(flow, id) === loop);
  workspace.editor.edit("Ungroup loop", (before) => ungroup(before, loop), { select: { nodes: body } });
}

/** Whether an edge carries a context, by the ports as they are now. */
export function contextsIn({ editor, nodeTypes }: Workspace): IsContext {
  const { flow, checked } = editor.state;
  return (edge: Edge) => edgeKind(nodeTypes.all, flow, checked, edge) === "context";
}

function selectedLoop({ editor, nodeTypes }: Workspace): NodeId | undefined {
  const { state } = editor;
  const [id, ...others] = state.selection.nodes;
  if (id === undefined || others.length > 0) return undefined;
  return isContainer(nodeTypes.all, displayedFlow(state).nodes[id]) ? id : undefined;
}

/** The type of a new loop: the first node type with a body. */
function loopType({ nodeTypes }: Workspace): string | undefined {
  return nodeTypes.all.list.find((type) => isContainer(nodeTypes.all, { type: type.type }))?.type;
}
