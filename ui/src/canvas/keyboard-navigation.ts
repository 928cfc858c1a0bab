/** Moves the focus from node to node with the keyboard, by position. */
import type { CanvasStore } from "@/workspace/canvas-store";
import type { Workspace } from "@/workspace/workspace";
import { boxesOf } from "./boxes";
import { focusedItem, isMultiSelecting } from "./multi-select";

export type Direction = "left" | "right" | "up" | "down";
type Spot = { id: string; x: number; y: number };

/** The nearest spot in a direction. Sideways distance counts double. */
export function nearest(from: Spot, spots: readonly Spot[], to: Direction): Spot | undefined {
  let best: { spot: Spot; cost: number } | undefined;
  for (const spot of spots) {
    if (spot.id === from.id) continue;
    const [dx, dy] = [spot.x - from.x, spot.y - from.y];
    const ahead = { left: -dx, right: dx, up: -dy, down: dy }[to];
    const sideways = Math.abs(to === "left" || to === "right" ? dy : dx);
    if (ahead <= 0) continue;
    const cost = ahead + 2 * sideways;
    if (!best || cost < best.cost) best = { spot, cost };
  }
  return best?.spot;
}

/** Selects and focuses the next node in a direction, or the first one without a selection. A multi-selection stays. */
export function focusNext(workspace: Workspace, to: Direction): void {
  const { canvas, editor } = workspace;
  const { instance } = canvas;
  if (!instance) return;
  const spots = [...boxesOf(instance.getNodes())].map(([id, box]) => ({
    id,
    x: box.x + box.width / 2,
    y: box.y + box.height / 2,
  }));
  const [selected] = editor.state.selection.nodes;
  const here = (isMultiSelecting(workspace) ? focusedItem()?.id : undefined) ?? selected;
  const from = spots.find((spot) => spot.id === here);
  const next = from ? nearest(from, spots, to) : [...spots].sort((a, b) => a.x - b.x || a.y - b.y)[0];
  if (!next) return;
  if (!isMultiSelecting(workspace)) editor.selectOnly({ nodes: [next.id] });
  const { zoom } = instance.getViewport();
  void instance.setCenter(next.x, next.y, { zoom, duration: 150 });
  focusOnceDrawn(canvas, next.id);
}

/** Focuses a node, if it is in the page. */
export function focusNode(id: string): void {
  nodeElement(id)?.focus({ preventScroll: true });
}

/** So long a node may take to come into the page, in milliseconds. */
const DRAWN_TIMEOUT_MS = 1000;

/**
 * Focuses a node that may not be in the page yet: React renders an added node in the next frame, and with very many nodes
 * one is rendered only when the view reaches it. The last request wins.
 */
export function focusOnceDrawn(canvas: CanvasStore, id: string): void {
  canvas.awaitedFocus = id;
  const until = performance.now() + DRAWN_TIMEOUT_MS;
  const look = () => {
    if (canvas.awaitedFocus !== id) return;
    if (!nodeElement(id) && performance.now() < until) requestAnimationFrame(look);
    else focusNode(id);
  };
  requestAnimationFrame(() => requestAnimationFrame(look));
}

/** The element of a node, if it is in the page. */
export function nodeElement(id: string): HTMLElement | undefined {
  return document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`) ?? undefined;
}
