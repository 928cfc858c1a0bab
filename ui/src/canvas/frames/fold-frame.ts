import type { FrameId } from "@/bindings";
import { frameElement } from "@/canvas/elements/frame-ids";
import { focusOnceDrawn } from "@/canvas/select/keyboard-navigation";
import type { Workspace } from "@/workspace/workspace";

/** Folds a frame or unfolds it. It is selected then, in place of nodes in it, and keeps the focus. */
export function foldFrame({ editor, canvas }: Workspace, frame: FrameId, folded: boolean): void {
  editor.fold({ frames: [frame] }, folded);
  editor.selectOnly({ frames: [frame] });
  focusOnceDrawn(canvas, frameElement(frame));
}
