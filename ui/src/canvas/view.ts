/** Moving the view, not the flow. */
import { getViewportForBounds } from "@xyflow/react";
import type { NodeId } from "@/bindings";
import { type Box, type Boxes, bounds } from "@/flow/align";
import { flowStore, shownFlow } from "@/flow/store";
import { backBounds, type Point } from "./paths";
import { canvasStore } from "./state";

const MIN_ZOOM = 0.1;
const QUICK_MS = 150;

type Shown = {
  /** The nodes to bring into view; absent: all of them. */
  nodes?: readonly NodeId[];
  maxZoom?: number;
  /** Room around them, as a share of the canvas. */
  padding?: number;
  duration?: number;
};

/** Brings nodes into view, as large as fits. Back edges swing out above their nodes and are given room. */
export function showAll({ nodes, maxZoom = 1.1, padding = 0.08, duration = QUICK_MS }: Shown = {}): void {
  const { instance } = canvasStore.getState();
  const pane = paneBox();
  if (!instance || !pane) return;
  const wanted = nodes && new Set(nodes);
  const boxes = new Map(
    instance
      .getNodes()
      .filter((node) => !wanted || wanted.has(node.id))
      .map((node) => [
        node.id,
        { ...node.position, width: node.measured?.width ?? 0, height: node.measured?.height ?? 0 },
      ]),
  );
  if (boxes.size === 0) return;
  for (const [id, box] of arcs(boxes)) boxes.set(id, box);
  const viewport = getViewportForBounds(bounds(boxes), pane.width, pane.height, MIN_ZOOM, maxZoom, padding);
  void instance.setViewport(viewport, { duration });
}

/** The room that back edges take above and beside the nodes they join. */
function arcs(boxes: Boxes): Boxes {
  const state = flowStore.getState();
  const taken = new Map<string, Box>();
  for (const id of state.checked.backEdges) {
    const edge = shownFlow(state).edges[id];
    const source = edge && boxes.get(edge.source);
    const target = edge && boxes.get(edge.target);
    if (source && target) taken.set(`arc ${id}`, backBounds(source, target));
  }
  return taken;
}

export function zoomBy(factor: number): void {
  const { instance } = canvasStore.getState();
  if (instance) void instance.zoomTo(instance.getZoom() * factor, { duration: QUICK_MS });
}

export function resetZoom(): void {
  void canvasStore.getState().instance?.zoomTo(1, { duration: QUICK_MS });
}

/** The middle of what is in view, in canvas units. */
export function viewCentre(): Point {
  const { instance } = canvasStore.getState();
  const pane = paneBox();
  if (!instance || !pane) return { x: 0, y: 0 };
  return instance.screenToFlowPosition({ x: pane.left + pane.width / 2, y: pane.top + pane.height / 2 });
}

function paneBox(): DOMRect | undefined {
  return document.querySelector(".canvas")?.getBoundingClientRect();
}
