/** Moving the view, not the flow. */

import type { Point } from "./paths";
import { canvasStore } from "./state";

const QUICK = { duration: 150 };

export function fit(): void {
  void canvasStore.getState().instance?.fitView({ padding: 0.14, maxZoom: 1.2, ...QUICK });
}

export function zoomBy(factor: number): void {
  const { instance } = canvasStore.getState();
  if (instance) void instance.zoomTo(instance.getZoom() * factor, QUICK);
}

export function resetZoom(): void {
  void canvasStore.getState().instance?.zoomTo(1, QUICK);
}

/** The middle of what is in view, in canvas units. */
export function viewCentre(): Point {
  const { instance } = canvasStore.getState();
  const pane = document.querySelector(".canvas")?.getBoundingClientRect();
  if (!instance || !pane) return { x: 0, y: 0 };
  return instance.screenToFlowPosition({ x: pane.left + pane.width / 2, y: pane.top + pane.height / 2 });
}
