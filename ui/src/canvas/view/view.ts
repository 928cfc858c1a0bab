/** Moving the view, not the flow. */
import { getViewportForBounds, type Viewport } from "@xyflow/react";
import { flushSync } from "react-dom";
import type { NodeId } from "@/bindings";
import { topBetween } from "@/canvas/elements/elements";
import { boxesOf, contains, drawnBounds, frameBoxes, isWithin } from "@/canvas/measure/boxes";
import { portY } from "@/canvas/measure/geometry";
import { backBounds } from "@/canvas/measure/paths";
import { type Box, type Boxes, bounds, overlaps, type Point } from "@/flow/align/align";
import { foldsAround } from "@/flow/containers/folding";
import { displayedFlow, type FlowState } from "@/flow/document/flow-state";
import type { RevealTarget } from "@/workspace/canvas-store";
import type { Part } from "@/workspace/window/window-size";
import type { Workspace } from "@/workspace/workspace";
import { isFar } from "./detail";

/** The least zoom of the canvas: a card is a few pixels wide, so also very large flows can be seen whole. */
export const MIN_ZOOM = 0.01;
export const MAX_ZOOM = 2.5;
/** A flow that opens is shown at this zoom at least: the short titles of its tiles can be read. */
export const MIN_FIRST_ZOOM = 0.42;
/** Where titles of tiles are cut, a flow that opens is shown at this zoom at least: cards, with room for two lines of each title. */
const MIN_FIRST_CARD_ZOOM = 0.65;
/** From this many nodes on, only nodes in view are in the page. */
export const MANY_NODES = 250;
const QUICK_MS = 150;

type Parts = Pick<Workspace, "canvas" | "editor">;

type FitOptions = {
  /** The nodes to bring into view; absent: all of them. */
  nodes?: readonly NodeId[];
  minZoom?: number;
  maxZoom?: number;
  /** Room around them, as a share of the canvas. */
  padding?: number;
  duration?: number;
  /** Whether titles can be read at a zoom of the far view. Where they can't, cards are shown, and not all of them if need be. */
  isReadable?: (zoom: number) => boolean;
};

/** Fits nodes into view, with room for the arcs of their back edges. */
export function showAll(
  { canvas, editor }: Parts,
  { nodes, minZoom = MIN_ZOOM, maxZoom = 1.1, padding = 0.08, duration = QUICK_MS, isReadable }: FitOptions = {},
): void {
  const { instance } = canvas;
  const pane = paneBox();
  if (!instance || !pane) return;
  const wanted = nodes && new Set(nodes);
  const all = boxesOf(canvas.drawnNodes());
  const boxes = wanted
    ? new Map([...all].filter(([id]) => wanted.has(id)))
    : new Map([...all, ...frameBoxes(canvas.drawnFrames(), all)]);
  if (boxes.size === 0) return;
  for (const [id, box] of arcs(editor.state, boxes)) boxes.set(id, box);
  const box = bounds(boxes);
  const fitted = getViewportForBounds(box, pane.width, pane.height, minZoom, maxZoom, padding);
  const isCut = isReadable !== undefined && isFar(fitted.zoom) && !isReadable(fitted.zoom);
  const least = isCut ? MIN_FIRST_CARD_ZOOM : minZoom;
  const viewAbove = (height: number) => getViewportForBounds(box, pane.width, height, least, maxZoom, padding);
  let viewport = viewAbove(pane.height);
  const free = freeHeight({ canvas }, pane, boxes, viewport);
  const above = viewAbove(free);
  // In a low canvas nodes below the controls are better than small ones.
  if (free >= pane.height / 2 && box.height * above.zoom <= free) viewport = above;
  // A flow that is too large for the least zoom is shown from its left side, at the height of its first node.
  const margin = padding * 300;
  if (box.width * viewport.zoom > pane.width) viewport.x = margin - box.x * viewport.zoom;
  if (box.height * viewport.zoom > pane.height) {
    const middle = pane.height / 2 - middleOfFirst(boxes) * viewport.zoom;
    const lowest = pane.height - margin - (box.y + box.height) * viewport.zoom;
    viewport.y = Math.max(lowest, Math.min(margin - box.y * viewport.zoom, middle));
  }
  // Before the view is there: the cards that would be in it are never drawn.
  if (duration === 0 && isFar(viewport.zoom)) flushSync(() => canvas.set({ far: true }));
  void instance.setViewport(viewport, { duration });
}

/** The height at which the leftmost box has its middle; of several, the highest one. */
function middleOfFirst(boxes: Boxes): number {
  const [first] = [...boxes.values()].toSorted((a, b) => a.x - b.x || a.y - b.y);
  return first ? first.y + first.height / 2 : 0;
}

/**
 * The buttons and the minimap that stand at the lower corners of the canvas in a view, in pixels from its upper left corner.
 * The minimap is not there if the view shows all of the flow, and of `more` that is not drawn yet.
 */
