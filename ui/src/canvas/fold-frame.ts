import type { FrameId } from "@/bindings";
import type { Workspace } from "@/workspace/workspace";
import { frameElement } from "./frame-ids";
import { focusOnceDrawn } from "./keyboard-navigation";

/** Folds a frame or unfolds it. It is selected then, in place of nodes in it, and keeps the focus. */
export function foldFrame({ editor, canvas }: Workspace, frame: FrameId, folded: boolean): void {
  editor.fold({ frames: [frame] }, folded);
  editor.selectOnly({ frames: [frame] });
  focusOnceDrawn(canvas, frameElement(frame));
}
