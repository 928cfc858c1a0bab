import { useEffect } from "react";
import { useClipboard } from "@/canvas/commands/clipboard";
import { documentName, isDirty, isStartPage } from "@/flow/document/flow-state";
import { useFlow, useWorkspace } from "@/workspace/context";
import type { Workspace } from "@/workspace/workspace";
import { suppressBrowserDefaults } from "./browser-defaults";

/** Window-wide effects: title, clipboard, key releases and closing. */
export function useWindow(): void {
  const workspace = useWorkspace();
  useClipboard();
  const place = workspace.remote ? `Plait on ${workspace.remote.name}` : "Plait";
  const title = useFlow((state) =>
    isStartPage(state) ? place : `${isDirty(state) ? "• " : ""}${documentName(state)} – ${place}`,
  );
  useEffect(() => workspace.zoom.follow(), [workspace]);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    const onKeyUp = (event: KeyboardEvent) => {
      if (event.key.startsWith("Arrow")) workspace.editor.sealGesture();
    };
    // The desktop window asks the page before it closes; in a browser the page can hold people back.
    const onClose = (event: Event) => {
      if (!hasUnsaved(workspace) && !workspace.settings.unsaved) return;
      event.preventDefault();
      void leave(workspace);
    };
    const onLeave = (event: BeforeUnloadEvent) => {
      if (hasUnsaved(workspace)) event.preventDefault();
    };
    const onHide = () => void workspace.settings.save();
    // Reloading is useful while one works on the window itself.
    const restore = import.meta.env.DEV ? () => undefined : suppressBrowserDefaults();
    document.addEventListener("keyup", onKeyUp);
    window.addEventListener("plait:close", onClose);
    window.addEventListener("beforeunload", onLeave);
    window.addEventListener("pagehide", onHide);
    return () => {
      restore();
      document.removeEventListener("keyup", onKeyUp);
      window.removeEventListener("plait:close", onClose);
      window.removeEventListener("beforeunload", onLeave);
      window.removeEventListener("pagehide", onHide);
    };
  }, [workspace]);
}

function hasUnsaved({ documents }: Workspace): boolean {
  return documents.all.some(isDirty);
}

/** Closes the window after unsaved changes and settings are handled. */
async function leave(workspace: Workspace): Promise<void> {
  if (!(await workspace.files.mayCloseAll())) return;
  await workspace.settings.save();
  await workspace.host.closeWindow();
}
