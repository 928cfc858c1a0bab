import { useStoreApi } from "@xyflow/react";
import { useEffect } from "react";
import { boxesOf } from "@/canvas/measure/boxes";
import { useWorkspace } from "@/workspace/context";
import { DoubleClickGuard } from "./double-click";
import { showBox } from "./view";

/** Moves the view when the inspector opens over the place of the node that it is about. */
export function KeepSelectionInView() {
  const { canvas, editor } = useWorkspace();
  const store = useStoreApi();
  useEffect(() => {
    const guard = new DoubleClickGuard();
    const stopFollowing = guard.follow();
    let widthBefore = 0;
    const stop = store.subscribe(({ width }, { width: earlier }) => {
      if (width >= earlier) return;
      widthBefore = Math.max(widthBefore, earlier);
      guard.run(() => {
        const before = widthBefore;
        widthBefore = 0;
        const { nodes } = editor.state.selection;
        const [id] = nodes;
        const box = nodes.size === 1 && id !== undefined ? boxesOf(canvas.drawnNodes()).get(id) : undefined;
        if (!box) return;
        const { x, zoom } = canvas.instance?.getViewport() ?? { x: 0, zoom: 1 };
        const [left, right] = [box.x * zoom + x, (box.x + box.width) * zoom + x];
        if (left >= 0 && right <= before && right > store.getState().width) showBox({ canvas }, box);
      });
    });
    return () => {
      stop();
      stopFollowing();
    };
  }, [canvas, editor, store]);
  return null;
}
