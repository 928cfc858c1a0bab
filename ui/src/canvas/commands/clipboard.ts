/**
 * Copy, cut and paste. The keys arrive as the page's own clipboard events, which need no permission and use the system
 * clipboard. The last copied text is also kept here, for when the system clipboard can't be read.
 */
import { useEffect } from "react";
import type { Flow, NodeId } from "@/bindings";
import { fragmentBox, newNodeSize, placeForNew } from "@/canvas/add/place-new";
import { sizesOf } from "@/canvas/measure/boxes";
import { loopAt } from "@/canvas/move/drop";
import { TEXTS } from "@/canvas/texts";
import { showBox, viewCenter } from "@/canvas/view/view";
import { notify } from "@/design/dialogs/notify";
import { isTyping } from "@/design/keys/keys";
import type { Box, Point } from "@/flow/align/align";
import { containerOf } from "@/flow/containers/containers";
import { withFramed } from "@/flow/containers/frame-box";
import { displayedFlow } from "@/flow/document/flow-state";
import { fromText, toText } from "@/flow/edits/clipboard";
import { type Fragment, fragment } from "@/flow/edits/edits";
import { useWorkspace } from "@/workspace/context";
import type { Workspace } from "@/workspace/workspace";

/** How far a duplicate would be from its original if nothing were there, both right and down. */
const APART = 40;

export function copyToClipboard(): void {
  document.execCommand("copy");
}

export function cutToClipboard(): void {
  document.execCommand("cut");
}

/** Pastes from a menu or the command palette, where no clipboard event comes with it. */
export async function pasteFromClipboard(workspace: Workspace): Promise<void> {
  let text = workspace.canvas.copiedText;
  try {
    text = (await navigator.clipboard.readText()) || text;
  } catch {
    // Not allowed here: what was copied in this window is still known.
  }
  paste(workspace, text);
}

export function duplicateSelection(workspace: Workspace): void {
  const { flow } = workspace.editor.state;
  const part = fragment(flow, copied(workspace, flow));
  const sizeOf = sizesOf(workspace);
  const box = fragmentBox(part, (id) => sizeOf(flow, id));
  const wanted = { x: box.x + APART, y: box.y + APART };
  add(workspace, "Duplicate", part, { box, wanted, containerFor: (id) => containerOf(flow, id) });
}

/** What a copy takes: the selected nodes, and those of selected frames. */
function copied({ editor }: Workspace, flow: Flow): ReadonlySet<NodeId> {
  const { nodes, frames = [] } = editor.state.selection;
  return withFramed(flow, nodes, frames);
}

/** Handles the page's clipboard events outside of text fields, dialogs and text selections. */
export function useClipboard(): void {
  const workspace = useWorkspace();
  useEffect(() => {
    const { editor, canvas } = workspace;
    const ours = (event: Event) => {
      if (isTyping(event.target) || !document.getSelection()?.isCollapsed) return false;
      return event.target instanceof Element && event.target.closest("[role=dialog], [role=alertdialog]") === null;
    };
    const canCopy = (event: Event) => ours(event) && copied(workspace, displayedFlow(editor.state)).size > 0;
    const onCopy = (event: ClipboardEvent) => {
      if (!canCopy(event)) return;
      const flow = displayedFlow(editor.state);
      const nodes = copied(workspace, flow);
      canvas.copiedText = toText(flow, nodes, sizesOf(workspace));
      event.clipboardData?.setData("text/plain", canvas.copiedText);
      event.preventDefault();
      if (event.type === "cut" && editor.mayEdit()) editor.removeItems({ nodes, edges: editor.state.selection.edges });
    };
    const onPaste = (event: ClipboardEvent) => {
      if (!ours(event)) return;
      event.preventDefault();
      paste(workspace, event.clipboardData?.getData("text/plain") || canvas.copiedText);
    };
    // WebKit asks first whether there is anything to copy where no text is selected.
    const before = (event: Event) => {
      if (event.type === "beforepaste" ? ours(event) : canCopy(event)) event.preventDefault();
    };
    const onMove = (event: PointerEvent) => {
      const over = event.target instanceof Element && event.target.closest(".canvas") !== null;
      canvas.pointer = over ? { x: event.clientX, y: event.clientY } : undefined;
    };
    document.addEventListener("copy", onCopy);
    document.addEventListener("cut", onCopy);
    document.addEventListener("paste", onPaste);
    for (const type of ["beforecopy", "beforecut", "beforepaste"]) document.addEventListener(type, before);
    document.addEventListener("pointermove", onMove, { passive: true });
    return () => {
      document.removeEventListener("copy", onCopy);
      document.removeEventListener("cut", onCopy);
      document.removeEventListener("paste", onPaste);
      for (const type of ["beforecopy", "beforecut", "beforepaste"]) document.removeEventListener(type, before);
      document.removeEventListener("pointermove", onMove);
    };
  }, [workspace]);
}

function paste(workspace: Workspace, text: string): void {
  const part = fromText(text);
  if (!part) {
    if (text.trim() !== "") notify.info(TEXTS.clipboardContainsNoNodes);
    return;
  }
  // Under the pointer, or in the middle of the view, and into the loop that is there.
  const center = pasteCenter(workspace);
  const sizeOf = (id: NodeId) =>
    part.sizes[id] ?? newNodeSize(workspace, part.nodes[id] ?? { type: "" }, part.layout[id]);
  const box = fragmentBox(part, sizeOf);
  const wanted = { x: center.x - box.width / 2, y: center.y - box.height / 2 };
  const loop = loopAt(workspace, center);
  add(workspace, "Paste", part, { box, wanted, containerFor: () => loop });
}

type Placing = {
  /** Where the fragment was, and how large it is. */
  box: Box;
  /** Where its corner should be. */
  wanted: Point;
  containerFor: (id: NodeId) => NodeId | undefined;
};

/** Adds a fragment in view, where it covers nothing. */
function add(workspace: Workspace, label: string, part: Fragment, { box, wanted, containerFor }: Placing): void {
  const outer = Object.keys(part.nodes).filter((id) => !part.nodes[part.nodes[id]?.parent ?? ""]);
  const place = placeForNew(workspace, box, wanted, new Set(outer.map(containerFor)));
  const offset = { x: place.x - box.x, y: place.y - box.y };
  if (workspace.editor.addFragment(label, part, offset, containerFor)) showBox(workspace, { ...box, ...place });
}

function pasteCenter(workspace: Workspace): Point {
  const { instance, pointer } = workspace.canvas;
  return pointer && instance ? instance.screenToFlowPosition(pointer) : viewCenter(workspace);
}
