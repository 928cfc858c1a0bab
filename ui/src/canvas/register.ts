/** Offers the canvas's actions to the other parts of the window. */
import { growLoops } from "@/flow/containers/container-box";
import { makeRoom } from "@/flow/edits/frame-room";
import { completeFrames } from "@/flow/edits/frames";
import { followNodes } from "@/flow/edits/routes";
import type { Workspace } from "@/workspace/workspace";
import { addNodeOf } from "./add/add-node";
import { sizesOf } from "./measure/boxes";
import { loopAt } from "./move/drop";
import { focusNode } from "./select/keyboard-navigation";
import { reveal } from "./view/view";

export function registerCanvas(workspace: Workspace): void {
  workspace.editor.completeEditsWith((before, after) => {
    const sizeOf = sizesOf(workspace);
    const roomy = makeRoom(before, after, sizeOf);
    return followNodes(before, completeFrames(before, growLoops(before, roomy, sizeOf), sizeOf));
  });
  workspace.editor.store.subscribe((state, before) => {
    if (state.key !== before.key) workspace.canvas.endGestures();
  });
  workspace.canvas.register({
    focusNode,
    reveal: (target) => reveal(workspace, target),
    showDropTarget: (at) => {
      const { canvas } = workspace;
      const place = at && canvas.instance?.screenToFlowPosition(at);
      canvas.set({ dropTarget: place && loopAt(workspace, place) });
    },
    addNode: (type, at, dropped) => addNodeOf(workspace, type, at, dropped),
  });
}
