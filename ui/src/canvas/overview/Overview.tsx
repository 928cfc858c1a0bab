/**
 * A large flow seen from far away: its cards would be a few pixels high, and thousands of them would be in view, so one
 * picture takes their place. React Flow keeps the nodes and edges, hidden.
 */
import { type ReactFlowState, useStoreApi } from "@xyflow/react";
import { useEffect, useLayoutEffect, useMemo, useRef } from "react";
import type { NodeId } from "@/bindings";
import { shade } from "@/canvas/elements/elements";
import { boxesOf } from "@/canvas/measure/boxes";
import { TEXTS } from "@/canvas/texts";
import { isOverview } from "@/canvas/view/view";
import { CssColors } from "@/design/theme/css-colors";
import { displayedFlow } from "@/flow/document/flow-state";
import { type NodeRunState, nodeStateOf } from "@/run/nodes/element-views";
import { staleNodes } from "@/run/nodes/stale-nodes";
import type { CanvasEdge, CanvasElement, CanvasNode, FrameNode } from "@/workspace/canvas-store";
import { useCanvas, useFlow, useNodeTypes, useWorkspace } from "@/workspace/context";
import { useRunHead, useShownRun } from "@/workspace/run-hooks";
import { useTheme } from "@/workspace/window/theme";
import { paintFrames, paintNodes } from "./paint-nodes";
import { paintTitles, titlesOf } from "./paint-titles";

const EDGE_COLORS = { context: "var(--context)", data: "var(--data)", tools: "var(--tools)" };
const EDGE_OPACITY = 0.55;
/** Once something has run: the colors of tiles, without the shades of their contexts. */
const STATE_COLORS: Record<NodeRunState, string> = {
  ready: "color-mix(in srgb, var(--context) 35%, var(--bg-2))",
  running: "var(--context)",
  retrying: "color-mix(in srgb, var(--wait) 60%, var(--bg-2))",
  paused: "var(--wait)",
  done: "color-mix(in srgb, var(--ok) 70%, var(--bg-2))",
  cached: "color-mix(in srgb, var(--ok) 45%, var(--bg-2))",
  failed: "var(--bad)",
  stopped: "color-mix(in srgb, var(--fg-3) 70%, var(--bg-2))",
  skipped: "color-mix(in srgb, var(--fg-3) 25%, var(--bg-2))",
};
const STALE_COLOR = "color-mix(in srgb, var(--fg-3) 45%, var(--bg-2))";

type Elements = { nodes: readonly CanvasNode[]; frames: readonly FrameNode[]; edges: readonly CanvasEdge[] };

/** What React Flow draws of the nodes and edges: nothing in an overview. */
export function useHiddenInOverview(nodes: CanvasElement[], edges: CanvasEdge[]): [CanvasElement[], CanvasEdge[]] {
  const overview = useCanvas((state) => state.overview === true);
  const drawn = useMemo(() => (overview ? nodes.map((node) => ({ ...node, hidden: true })) : nodes), [nodes, overview]);
  const lines = useMemo(() => (overview ? edges.map((edge) => ({ ...edge, hidden: true })) : edges), [edges, overview]);
  return [drawn, lines];
}

export function Overview({ nodes, frames, edges }: Elements) {
  const { canvas } = useWorkspace();
  const store = useStoreApi();
  const overview = useCanvas((state) => state.overview === true);
  const count = nodes.length;
  useEffect(() => {
    const follow = ({ transform }: Pick<ReactFlowState, "transform">) => {
      const next = isOverview(count, transform[2]);
      if ((canvas.state.overview ?? false) !== next) canvas.set({ overview: next });
    };
    follow(store.getState());
    // Not at any other change: `showAll` is ahead of the view, so that the cards in it are never drawn.
    return store.subscribe((state, before) => {
      if (state.transform !== before.transform) follow(state);
    });
  }, [canvas, store, count]);
  return overview ? <Picture nodes={nodes} frames={frames} edges={edges} /> : null;
}

function Picture({ nodes, frames, edges }: Elements) {
  const types = useNodeTypes((all) => all);
  const theme = useTheme();
  const colors = useMemo(() => new CssColors(), []);
  const store = useStoreApi();
  const run = useShownRun();
  // They change with the state of any node.
  const counts = useRunHead((head) => head.counts);
  const flow = useFlow(displayedFlow);
  const picture = useRef<HTMLCanvasElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colors; the run is mutable.
  useLayoutEffect(() => {
    let frame: number | undefined;
    const boxes = boxesOf(nodes);
    const stale = run ? staleNodes(run.flow, flow) : undefined;
    const stateColor = (id: NodeId) => {
      const view = run?.fold.nodes.get(id);
      return view && (stale?.has(id) ? STALE_COLOR : STATE_COLORS[nodeStateOf(view)]);
    };
    const paint = () => {
      frame = undefined;
      const { current } = picture;
      const pen = current?.getContext("2d");
      if (!current || !pen) return;
      const { transform, width, height } = store.getState();
      const [x, y, zoom] = transform;
      const ratio = window.devicePixelRatio || 1;
      current.width = width * ratio;
      current.height = height * ratio;
      pen.scale(ratio, ratio);
      const resolve = colors.resolver(current);
      const toMap = (at: { x: number; y: number }) => ({ x: at.x * zoom + x, y: at.y * zoom + y });
      paintFrames(pen, resolve, frames, boxes, { scale: zoom, toMap });
      pen.globalAlpha = EDGE_OPACITY;
      for (const [color, lines] of byColor(edges)) {
        pen.strokeStyle = resolve(color);
        pen.beginPath();
        for (const { source, target } of lines) {
          const [from, to] = [boxes.get(source), boxes.get(target)];
          if (!from || !to) continue;
          const start = toMap({ x: from.x + from.width, y: from.y + from.height / 2 });
          const end = toMap({ x: to.x, y: to.y + to.height / 2 });
          pen.moveTo(start.x, start.y);
          pen.lineTo(end.x, end.y);
        }
        pen.stroke();
      }
      pen.globalAlpha = 1;
      paintNodes(pen, resolve, types, nodes, { scale: zoom, toMap }, stateColor);
      paintTitles(pen, resolve, titlesOf(types, nodes, frames, boxes), { scale: zoom, toMap });
    };
    const request = () => {
      frame ??= requestAnimationFrame(paint);
    };
    paint();
    const unsubscribe = store.subscribe((state, before) => {
      if (state.transform !== before.transform || state.width !== before.width || state.height !== before.height)
        request();
    });
    return () => {
      unsubscribe();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [nodes, frames, edges, types, theme, colors, store, run, counts, flow]);
  return (
    <canvas
      ref={picture}
      className="overview"
      data-testid="overview"
      role="img"
      aria-label={TEXTS.overview(nodes.length.toLocaleString())}
    />
  );
}

function byColor(edges: readonly CanvasEdge[]): Map<string, CanvasEdge[]> {
  const groups = new Map<string, CanvasEdge[]>();
  for (const edge of edges) {
    const kind = edge.data?.kind ?? "data";
    const color = (kind === "context" ? shade(edge.data?.context) : undefined) ?? EDGE_COLORS[kind];
    const group = groups.get(color);
    if (group) group.push(edge);
    else groups.set(color, [edge]);
  }
  return groups;
}
