/** Putting a frame around the selected nodes, and folding one. */
import type { FrameId } from "@/bindings";
import { frameElement } from "@/canvas/elements/frame-ids";
import { sizesOf } from "@/canvas/measure/boxes";
import { focusOnceDrawn } from "@/canvas/select/keyboard-navigation";
import { TEXTS } from "@/canvas/texts";
import { showBox } from "@/canvas/view/view";
import { notify } from "@/design/dialogs/notify";
import { frameCorner } from "@/flow/containers/frame-box";
import { displayedFlow } from "@/flow/document/flow-state";
import { addFrame } from "@/flow/edits/frames";
import type { Command } from "@/workspace/commands/command";
import type { Workspace } from "@/workspace/workspace";

export const frameCommands: readonly Command[] = [
  {
    id: "frame.add",
    title: "Frame selection",
    group: "Edit",
    keys: ["Alt+G"],
    terms: ["group", "box", "section"],
    onCanvas: true,
    enabled: ({ editor }) => editor.state.selection.nodes.size > 0,
    run: frameSelection,
  },
];

/** The frame that is selected alone. */
export function selectedFrame({ editor }: Pick<Workspace, "editor">): FrameId | undefined {
  const { nodes, edges, frames } = editor.state.selection;
  const [id] = frames ?? [];
  return frames?.size === 1 && nodes.size + edges.size === 0 ? id : undefined;
}

/** Adds the frame and has its title typed. */
function frameSelection(workspace: Workspace): void {
  const { editor, canvas } = workspace;
  if (!editor.mayEdit()) return;
  const { flow, selection } = editor.state;
  const added = addFrame(flow, selection.nodes, { title: TEXTS.newFrame, color: "blue" }, sizesOf(workspace));
  if (!added) {
    notify.info(TEXTS.frameInOneLoop);
    return;
  }
  editor.edit("Frame", () => added.flow, { select: { frames: [added.frame] } });
  canvas.set({ renaming: frameElement(added.frame) });
}

/** Folds a frame or unfolds it, and shows all of it then. It is selected, in place of nodes in it, and keeps the focus. */
export function foldFrame({ editor, canvas }: Workspace, id: FrameId, folded: boolean): void {
  editor.fold({ frames: [id] }, folded);
  editor.selectOnly({ frames: [id] });
  focusOnceDrawn(canvas, frameElement(id));
  const flow = displayedFlow(editor.state);
  const frame = flow.frames?.[id];
  if (!folded && frame) showBox({ canvas }, { ...frameCorner(flow, frame), width: frame.width, height: frame.height });
}
