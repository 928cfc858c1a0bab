/** Moves the focus from node to node with the keyboard, by position. */

import { frameElement, frameIdOf } from "@/canvas/elements/frame-ids";
import { boxesOf, frameBoxes } from "@/canvas/measure/boxes";
import type { CanvasStore } from "@/workspace/canvas-store";
import type { Workspace } from "@/workspace/workspace";
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
  const boxes = boxesOf(canvas.drawnNodes());
  const folded = canvas.drawnFrames().filter(({ data }) => data.folded);
  const spots = [...boxes, ...frameBoxes(folded, boxes)].map(([id, box]) => ({
    id,
    x: box.x + box.width / 2,
    y: box.y + box.height / 2,
  }));
  const { nodes, frames = [] } = editor.state.selection;
  const [selected] = [...nodes, ...[...frames].map(frameElement)];
  const here = (isMultiSelecting(workspace) ? focusedItem()?.id : undefined) ?? selected;
  const from = spots.find((spot) => spot.id === here);
  const next = from ? nearest(from, spots, to) : [...spots].sort((a, b) => a.x - b.x || a.y - b.y)[0];
  if (!next) return;
  const frame = frameIdOf(next.id);
  if (!isMultiSelecting(workspace)) editor.selectOnly(frame === undefined ? { nodes: [next.id] } : { frames: [frame] });
  const { zoom } = instance.getViewport();
  void instance.setCenter(next.x, next.y, { zoom, duration: 150 });
  focusOnceDrawn(canvas, next.id);
}

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
  canvas.set({ pointed: id });
  whenFound(
    canvas,
    id,
    () => nodeElement(id),
    (element) => element.focus({ preventScroll: true }),
  );
}

/**
 * Focuses the first field of a new node's config: it is what one fills in next. The card, where the inspector is closed or
 * the node has nothing to set.
 */
export function focusNewNode({ canvas, layout }: Pick<Workspace, "canvas" | "layout">, id: string): void {
  if (!layout.store.getState().open.right) {
    focusOnceDrawn(canvas, id);
    return;
  }
  whenFound(
    canvas,
    id,
    () => firstField(id),
    (field) => {
      if (!field.matches(FIELDS)) {
        focusOnceDrawn(canvas, id);
        return;
      }
      field.focus();
      // Until something is typed, undo still takes the node away.
      field.dataset.untouched = "";
      field.addEventListener("input", () => delete field.dataset.untouched, { once: true });
    },
  );
}

/** Focuses the value of a node's pin in the inspector, once it is there. */
export function focusPin({ canvas }: Pick<Workspace, "canvas">, id: string): void {
  const find = () => {
    const config = document.querySelector(`[data-config-of="${CSS.escape(id)}"]`);
    return config?.querySelector<HTMLElement>('[data-testid="pin"] textarea') ?? undefined;
  };
  whenFound(canvas, id, find, (field) => field.focus());
}

const FIELDS = "input, textarea, select, .cm-content, [role=switch]";

/** The first field of a node's config, or the config itself, which has none. Nothing while they are being loaded. */
function firstField(id: string): HTMLElement | undefined {
  const config = document.querySelector<HTMLElement>(`[data-config-of="${CSS.escape(id)}"]`);
  const field = config?.querySelector<HTMLElement>(FIELDS) ?? config;
  return field && field.dataset.loading === undefined ? field : undefined;
}

/** Does something with an element once it is in the page, unless another focus is requested before. */
function whenFound(
  canvas: CanvasStore,
  id: string,
  find: () => HTMLElement | undefined,
  act: (found: HTMLElement) => void,
): void {
  canvas.awaitedFocus = id;
  const until = performance.now() + DRAWN_TIMEOUT_MS;
  const look = () => {
    if (canvas.awaitedFocus !== id) return;
    const found = find();
    if (found) act(found);
    else if (performance.now() < until) requestAnimationFrame(look);
  };
  requestAnimationFrame(() => requestAnimationFrame(look));
}

/** The element of a node, if it is in the page. */
export function nodeElement(id: string): HTMLElement | undefined {
  return document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`) ?? undefined;
}
