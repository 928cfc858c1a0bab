import { useEffect } from "react";
import { useClipboard } from "@/canvas/clipboard";
import { sealGesture } from "@/flow/actions";
import { documentName, flowStore, isDirty, useFlow } from "@/flow/store";

/** What the window as a whole listens to: its title, the clipboard, the keys let go of, being closed. */
export function useWindow(): void {
  useClipboard();
  const title = useFlow((state) => `${isDirty(state) ? "• " : ""}${documentName(state)} – Plait`);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    const onKeyUp = (event: KeyboardEvent) => {
      if (event.key.startsWith("Arrow")) sealGesture();
    };
    // In a browser the page can hold people back; the desktop window keeps a draft instead, see `flow/autosave.ts`.
    const onLeave = (event: BeforeUnloadEvent) => {
      if (isDirty(flowStore.getState())) event.preventDefault();
    };
    document.addEventListener("keyup", onKeyUp);
    window.addEventListener("beforeunload", onLeave);
    return () => {
      document.removeEventListener("keyup", onKeyUp);
      window.removeEventListener("beforeunload", onLeave);
    };
  }, []);
}
