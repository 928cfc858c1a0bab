import { Panel, type ReactFlowState, useStoreApi } from "@xyflow/react";
import { type PointerEvent, useLayoutEffect, useMemo, useRef } from "react";
import { boxesOf, drawnBounds, isWithin } from "@/canvas/measure/boxes";
import { TEXTS } from "@/canvas/texts";
import { CssColors } from "@/design/theme/css-colors";
import { type Box, type Boxes, bounds, type Point } from "@/flow/align/align";
import type { NodeTypes } from "@/flow/node-types/node-types";
import type { CanvasNode, FrameNode } from "@/workspace/canvas-store";
import { useNodeTypes, useWorkspace } from "@/workspace/context";
import { useTheme } from "@/workspace/window/theme";
import { paintFrames, paintNodes } from "./paint-nodes";

type Drawn = { nodes: readonly CanvasNode[]; frames: readonly FrameNode[] };

const SIZE = { width: 140, height: 90 };
const MARGIN = 8;

/**
 * The map of the flow and of the view. Painted once for each change of the nodes, not while they are dragged. While the
 * view moves among the nodes, only its frame is drawn; beyond them, the map covers the frame, too. Click or drag in it
 * to go there. It hides while all of the flow is in view: there it would show nothing, and cover nodes.
 */
export function Minimap(drawn: Drawn) {
  const { nodes, frames } = useSettled(drawn);
  const { canvas } = useWorkspace();
  const types = useNodeTypes((all) => all);
  const theme = useTheme();
  const colors = useMemo(() => new CssColors(), []);
  const store = useStoreApi();
  const panel = useRef<HTMLDivElement>(null);
  const picture = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const mapping = useRef<Mapping>(undefined);
  /** While one drags in the map, what it covers stays: else it would move under the pointer. */
  const held = useRef(false);
  const refresh = useRef(() => {});
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colors.
  useLayoutEffect(() => {
    const boxes = boxesOf(nodes);
    const flow = drawnBounds(frames, boxes);
    let painting: number | undefined;
    mapping.current = undefined;
    const draw = () => {
      const view = viewOf(store.getState());
      const before = mapping.current;
      const isNeeded = held.current || (view.width > 0 && !isWithin(flow, view));
      panel.current?.toggleAttribute("data-needed", isNeeded);
      if (!isNeeded) {
        mapping.current = undefined;
        return;
      }
      const map = before && held.current ? before : mapOf(bounds(new Map(Object.entries({ flow, view }))));
      mapping.current = map;
      if (frame.current) placeFrame(frame.current, map, view);
      if (before && hasSameArea(before, map)) return;
      if (painting !== undefined) cancelAnimationFrame(painting);
      painting = requestAnimationFrame(() => {
        if (picture.current) paint(picture.current, colors, types, { nodes, frames }, boxes, map);
      });
    };
    draw();
    refresh.current = draw;
    const unsubscribe = store.subscribe((state, before) => {
      if (state.transform !== before.transform || state.width !== before.width || state.height !== before.height)
        draw();
    });
    return () => {
      unsubscribe();
      if (painting !== undefined) cancelAnimationFrame(painting);
    };
  }, [nodes, frames, theme, colors, types, store]);
  const press = (event: PointerEvent<HTMLDivElement>) => {
    if (event.buttons !== 1 || !mapping.current) return;
    held.current = true;
    event.currentTarget.setPointerCapture(event.pointerId);
    goTo(event);
  };
  const goTo = (event: PointerEvent<HTMLDivElement>) => {
    // What was pressed elsewhere goes on when it comes across the map, or when the map comes below it.
    if (!held.current || !mapping.current) return;
    const box = event.currentTarget.getBoundingClientRect();
    const at = mapping.current.toCanvas({ x: event.clientX - box.left, y: event.clientY - box.top });
    const { instance } = canvas;
    if (instance) void instance.setCenter(at.x, at.y, { zoom: instance.getZoom() });
  };
  const release = () => {
    held.current = false;
    refresh.current();
  };
  return (
    <Panel ref={panel} position="bottom-right" className="minimap" data-testid="minimap">
      <div
        role="img"
        aria-label={TEXTS.minimap}
        className="relative h-full overflow-hidden"
        onPointerDown={press}
        onPointerMove={goTo}
        onLostPointerCapture={release}
      >
        <canvas ref={picture} style={SIZE} />
        <div ref={frame} className="minimap-frame" data-testid="minimap-frame" />
      </div>
    </Panel>
  );
}

/** The nodes as they were before a drag began: the map is not redrawn for each step of a drag. */
function useSettled(drawn: Drawn): Drawn {
  const settled = useRef(drawn);
  if (!drawn.nodes.some((node) => node.dragging)) settled.current = drawn;
  return settled.current;
}

/** The view, in canvas units. */
function viewOf({ transform: [x, y, zoom], width, height }: ReactFlowState): Box {
  // Adding 0 makes 0 of -0.
  return { x: -x / zoom + 0, y: -y / zoom + 0, width: width / zoom, height: height / zoom };
}

/** Written outside of React, as it changes in each frame of a move. */
function placeFrame({ style }: HTMLElement, map: Mapping, view: Box): void {
  const corner = map.toMap(view);
  style.width = `${Math.round(view.width * map.scale)}px`;
  style.height = `${Math.round(view.height * map.scale)}px`;
  style.transform = `translate(${corner.x}px, ${corner.y}px)`;
}

type Mapping = { area: Box; scale: number; toMap(at: Point): Point; toCanvas(at: Point): Point };

/** From the canvas to the map and back: the whole area fits, in its middle. */
function mapOf(area: Box): Mapping {
  const scale = Math.min(
    (SIZE.width - 2 * MARGIN) / Math.max(1, area.width),
    (SIZE.height - 2 * MARGIN) / Math.max(1, area.height),
    0.12,
  );
  const left = (SIZE.width - area.width * scale) / 2 - area.x * scale;
  const top = (SIZE.height - area.height * scale) / 2 - area.y * scale;
  return {
    area,
    scale,
    toMap: ({ x, y }) => ({ x: left + x * scale, y: top + y * scale }),
    toCanvas: ({ x, y }) => ({ x: (x - left) / scale, y: (y - top) / scale }),
  };
}

function hasSameArea({ area: a }: Mapping, { area: b }: Mapping): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}

function paint(
  canvas: HTMLCanvasElement,
  colors: CssColors,
  types: NodeTypes,
  { nodes, frames }: Drawn,
  boxes: Boxes,
  map: Mapping,
): void {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = SIZE.width * ratio;
  canvas.height = SIZE.height * ratio;
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.scale(ratio, ratio);
  const resolve = colors.resolver(canvas);
  paintFrames(pen, resolve, types, frames, boxes, map);
  paintNodes(pen, resolve, types, nodes, boxes, map);
}