function controlBoxes({ canvas }: Pick<Parts, "canvas">, pane: Box, view: Viewport, more: Boxes = new Map()): Box[] {
  const shown = onCanvas({ x: 0, y: 0, width: pane.width, height: pane.height }, view);
  const drawn = boxesOf(canvas.drawnNodes());
  const isWhole = isWithin(drawnBounds(canvas.drawnFrames(), new Map([...drawn, ...more])), shown);
  return [...document.querySelectorAll(`.canvas .react-flow__panel${isWhole ? ":not(.minimap)" : ""}`)].map(
    (control) => {
      const { x, y, width, height } = control.getBoundingClientRect();
      return { x: x - pane.x, y: y - pane.y, width, height };
    },
  );
}

/** How much of the canvas, in pixels from its top, is above all controls that cover a part of these boxes in a view. */
function freeHeight(parts: Pick<Parts, "canvas">, pane: Box, boxes: Boxes, view: Viewport): number {
  const all = [...boxes.values()];
  const covering = controlBoxes(parts, pane, view, boxes).filter((control) => {
    const place = onCanvas(control, view);
    return all.some((box) => overlaps(place, box));
  });
  return Math.min(pane.height, ...covering.map(({ y }) => y));
}

/** A box of the screen in canvas units. */
function onCanvas(box: Box, { x, y, zoom }: Viewport): Box {
  return { x: (box.x - x) / zoom, y: (box.y - y) / zoom, width: box.width / zoom, height: box.height / zoom };
}

/** The boxes of the arcs of back edges. */
function arcs(state: FlowState, boxes: Boxes): Boxes {
  const flow = displayedFlow(state);
  const boxesOfArcs = new Map<string, Box>();
  for (const id of state.checked.backEdges) {
    const edge = flow.edges[id];
    const source = edge && boxes.get(edge.source);
    const target = edge && boxes.get(edge.target);
    if (!edge || !source || !target) continue;
    const from = { x: source.x + source.width, y: source.y + portY(0) };
    const to = { x: target.x, y: target.y + portY(0) };
    boxesOfArcs.set(`arc ${id}`, backBounds(from, to, topBetween(flow, edge)));
  }
  return boxesOfArcs;
}

/** Zooms about a place of the screen, or about the middle of the view. */
export function zoomBy({ canvas }: Parts, factor: number, about?: Point): void {
  const { instance } = canvas;
  const pane = paneBox();
  if (!instance || !pane) return;
  const { x, y, zoom: before } = instance.getViewport();
  const zoom = Math.max(MIN_ZOOM, Math.min(MAX_ZOOM, before * factor));
  const at = about ? { x: about.x - pane.x, y: about.y - pane.y } : { x: pane.width / 2, y: pane.height / 2 };
  const ratio = zoom / before;
  const viewport = { x: at.x - (at.x - x) * ratio, y: at.y - (at.y - y) * ratio, zoom };
  void instance.setViewport(viewport, { duration: QUICK_MS });
}

/** Fits the selected nodes into view, large enough to be worked on. */
export function showSelection(workspace: Parts): void {
  const { nodes } = workspace.editor.state.selection;
  showAll(workspace, { nodes: [...nodes], maxZoom: 1.5, padding: 0.15, duration: 250 });
}

/** Moves the view by so much of the screen. */
export function panBy({ canvas }: Parts, dx: number, dy: number): void {
  const { instance } = canvas;
  if (!instance) return;
  const { x, y, zoom } = instance.getViewport();
  void instance.setViewport({ x: x - dx, y: y - dy, zoom });
}

export function resetZoom({ canvas }: Parts): void {
  void canvas.instance?.zoomTo(1, { duration: QUICK_MS });
}

/** Below this zoom a card's name cannot be read. */
const READABLE = 0.5;

/** Whether all of these nodes are wholly in view, the middle of none below a control, and large enough to be read. */
export function inView({ canvas }: Parts, nodes: readonly NodeId[]): boolean {
  const { instance } = canvas;
  const pane = paneBox();
  if (!instance || !pane) return false;
  const view = instance.getViewport();
  const { x, y, zoom } = view;
  const boxes = boxesOf(canvas.drawnNodes());
  const covered = controlBoxes({ canvas }, pane, view).map((control) => onCanvas(control, view));
  return (
    zoom >= READABLE &&
    nodes.every((id) => {
      const box = boxes.get(id);
      if (!box) return false;
      const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      if (covered.some((one) => contains(one, middle))) return false;
      const [left, top] = [box.x * zoom + x, box.y * zoom + y];
      const right = left + box.width * zoom;
      const bottom = top + box.height * zoom;
      return left >= 0 && top >= 0 && right <= pane.width && bottom <= pane.height;
    })
  );
}

