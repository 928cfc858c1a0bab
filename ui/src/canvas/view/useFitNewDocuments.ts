import type { Viewport } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { displayedFlow } from "@/flow/document/flow-state";
import type { CanvasStore } from "@/workspace/canvas-store";
import { useCanvas, useFlow, useWorkspace } from "@/workspace/context";
import type { Workspace } from "@/workspace/workspace";
import { MIN_FIRST_ZOOM, reveal, showAll } from "./view";

/**
 * Shows a flow when another document or another run comes onto the canvas: the whole of it, or of a long one as much from its
 * beginning as can be read. What comes back, from behind another
 * document or from below a run, is shown as it was left. Then comes what waits to be revealed. `count` is how many nodes are drawn,
 * `haveWholeTitles` whether all titles can be read at a zoom of the far view.
 */
export function useFitNewDocuments(
  count: number,
  haveWholeTitles: (workspace: Workspace, zoom: number) => boolean,
): void {
  const workspace = useWorkspace();
  const { canvas, editor } = workspace;
  const key = useFlow((state) => state.key);
  const shown = useFlow((state) =>
    [state.key, ...(state.viewing ? [state.viewing.run] : (state.outer ?? []).map(({ node }) => node))].join("/"),
  );
  const empty = useFlow((state) => Object.keys(displayedFlow(state).nodes).length === 0);
  // The first check reports back edges. Their arcs need room, too.
  const arcs = useFlow((state) => state.checked.backEdges.length > 0);
  const ready = useCanvas((state) => state.instance !== undefined);
  const awaited = useCanvas((state) => state.awaitedReveal);
  const fitted = useRef<{ key: string; shown: string; arcs: boolean; viewport?: Viewport }>(undefined);
  useEffect(() => {
    const before = fitted.current;
    const same = before?.shown === shown;
    if (before && !same) leave(canvas, before, key);
    // Nodes added to an empty canvas do not move the view, and a view that was moved by hand stays.
    if (empty) fitted.current = { key, shown, arcs: true };
    const fits = !same || (!before.arcs && arcs && before.viewport && isStill(canvas, before.viewport));
    if (count === 0 || !ready || (!fits && !awaited)) return;
    const showFirst = () => {
      const view = same ? undefined : viewToRestore(canvas, shown, shown === key ? editor.state.path : undefined);
      if (view) {
        void canvas.instance?.setViewport(view);
        fitted.current = { key, shown, arcs: true };
        return;
      }
      const isReadable = (zoom: number) => haveWholeTitles(workspace, zoom);
      showAll(workspace, { minZoom: MIN_FIRST_ZOOM, maxZoom: 1, duration: 0, isReadable });
      fitted.current = { key, shown, arcs, viewport: viewportNow(canvas) };
    };
    const frame = requestAnimationFrame(() => {
      if (fits) showFirst();
      if (!awaited) return;
      canvas.set({ awaitedReveal: undefined });
      reveal(workspace, awaited);
    });
    return () => cancelAnimationFrame(frame);
  }, [key, shown, count, empty, arcs, ready, awaited, workspace, canvas, editor, haveWholeTitles]);
}

/** Keeps the view of a document that is no longer shown, if it will be shown again. */
function leave(canvas: CanvasStore, before: { key: string; shown: string }, key: string): void {
  const viewport = viewportNow(canvas);
  if (viewport && (before.shown === before.key || before.key !== key)) canvas.leftViews.set(before.shown, viewport);
}

/** The view that something was left with, in this session or the one before. Each is restored once. */
function viewToRestore({ leftViews, restoredViews }: CanvasStore, shown: string, path = ""): Viewport | undefined {
  const view = leftViews.get(shown) ?? restoredViews.get(path);
  leftViews.delete(shown);
  restoredViews.delete(path);
  return view;
}

function isStill(canvas: CanvasStore, before: Viewport): boolean {
  const now = viewportNow(canvas);
  return now?.x === before.x && now.y === before.y && now.zoom === before.zoom;
}

function viewportNow(canvas: CanvasStore): Viewport | undefined {
  return canvas.instance?.getViewport();
}
