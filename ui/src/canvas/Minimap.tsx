import { Panel, useStoreApi } from "@xyflow/react";
import { type PointerEvent, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { resolver } from "@/design/css-colors";
import { bounds, type Point } from "@/flow/align";
import type { NodeTypes } from "@/flow/node-types";
import type { CanvasNode } from "@/workspace/canvas-store";
import { useNodeTypes, useWorkspace } from "@/workspace/context";
import { useTheme } from "@/workspace/useTheme";
import { boxesOf } from "./boxes";
import { shade } from "./elements";
import { TEXTS } from "./texts";

const SIZE = { width: 140, height: 90 };
const MARGIN = 8;
const LOOP_OPACITY = 0.3;
const CATEGORY_COLORS: Partial<Record<string, string>> = {
  people: "var(--wait)",
  tools: "var(--tools)",
  data: "var(--data)",
};

/**
 * The map of the flow. Painted once for each change of the nodes, not while they are dragged; while the view moves only
 * its frame does, however many nodes there are. Click or drag in it to go there.
 */
export function Minimap({ nodes: current }: { nodes: readonly CanvasNode[] }) {
  const nodes = useSettled(current);
  const { canvas } = useWorkspace();
  const types = useNodeTypes((all) => all);
  const theme = useTheme();
  const picture = useRef<HTMLCanvasElement>(null);
  const map = useMemo(() => mapOf(nodes), [nodes]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colors.
  useEffect(() => {
    const frame = requestAnimationFrame(() => picture.current && paint(picture.current, types, nodes, map));
    return () => cancelAnimationFrame(frame);
  }, [nodes, map, theme, types]);
  const goTo = (event: PointerEvent<HTMLDivElement>) => {
    if (event.buttons !== 1) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const frame = event.currentTarget.getBoundingClientRect();
    const at = map.toCanvas({ x: event.clientX - frame.left, y: event.clientY - frame.top });
    const { instance } = canvas;
    if (instance) void instance.setCenter(at.x, at.y, { zoom: instance.getZoom() });
  };
  return (
    <Panel position="bottom-right" className="minimap" data-testid="minimap">
      <div
        role="img"
        aria-label={TEXTS.minimap}
        className="relative h-full overflow-hidden"
        onPointerDown={goTo}
        onPointerMove={goTo}
      >
        <canvas ref={picture} style={SIZE} />
        <Frame map={map} />
      </div>
    </Panel>
  );
}

/** The nodes as they were before a drag began: the map is not redrawn for each step of a drag. */
function useSettled(nodes: readonly CanvasNode[]): readonly CanvasNode[] {
  const settled = useRef(nodes);
  if (!nodes.some((node) => node.dragging)) settled.current = nodes;
  return settled.current;
}

/** What is in view; written outside of React, as it changes in each frame of a move. */
function Frame({ map }: { map: Mapping }) {
  const store = useStoreApi();
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const draw = () => {
      const { transform, width, height } = store.getState();
      const [x, y, zoom] = transform;
      const corner = map.toMap({ x: -x / zoom, y: -y / zoom });
      if (!frame.current) return;
      const { style } = frame.current;
      style.width = `${Math.round((width / zoom) * map.scale)}px`;
      style.height = `${Math.round((height / zoom) * map.scale)}px`;
      style.transform = `translate(${corner.x}px, ${corner.y}px)`;
    };
    draw();
    return store.subscribe((state, before) => {
      if (state.transform !== before.transform || state.width !== before.width || state.height !== before.height)
        draw();
    });
  }, [store, map]);
  return <div ref={frame} className="minimap-frame" />;
}

type Mapping = { scale: number; toMap(at: Point): Point; toCanvas(at: Point): Point };

/** From the canvas to the map and back: the whole flow fits, in its middle. */
function mapOf(nodes: readonly CanvasNode[]): Mapping {
  const all = bounds(boxesOf(nodes));
  const scale = Math.min(
    (SIZE.width - 2 * MARGIN) / Math.max(1, all.width),
    (SIZE.height - 2 * MARGIN) / Math.max(1, all.height),
    0.12,
  );
  const left = (SIZE.width - all.width * scale) / 2 - all.x * scale;
  const top = (SIZE.height - all.height * scale) / 2 - all.y * scale;
  return {
    scale,
    toMap: ({ x, y }) => ({ x: left + x * scale, y: top + y * scale }),
    toCanvas: ({ x, y }) => ({ x: (x - left) / scale, y: (y - top) / scale }),
  };
}

function paint(canvas: HTMLCanvasElement, types: NodeTypes, nodes: readonly CanvasNode[], map: Mapping): void {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = SIZE.width * ratio;
  canvas.height = SIZE.height * ratio;
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.scale(ratio, ratio);
  const color = resolver(canvas);
  const boxes = boxesOf(nodes);
  for (const node of nodes) {
    const box = boxes.get(node.id);
    if (!box) continue;
    const at = map.toMap(box);
    pen.fillStyle = color(colorOf(types, node));
    pen.beginPath();
    pen.roundRect(at.x, at.y, Math.max(1.5, box.width * map.scale), Math.max(1.5, box.height * map.scale), 1.5);
    // What a loop has inside is to be seen through it.
    pen.globalAlpha = node.type === "loop" ? LOOP_OPACITY : 1;
    pen.fill();
  }
}

function colorOf(types: NodeTypes, node: CanvasNode): string {
  if (node.selected) return "var(--fg)";
  const category = types.byType.get(node.data.node.type)?.category ?? "wiring";
  return shade(node.data.context) ?? CATEGORY_COLORS[category] ?? "var(--line-2)";
}
