/**
 * Copy, cut and paste. The keys arrive as the page's own clipboard events, which need no permission and use the system
 * clipboard. The last copied text is also kept here, for when the system clipboard can't be read.
 */
import { useEffect } from "react";
import type { NodeId } from "@/bindings";
import { isTyping } from "@/design/keys";
import { notify } from "@/design/notify";
import { bounds, type Point } from "@/flow/align";
import { fromText, toText } from "@/flow/clipboard";
import { containerOf } from "@/flow/containers";
import { type Fragment, fragment } from "@/flow/edits";
import { displayedFlow } from "@/flow/flow-state";
import { useWorkspace } from "@/workspace/context";
import type { Workspace } from "@/workspace/workspace";
import { loopAt } from "./drop";
import { CARD_WIDTH } from "./geometry";
import { TEXTS } from "./texts";
import { viewCenter } from "./view";

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

export function duplicateSelection({ editor }: Workspace): void {
  const { flow, selection } = editor.state;
  editor.addFragment("Duplicate", fragment(flow, selection.nodes), { x: APART, y: APART }, (id) =>
    containerOf(flow, id),
  );
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
    const canCopy = (event: Event) => ours(event) && editor.state.selection.nodes.size > 0;
    const onCopy = (event: ClipboardEvent) => {
      if (!canCopy(event)) return;
      const { state } = editor;
      canvas.copiedText = toText(displayedFlow(state), state.selection.nodes);
      event.clipboardData?.setData("text/plain", canvas.copiedText);
      event.preventDefault();
      if (event.type === "cut" && editor.mayEdit()) editor.removeSelection();
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
  if (part) workspace.editor.addFragment("Paste", part, offset(workspace, part), () => loopBelow(workspace));
  else if (text.trim() !== "") notify.info(TEXTS.clipboardContainsNoNodes);
}

/** The loop that what is pasted goes into: below the pointer, or in the middle of the view. */
function loopBelow(workspace: Workspace): NodeId | undefined {
  return loopAt(workspace, pasteCenter(workspace));
}

function pasteCenter(workspace: Workspace): Point {
  const { instance, pointer } = workspace.canvas;
  return pointer && instance ? instance.screenToFlowPosition(pointer) : viewCenter(workspace);
}

/** Centers pasted nodes under the pointer, or in the view without one, away from the originals. */
function offset(workspace: Workspace, part: Fragment): Point {
  const boxes = new Map(
    Object.entries(part.layout).flatMap(([id, at]) =>
      // Bodies are relative to their loops, and within them.
      part.nodes[part.nodes[id]?.parent ?? ""]
        ? []
        : [[id, { x: at.x, y: at.y, width: at.width ?? CARD_WIDTH, height: at.height ?? 60 }] as const],
    ),
  );
  const all = bounds(boxes);
  const center = pasteCenter(workspace);
  const to = { x: Math.round(center.x - all.x - all.width / 2), y: Math.round(center.y - all.y - all.height / 2) };
  return Math.abs(to.x) < APART && Math.abs(to.y) < APART ? { x: APART, y: APART } : to;
}
