import { useEffect } from "react";
import { isTyping } from "@/design/keys/keys";
import { useWorkspace } from "@/workspace/context";
import { OWN_KEYS } from "./useShortcuts";

/** Escape ends a look at the past of a run. It is no shortcut of a command: it clears the selection otherwise. */
export function useEscapeToNow(): void {
  const { activeRun } = useWorkspace();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || !activeRun.past) return;
      if (isTyping(event.target) || (event.target instanceof Element && event.target.closest(OWN_KEYS))) return;
      event.preventDefault();
      activeRun.lookAt(undefined);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [activeRun]);
}
