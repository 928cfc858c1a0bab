/**
 * Keeps the browser around the page from showing through: no reload, no way back, no menu of the page, no search bar of its
 * own. A text field keeps its menu, and so does selected text, which one may want to copy.
 */
import { isTyping } from "@/design/keys/keys";

const MOUSE_BACK = 3;
const MOUSE_FORWARD = 4;

export function suppressBrowserDefaults(): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (isBrowserKey(event)) event.preventDefault();
  };
  const onMouse = (event: MouseEvent) => {
    if (event.button === MOUSE_BACK || event.button === MOUSE_FORWARD) event.preventDefault();
  };
  const onMenu = (event: MouseEvent) => {
    const hasSelection = document.getSelection()?.isCollapsed === false;
    if (!isTyping(event.target) && !hasSelection) event.preventDefault();
  };
  document.addEventListener("keydown", onKeyDown);
  document.addEventListener("mouseup", onMouse);
  document.addEventListener("contextmenu", onMenu);
  return () => {
    document.removeEventListener("keydown", onKeyDown);
    document.removeEventListener("mouseup", onMouse);
    document.removeEventListener("contextmenu", onMenu);
  };
}

/** Reload, back, forward, print and search in the page. Plait's own shortcuts are handled before this. */
function isBrowserKey({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  const mod = ctrlKey || metaKey;
  if (key === "F5" || (mod && /^[rpfg]$/i.test(key))) return true;
  return altKey && !mod && (key === "ArrowLeft" || key === "ArrowRight") && !isTyping(target);
}
