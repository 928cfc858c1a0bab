/** Goes to a node that the search across flows has found. */

import { displayedFlow } from "@/flow/document/flow-state";
import type { NodeMatch } from "@/flow/search/flow-search";
import type { KnownFlow } from "@/flow/search/known-flows";
import type { Workspace } from "@/workspace/workspace";

/** Shows the flow, in its tab if it is open, and reveals the node in it. */
export async function openMatch(workspace: Workspace, flow: KnownFlow, { node, inside }: NodeMatch): Promise<void> {
  const { canvas, editor } = workspace;
  if (!(await showFlow(workspace, flow))) return;
  editor.leaveView();
  const around = (editor.state.outer ?? []).map((outer) => outer.node);
  if (around.join("/") !== inside.join("/")) {
    editor.closeInner(0);
    if (!inside.every((outer) => editor.openInner(outer))) return;
  }
  // A restored draft may have lost it.
  if (displayedFlow(editor.state).nodes[node]) canvas.revealOnceDrawn({ node, center: true });
}

/** Returns whether it is shown now: it may be gone, or another flow was opened meanwhile. */
async function showFlow({ documents, editor, files }: Workspace, { source }: KnownFlow): Promise<boolean> {
  if (source.kind === "tab") {
    documents.show(source.key);
    return editor.state.key === source.key;
  }
  if (source.kind === "file") {
    await files.openPath(source.path);
    return editor.state.path === source.path;
  }
  const before = editor.state.key;
  await files.openTemplate(source.id);
  return editor.state.key !== before;
}
