import { useEffect } from "react";
import type { FlowState } from "@/flow/document/flow-state";
import { useWorkspace } from "@/workspace/context";

/**
 * Tells the layout whether something is selected. What a press selects counts when the pointer is released: the canvas must
 * not become narrower while something is dragged on it.
 */
export function useInspectedSelection(): void {
  const { editor, layout } = useWorkspace();
  useEffect(() => {
    let pressed = false;
    const follow = () => {
      if (!pressed) layout.setInspected(hasSelection(editor.state));
    };
    const onPress = () => {
      pressed = true;
    };
    const onRelease = () => {
      pressed = false;
      // The click that follows may change the selection.
      setTimeout(follow);
    };
    follow();
    const unsubscribe = editor.store.subscribe(follow);
    window.addEventListener("pointerdown", onPress, { capture: true });
    for (const event of ["pointerup", "pointercancel"] as const)
      window.addEventListener(event, onRelease, { capture: true });
    return () => {
      unsubscribe();
      window.removeEventListener("pointerdown", onPress, { capture: true });
      for (const event of ["pointerup", "pointercancel"] as const)
        window.removeEventListener(event, onRelease, { capture: true });
    };
  }, [editor, layout]);
}

function hasSelection({ selection: { nodes, edges, frames } }: FlowState): boolean {
  return nodes.size + edges.size + (frames?.size ?? 0) > 0;
}
