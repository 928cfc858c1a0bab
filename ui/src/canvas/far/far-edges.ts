/** The edges of the far view: their curves, painted by color, and which of them is at a place. */

import { peekEdges } from "@/canvas/edges/peek-places";
import { shade } from "@/canvas/elements/elements";
import { contains } from "@/canvas/measure/boxes";
import type { Curve } from "@/canvas/measure/paths";
import { type Box, bounds, overlaps, type Point } from "@/flow/align/align";
import type { CanvasEdge, CanvasNode, FrameNode } from "@/workspace/canvas-store";

const COLORS = { context: "var(--context)", data: "var(--data)", tools: "var(--tools)" };
/** Screen pixels. */
const WIDTHS = { context: 2.2, data: 1.2, tools: 1.2 };
const DASHES = { context: [], data: [], tools: [5, 4] };
const BACK_DASH = [1, 4];
const TURN_DASH = [2, 5];
/** How bright an edge is that only puts branches in turn. */
const TURN_OPACITY = 0.55;
/** How far beside its line an edge can be pointed at, in screen pixels. */
const REACH = 9;
/** How far curves swing beyond their ends, in canvas units. */
const SWING = 200;
const DIMMED = 0.2;

/** The side length of the parts of the canvas whose edges are painted together. */
const PART_SIZE = 2_000;

type FarEdge = { edge: CanvasEdge; from: Point; to: Point; curve: Curve; path: Path2D };
type Group = { edge: CanvasEdge; path: Path2D; box: Box };

export class FarEdges {
  readonly #all: readonly FarEdge[];
  /** The paths of the edges in one part of the canvas that look the same, as one. */
  readonly #groups = new Map<string, Group>();

  constructor(nodes: readonly CanvasNode[], frames: readonly FrameNode[], edges: readonly CanvasEdge[]) {
    const byId = new Map(edges.map((edge) => [edge.id, edge]));
    this.#all = peekEdges(nodes, frames, edges).flatMap(({ id, from, to, curve }) => {
      const edge = byId.get(id);
      return edge ? [{ edge, from, to, curve, path: new Path2D(curve.d) }] : [];
    });
    for (const one of this.#all) {
      const { edge, path, from } = one;
      const { kind = "data", context, back, broken, turn } = edge.data ?? {};
      const part = [Math.floor(from.x / PART_SIZE), Math.floor(from.y / PART_SIZE)];
      const key = [kind, context, back !== undefined, broken, turn, ...part].join();
      const group = this.#groups.get(key);
      if (group) {
        group.path.addPath(path);
        group.box = bounds(
          new Map([
            ["all", group.box],
            ["one", reachOf(one)],
          ]),
        );
      } else this.#groups.set(key, { edge, path: new Path2D(path), box: reachOf(one) });
    }
  }

  /** Paints the edges in an area of the canvas; those of `lit` alone as bright as always, if there are any. */
  paint(
    pen: CanvasRenderingContext2D,
    zoom: number,
    area: Box,
    resolve: (css: string) => string,
    { lit, untrusted }: { lit?: ReadonlySet<string>; untrusted?: ReadonlySet<string> },
  ): void {
    for (const { edge, path, box } of this.#groups.values()) {
      if (!overlaps(box, area)) continue;
      pen.globalAlpha = (lit ? DIMMED : 1) * (edge.data?.turn ? TURN_OPACITY : 1);
      stroke(pen, zoom, resolve(colorOf(edge)), edge, path);
    }
    pen.globalAlpha = 1;
    for (const { edge, path } of this.#all) {
      const isUntrusted = [edge.id, ...(edge.data?.bundle ?? [])].some((id) => untrusted?.has(id));
      if (isUntrusted) stroke(pen, zoom, resolve("var(--path)"), edge, path, 2);
      else if (lit?.has(edge.id) || edge.selected) stroke(pen, zoom, resolve(colorOf(edge)), edge, path, 2);
    }
  }

  /** The edge at a place of the canvas. */
  at(pen: CanvasRenderingContext2D, { x, y }: Point, zoom: number): CanvasEdge | undefined {
    pen.save();
    pen.resetTransform();
    pen.lineWidth = (2 * REACH) / zoom;
    const found = this.#all.findLast((one) => contains(reachOf(one), { x, y }) && pen.isPointInStroke(one.path, x, y));
    pen.restore();
    return found?.edge;
  }
}

/** A box that an edge keeps within. */
function reachOf({ from, to, curve: { label } }: FarEdge): Box {
  const [xs, ys] = [
    [from.x, to.x, label.x],
    [from.y, to.y, label.y],
  ];
  const [left, top] = [Math.min(...xs) - SWING, Math.min(...ys) - SWING];
  return { x: left, y: top, width: Math.max(...xs) + SWING - left, height: Math.max(...ys) + SWING - top };
}

function colorOf({ data }: CanvasEdge): string {
  const { kind = "data", context, broken } = data ?? {};
  if (broken) return "var(--bad)";
  return (kind === "context" ? shade(context) : undefined) ?? COLORS[kind];
}

/** The pen is scaled to canvas units. */
function stroke(
  pen: CanvasRenderingContext2D,
  zoom: number,
  color: string,
  { data }: CanvasEdge,
  path: Path2D,
  times = 1,
): void {
  const { kind = "data", back, turn } = data ?? {};
  const dash = back !== undefined ? BACK_DASH : turn ? TURN_DASH : DASHES[kind];
  pen.strokeStyle = color;
  pen.lineWidth = (times * WIDTHS[kind]) / zoom;
  pen.lineCap = back === undefined ? "butt" : "round";
  pen.setLineDash(dash.map((length) => length / zoom));
  pen.stroke(path);
  pen.setLineDash([]);
}
