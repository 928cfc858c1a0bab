import type { Viewport } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { displayedFlow } from "@/flow/flow-state";
import type { CanvasStore } from "@/workspace/canvas-store";
import { useCanvas, useFlow, useWorkspace } from "@/workspace/context";
import { showAll } from "./view";

/**
 * Shows the whole of a flow when another document or another run comes onto the canvas. A document that comes back from
 * below a run is shown as it was left. `count` is how many nodes are drawn.
 */
export function useFitNewDocuments(count: number): void {
  const workspace = useWorkspace();
  const { canvas, editor } = workspace;
  const key = useFlow((state) => state.key);
  const document = useFlow(
    (state) => state.viewing?.run ?? [state.key, ...(state.outer ?? []).map(({ node }) => node)].join("/"),
  );
  const empty = useFlow((state) => Object.keys(displayedFlow(state).nodes).length === 0);
  // The first check reports back edges, whose arcs need room, too.
  const arcs = useFlow((state) => state.checked.backEdges.length > 0);
  const ready = useCanvas((state) => state.instance !== undefined);
  const fitted = useRef<{ document: string; arcs: boolean; viewport?: Viewport }>(undefined);
  const left = useRef<{ document: string; viewport?: Viewport }>(undefined);
  useEffect(() => {
    const before = fitted.current;
    const same = before?.document === document;
    if (!same && before?.document === key) left.current = { document: key, viewport: viewportNow(canvas) };
    const back = document === key && left.current?.document === key ? left.current.viewport : undefined;
    // Nodes added to an empty canvas do not move the view, and a view that was moved by hand stays.
    if (empty) fitted.current = { document, arcs: true };
    if (
      count === 0 ||
      !ready ||
      (same && (before.arcs || !arcs || !before.viewport || !isStill(canvas, before.viewport)))
    )
      return;
    const frame = requestAnimationFrame(() => {
      const { restoredView } = canvas;
      if (!same) canvas.restoredView = undefined;
      const restored = restoredView?.path === editor.state.path ? restoredView?.viewport : undefined;
      const view = back ?? restored;
      if (view && !same) {
        void canvas.instance?.setViewport(view);
        fitted.current = { document, arcs: true };
        return;
      }
      showAll(workspace, { maxZoom: 1, duration: 0 });
      fitted.current = { document, arcs, viewport: viewportNow(canvas) };
    });
    return () => cancelAnimationFrame(frame);
  }, [key, document, count, empty, arcs, ready, workspace, canvas, editor]);
}

function isStill(canvas: CanvasStore, before: Viewport): boolean {
  const now = viewportNow(canvas);
  return now?.x === before.x && now.y === before.y && now.zoom === before.zoom;
}

function viewportNow(canvas: CanvasStore): Viewport | undefined {
  return canvas.instance?.getViewport();
}
