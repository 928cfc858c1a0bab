/** Where the values on edges are written: beside each other, and over no card nor the border of a loop. */
import type { EdgeId } from "@/bindings";
import { boxesOf, frameBoxes } from "@/canvas/measure/boxes";
import { backCurve, type Curve, forwardCurve, routedCurve } from "@/canvas/measure/paths";
import { type Box, type Boxes, overlaps, type Point } from "@/flow/align/align";
import { LOOP_FOOTER, LOOP_HEADER, LOOP_STRIP } from "@/flow/containers/container-box";
import type { CanvasEdge, CanvasElement, CanvasNode, FrameNode, PeekPlace } from "@/workspace/canvas-store";

/** The width that a value needs for eight characters, in canvas units. With less room it is a dot, which shows the value on hover. */
export const MIN_PEEK_WIDTH = 66;
const MAX_PEEK_WIDTH = 300;
/** The width beside an edge that bends around its cards. */
const AROUND_PEEK_WIDTH = 150;
/** The distance of a value from the cards at both ends of its edge. */
const END_GAP = 11;
const HEIGHT = 19;
const DOT = 9;

export type PeekEdge = { id: EdgeId; from: Point; to: Point; curve: Curve };

/** The room for a value with its middle at a place of an edge: between its two cards, or a fixed width for one that bends around them. */
export function peekWidth(from: Point, to: Point, at: Point): number {
  if (to.x - from.x < 24) return AROUND_PEEK_WIDTH;
  return Math.min(MAX_PEEK_WIDTH, 2 * (Math.min(at.x - from.x, to.x - at.x) - END_GAP));
}

/** What values do not cover of an open loop: its name, its footer and the ports at both sides. The body between them is canvas. */
export function loopBorder({ x, y, width, height }: Box): Box[] {
  return [
    { x, y, width, height: LOOP_HEADER },
    { x, y: y + height - LOOP_FOOTER, width, height: LOOP_FOOTER },
    { x, y, width: LOOP_STRIP, height },
    { x: x + width - LOOP_STRIP, y, width: LOOP_STRIP, height },
  ];
}

/** For each edge the first free place over nothing `covered`: as wide as there is room, then of the least width, then a dot. */
export function placePeeks(edges: readonly PeekEdge[], covered: readonly Box[]): Map<EdgeId, PeekPlace> {
  const taken = [...covered];
  const places = new Map<EdgeId, PeekPlace>();
  for (const { id, from, to, curve } of edges) {
    const find = (widthAt: (at: Point) => number, height: number): PeekPlace | undefined => {
      for (const at of curve.spots) {
        const width = widthAt(at);
        if (width >= (height === DOT ? DOT : MIN_PEEK_WIDTH) && isFree(boxAround(at, width, height), taken))
          return { at, width };
      }
      return undefined;
    };
    const place = find((at) => peekWidth(from, to, at), HEIGHT) ??
      find((at) => Math.min(MIN_PEEK_WIDTH, peekWidth(from, to, at)), HEIGHT) ??
      find(() => DOT, DOT) ?? { at: curve.label, width: DOT };
    places.set(id, place);
    taken.push(boxAround(place.at, place.width, place.width < MIN_PEEK_WIDTH ? DOT : HEIGHT));
  }
  return places;
}

/** The edges with their ends on the canvas. */
export function peekEdges(
  nodes: readonly CanvasNode[],
  frames: readonly FrameNode[],
  edges: readonly CanvasEdge[],
): PeekEdge[] {
  const drawn = boxesOf(nodes);
  const boxes: Boxes = new Map([...drawn, ...frameBoxes(frames, drawn)]);
  const byId = new Map<string, CanvasElement>([...nodes, ...frames].map((one) => [one.id, one]));
  const end = (node: string, handle: string | null | undefined, type: "source" | "target"): Point | undefined => {
    const box = boxes.get(node);
    const port = byId.get(node)?.handles?.find((one) => one.id === handle && one.type === type);
    if (!box || !port) return undefined;
    const { x, y, width = 0, height = 0 } = port;
    return { x: box.x + x + (type === "source" ? width : 0), y: box.y + y + height / 2 };
  };
  return edges.flatMap(({ id, source, sourceHandle, target, targetHandle, data }) => {
    const [from, to] = [end(source, sourceHandle, "source"), end(target, targetHandle, "target")];
    if (!from || !to) return [];
    const curve = data?.route
      ? routedCurve(from, data.route.points, to)
      : data?.back !== undefined
        ? backCurve(from, to, data.back)
        : forwardCurve(from, to);
    return [{ id, from, to, curve }];
  });
}

function boxAround({ x, y }: Point, width: number, height: number): Box {
  return { x: x - width / 2, y: y - height / 2, width, height };
}

function isFree(box: Box, taken: readonly Box[]): boolean {
  return !taken.some((other) => overlaps(box, other));
}
