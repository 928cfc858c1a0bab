/** What is particular to loops on the canvas: handles of their border, room for their bodies, edges of folded ones. */
import { Position as Sides } from "@xyflow/react";
import type { Edge, Flow, NodeId, PortKind, Ports } from "@/bindings";
import { loopSize, type Size, sizeAround } from "@/flow/container-box";
import { foldedAround, innerEnds } from "@/flow/containers";
import { portsOn, type Side } from "@/flow/ports";
import type { CanvasNode } from "@/workspace/canvas-store";
import { borderHandleBox, borderHeight, borderRows, CARD_WIDTH, portY } from "./geometry";
import { FOLDED_HANDLE, handleId } from "./pulled-ends";

type Handles = NonNullable<CanvasNode["handles"]>;

/** The handles of an open loop's border. */
export function borderHandles(ports: Ports, width: number): Handles {
  return (["in", "out"] as const).flatMap((side) =>
    borderRows(ports, side).flatMap(({ outer, inner }, row) => [
      ...(outer === undefined ? [] : [borderHandle(ports, side, outer, false, row, width)]),
      ...(inner === undefined ? [] : [borderHandle(ports, side === "in" ? "out" : "in", inner, true, row, width)]),
    ]),
  );
}

function borderHandle(ports: Ports, side: Side, name: string, inner: boolean, row: number, width: number) {
  const kind: PortKind = portsOn(ports, side, inner).find((port) => port.name === name)?.kind ?? "data";
  return {
    id: handleId(name, inner),
    type: side === "in" ? ("target" as const) : ("source" as const),
    position: side === "in" ? Sides.Left : Sides.Right,
    ...borderHandleBox({ side, inner }, row, kind, width),
  };
}

/** The handles at the sides of a folded loop, where the edges of its body end. */
export function foldedHandles({ into, outOf }: { into: boolean; outOf: boolean }): Handles {
  const box = { y: portY(0) - 27, width: 1, height: 1 };
  return [
    ...(into ? [{ id: FOLDED_HANDLE, type: "target" as const, position: Sides.Left, x: 0, ...box }] : []),
    ...(outOf ? [{ id: FOLDED_HANDLE, type: "source" as const, position: Sides.Right, x: CARD_WIDTH, ...box }] : []),
  ];
}

export type DrawnEnds = {
  source: NodeId;
  target: NodeId;
  sourceHandle: string;
  targetHandle: string;
  /** Both ends are in the same folded loop. */
  hidden: boolean;
};

/** Where the ends of an edge are drawn: at their ports, or at the folded loop they are in. */
export function drawnEnds(flow: Flow, edge: Edge): DrawnEnds {
  const inner = innerEnds(flow, edge);
  const [source, target] = [drawnFor(flow, edge.source), drawnFor(flow, edge.target)];
  return {
    source,
    target,
    sourceHandle: source === edge.source ? handleId(edge.sourceOutput, inner.source) : FOLDED_HANDLE,
    targetHandle: target === edge.target ? handleId(edge.targetInput, inner.target) : FOLDED_HANDLE,
    hidden: source === target && (source !== edge.source || target !== edge.target),
  };
}

/** The node that stands for a node on the canvas: itself, or the outermost folded loop around it. */
export function drawnFor(flow: Flow, id: NodeId): NodeId {
  return foldedAround(flow, id) ?? id;
}

export function isFolded(flow: Flow, id: NodeId): boolean {
  return flow.layout[id]?.folded === true;
}

/** The size of an open loop before its body is drawn. */
export function plannedLoopSize(ports: Ports, at: Parameters<typeof loopSize>[0]): Size {
  const { width, height } = loopSize(at);
  return { width, height: Math.max(height, borderHeight(ports)) };
}

/**
 * Loops, drawn large enough for what their bodies have become: cards grow while they run. What is being dragged may be on
 * its way out, and does not count.
 */
export function fitLoops(nodes: CanvasNode[]): CanvasNode[] {
  if (!nodes.some((node) => node.type === "loop")) return nodes;
  const bodies = new Map<NodeId, CanvasNode[]>();
  const fitted = [...nodes];
  // Bodies come after their loops, so this is from the inside out.
  for (let index = fitted.length - 1; index >= 0; index -= 1) {
    let node = fitted[index] as CanvasNode;
    if (node.type === "loop") {
      node = fitLoop(node, bodies.get(node.id) ?? []);
      fitted[index] = node;
    }
    if (node.parentId === undefined) continue;
    const body = bodies.get(node.parentId);
    if (body) body.push(node);
    else bodies.set(node.parentId, [node]);
  }
  return fitted;
}

function fitLoop(loop: CanvasNode, body: readonly CanvasNode[]): CanvasNode {
  // While it is being resized its size is where the pointer is.
  if (loop.resizing) return { ...loop, handles: borderHandles(loop.data.ports, loop.width ?? 0) };
  const needed = leastLoopSize(loop, body);
  const width = Math.max(loop.initialWidth ?? 0, needed.width);
  const height = Math.max(loop.initialHeight ?? 0, needed.height);
  if (loop.width === width && loop.height === height && loop.measured?.width === width) return loop;
  return { ...loop, width, height, measured: { width, height }, handles: borderHandles(loop.data.ports, width) };
}

/** The least size at which a loop shows its border and its body. */
export function leastLoopSize(loop: CanvasNode, body: readonly CanvasNode[]): Size {
  const around = sizeAround(
    body
      .filter((node) => !node.dragging)
      .map(({ position, measured }) => ({
        ...position,
        width: measured?.width ?? CARD_WIDTH,
        height: measured?.height ?? 0,
      })),
  );
  return { width: around.width, height: Math.max(around.height, borderHeight(loop.data.ports)) };
}
