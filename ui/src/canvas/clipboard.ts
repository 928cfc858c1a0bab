/**
 * Copy, cut and paste. The keys arrive as the page's own clipboard events, which need no permission and use the system
 * clipboard. The last copied text is also kept here, for when the system clipboard can't be read.
 */
import { useEffect } from "react";
import { isTyping } from "@/design/keys";
import { notify } from "@/design/notify";
import { addFragment, mayEdit, removeSelection } from "@/flow/actions";
import { bounds } from "@/flow/align";
import { fromText, toText } from "@/flow/clipboard";
import { type Fragment, fragment } from "@/flow/edits";
import { displayedFlow, flowStore } from "@/flow/store";
import { canvasStore } from "./canvas-store";
import { CARD_WIDTH } from "./geometry";
import type { Point } from "./paths";
import { viewCenter } from "./view";

const APART = 40;
let lastCopied = "";
let pointer: Point | undefined;

export function copyToClipboard(): void {
  document.execCommand("copy");
}

export function cutToClipboard(): void {
  document.execCommand("cut");
}

/** Pastes from a menu or the command palette, where no clipboard event comes with it. */
export async function pasteFromClipboard(): Promise<void> {
  let text = lastCopied;
  try {
    text = (await navigator.clipboard.readText()) || lastCopied;
  } catch {
    // Not allowed here: what was copied in this window is still known.
  }
  paste(text);
}

export function duplicateSelection(): void {
  const { flow, selection } = flowStore.getState();
  addFragment("Duplicate", fragment(flow, selection.nodes), { x: APART, y: APART });
}

/** Handles the page's clipboard events outside of text fields, dialogs and text selections. */
export function useClipboard(): void {
  useEffect(() => {
    const ours = (event: Event) => {
      if (isTyping(event.target) || !document.getSelection()?.isCollapsed) return false;
      return event.target instanceof Element && event.target.closest("[role=dialog], [role=alertdialog]") === null;
    };
    const canCopy = (event: Event) => ours(event) && flowStore.getState().selection.nodes.size > 0;
    const onCopy = (event: ClipboardEvent) => {
      if (!canCopy(event)) return;
      const state = flowStore.getState();
      lastCopied = toText(displayedFlow(state), state.selection.nodes);
      event.clipboardData?.setData("text/plain", lastCopied);
      event.preventDefault();
      if (event.type === "cut" && mayEdit()) removeSelection();
    };
    const onPaste = (event: ClipboardEvent) => {
      if (!ours(event)) return;
      event.preventDefault();
      paste(event.clipboardData?.getData("text/plain") || lastCopied);
    };
    // WebKit asks first whether there is anything to copy where no text is selected.
    const before = (event: Event) => {
      if (event.type === "beforepaste" ? ours(event) : canCopy(event)) event.preventDefault();
    };
    const onMove = (event: PointerEvent) => {
      const over = event.target instanceof Element && event.target.closest(".canvas") !== null;
      pointer = over ? { x: event.clientX, y: event.clientY } : undefined;
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
  }, []);
}

function paste(text: string): void {
  const part = fromText(text);
  if (part) addFragment("Paste", part, offset(part));
  else if (text.trim() !== "") notify.info("The clipboard contains no nodes.");
}

/** Centers pasted nodes under the pointer, or in the view without one, away from the originals. */
function offset(part: Fragment): Point {
  const boxes = new Map(
    Object.entries(part.layout).map(([id, at]) => [
      id,
      { x: at.x, y: at.y, width: at.width ?? CARD_WIDTH, height: at.height ?? 60 },
    ]),
  );
  const all = bounds(boxes);
  const { instance } = canvasStore.getState();
  const center = pointer && instance ? instance.screenToFlowPosition(pointer) : viewCenter();
  const to = { x: Math.round(center.x - all.x - all.width / 2), y: Math.round(center.y - all.y - all.height / 2) };
  return Math.abs(to.x) < APART && Math.abs(to.y) < APART ? { x: APART, y: APART } : to;
}
