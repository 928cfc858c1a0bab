import { useEffect } from "react";
import { useClipboard } from "@/canvas/clipboard";
import { sealGesture } from "@/flow/actions";
import { mayReplace } from "@/flow/files";
import { documentName, flowStore, isDirty, useFlow } from "@/flow/store";
import { host } from "@/ipc";
import { useWorkspace } from "@/workspace/context";
import type { Workspace } from "@/workspace/workspace";

/** Window-wide effects: title, clipboard, key releases and closing. */
export function useWindow(): void {
  const workspace = useWorkspace();
  useClipboard();
  const title = useFlow((state) => `${isDirty(state) ? "• " : ""}${documentName(state)} – Plait`);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    const onKeyUp = (event: KeyboardEvent) => {
      if (event.key.startsWith("Arrow")) sealGesture();
    };
    // The desktop window asks the page before it closes; in a browser the page can hold people back.
    const onClose = (event: Event) => {
      if (!isDirty(flowStore.getState()) && !workspace.settings.unsaved) return;
      event.preventDefault();
      void leave(workspace);
    };
    const onLeave = (event: BeforeUnloadEvent) => {
      if (isDirty(flowStore.getState())) event.preventDefault();
    };
    const onHide = () => void workspace.settings.save();
    document.addEventListener("keyup", onKeyUp);
    window.addEventListener("plait:close", onClose);
    window.addEventListener("beforeunload", onLeave);
    window.addEventListener("pagehide", onHide);
    return () => {
      document.removeEventListener("keyup", onKeyUp);
      window.removeEventListener("plait:close", onClose);
      window.removeEventListener("beforeunload", onLeave);
      window.removeEventListener("pagehide", onHide);
    };
  }, [workspace]);
}

/** Closes the window after unsaved changes and settings are handled. */
async function leave(workspace: Workspace): Promise<void> {
  if (!(await mayReplace())) return;
  await workspace.settings.save();
  await host().closeWindow();
}