/** The middle of the view, in canvas units. */
export function viewCenter({ canvas }: Parts): Point {
  const { instance } = canvas;
  const pane = paneBox();
  if (!instance || !pane) return { x: 0, y: 0 };
  return instance.screenToFlowPosition({ x: pane.x + pane.width / 2, y: pane.y + pane.height / 2 });
}

/** Screen pixels between new nodes and the border of the view. */
const VIEW_MARGIN_PX = 12;

/** The view, in canvas units, except for a margin. Undefined while there is no canvas. */
export function viewBox({ canvas }: Pick<Parts, "canvas">): Box | undefined {
  const { instance } = canvas;
  const pane = paneBox();
  if (!instance || !pane || pane.width <= 2 * VIEW_MARGIN_PX || pane.height <= 2 * VIEW_MARGIN_PX) return undefined;
  const { x, y, zoom } = instance.getViewport();
  return {
    x: (VIEW_MARGIN_PX - x) / zoom,
    y: (VIEW_MARGIN_PX - y) / zoom,
    width: (pane.width - 2 * VIEW_MARGIN_PX) / zoom,
    height: (pane.height - 2 * VIEW_MARGIN_PX) / zoom,
  };
}

/** Moves the view so far that a box is in it, if there is room below no control; one that is too large for it is shown smaller. */
export function showBox({ canvas }: Pick<Parts, "canvas">, box: Box): void {
  const { instance } = canvas;
  const pane = paneBox();
  const view = viewBox({ canvas });
  if (!instance || !pane || !view) return;
  const { x, y, zoom } = instance.getViewport();
  if (box.width > view.width || box.height > view.height) {
    const fitted = getViewportForBounds(box, pane.width, pane.height, MIN_ZOOM, zoom, 0.08);
    void instance.setViewport(fitted, { duration: QUICK_MS });
    return;
  }
  const right = Math.max(0, box.x + box.width - view.x - view.width) || Math.min(0, box.x - view.x);
  const down = Math.max(0, box.y + box.height - view.y - view.height) || Math.min(0, box.y - view.y);
  const next = { x: x - right * zoom, y: y - down * zoom, zoom };
  // Up to above a control that would cover it, if there is room; then the minimap may be there, which is higher than the buttons.
  for (let pass = 0; pass < 2; pass += 1) {
    const bottom = (box.y + box.height) * zoom + next.y;
    const up = bottom - (freeHeight({ canvas }, pane, new Map([["", box]]), next) - VIEW_MARGIN_PX);
    if (up > 0 && box.y * zoom + next.y - up >= VIEW_MARGIN_PX) next.y -= up;
  }
  if (next.x === x && next.y === y) return;
  void instance.setViewport(next, { duration: QUICK_MS });
}

/** The part of the canvas that can be seen: in a small window, the dock and the inspector stand over it. */
function paneBox(): Box | undefined {
  const pane = document.querySelector(".canvas")?.getBoundingClientRect();
  if (!pane) return undefined;
  const floating = (part: Part) => document.querySelector(`[data-floating=${part}]`)?.getBoundingClientRect();
  const { x, y, width, height } = pane;
  const right = floating("right")?.x ?? Number.POSITIVE_INFINITY;
  const bottom = floating("dock")?.y ?? Number.POSITIVE_INFINITY;
  return { x, y, width: Math.min(width, right - x), height: Math.min(height, bottom - y) };
}

/** Brings a node or an edge into view and selects it. A view in which it can be read already stays where it is. */
export function reveal(workspace: Workspace, { node, edge, center = false }: RevealTarget): void {
  const { editor } = workspace;
  const flow = displayedFlow(editor.state);
  const ends = edge !== undefined ? flow.edges[edge] : undefined;
  if (node !== undefined) editor.selectOnly({ nodes: [node] });
  else if (edge !== undefined) editor.selectOnly({ edges: [edge] });
  const displayed = node !== undefined ? [node] : ends ? [ends.source, ends.target] : [];
  const nodes = displayed.filter((id) => Object.hasOwn(flow.nodes, id));
  const folded = nodes.flatMap((id) => foldsAround(flow, id));
  if (folded.length > 0) {
    const loops = folded.flatMap(({ loop }) => loop ?? []);
    editor.fold({ nodes: loops, frames: folded.flatMap(({ frame }) => frame ?? []) }, false);
    // What was folded is drawn in the next frame.
    requestAnimationFrame(() => requestAnimationFrame(() => bringIntoView(workspace, nodes, center)));
  } else bringIntoView(workspace, nodes, center);
}

function bringIntoView(workspace: Workspace, nodes: readonly NodeId[], center: boolean): void {
  if (nodes.length > 0 && (center || !inView(workspace, nodes)))
    showAll(workspace, { nodes, maxZoom: 1, padding: 0.25, duration: 250 });
}
