/** Offers the canvas's actions to the other parts of the window. */
import type { Workspace } from "@/workspace/workspace";
import { addNodeOf } from "./add-node";
import { reveal } from "./reveal";

export function registerCanvas(workspace: Workspace): void {
  workspace.canvas.register({
    reveal: (target) => reveal(workspace, target),
    addNode: (type, at) => addNodeOf(workspace, type, at),
  });
}
