/**
 * Dragging a node type onto the canvas with pointer events. HTML5 drag and drop is not used: the desktop window's own
 * file-drop handler would swallow it.
 */
import { type PointerEvent as ReactPointerEvent, useCallback } from "react";
import type { NodeDescriptor } from "@/bindings";
import type { Point } from "@/flow/align/align";
import { useWorkspace } from "@/workspace/context";

/** How far the pointer moves before it counts as a drag and not as a click. */
const THRESHOLD = 4;

/** The pointer-down handler of something that can be dragged onto the canvas. */
export function useTypeDrag(type: NodeDescriptor, onPlaced: () => void): (event: ReactPointerEvent) => void {
  const { canvas, editor, layout } = useWorkspace();
  return useCallback(
    (down) => {
      if (down.button !== 0) return;
      const start = { x: down.clientX, y: down.clientY };
      let moved = false;

      const move = (event: PointerEvent) => {
        if (!moved && Math.hypot(event.clientX - start.x, event.clientY - start.y) < THRESHOLD) return;
        if (!moved && !editor.mayEdit()) return end();
        moved = true;
        const at = { x: event.clientX, y: event.clientY };
        const overCanvas = isOverCanvas(at);
        canvas.set({ draggedType: { type, at, overCanvas } });
        canvas.showDropTarget(overCanvas ? at : undefined);
      };
      const up = (event: PointerEvent) => {
        end();
        const at = { x: event.clientX, y: event.clientY };
        const { instance } = canvas;
        if (!moved || !instance || !isOverCanvas(at)) return;
        if (canvas.addNode(type.type, instance.screenToFlowPosition(at), true) !== undefined) onPlaced();
        layout.uncoverCanvas("left");
      };
      const key = (event: KeyboardEvent) => {
        if (event.key === "Escape") end();
      };
      const end = () => {
        document.removeEventListener("pointermove", move);
        document.removeEventListener("pointerup", up);
        document.removeEventListener("pointercancel", end);
        document.removeEventListener("keydown", key);
        canvas.set({ draggedType: undefined });
        canvas.showDropTarget(undefined);
      };
      document.addEventListener("pointermove", move);
      document.addEventListener("pointerup", up);
      document.addEventListener("pointercancel", end);
      document.addEventListener("keydown", key);
    },
    [type, onPlaced, canvas, editor, layout],
  );
}

function isOverCanvas(at: Point): boolean {
  // The empty state and the start page cover the canvas and accept drops, too.
  const over = document.elementFromPoint(at.x, at.y);
  return over?.closest(".canvas, [data-testid=empty-canvas], [data-testid=start-page]") != null;
}
