/** The particular parts of loops on the canvas: handles of their border, room for their bodies. */
import { Position as Sides } from "@xyflow/react";
import type { NodeId, PortKind, Ports } from "@/bindings";
import { borderHandleBox, borderHeight, borderRows, CARD_WIDTH } from "@/canvas/measure/geometry";
import { portsOn, type Side } from "@/flow/connect/ports";
import { loopSize, type Size, sizeAround } from "@/flow/containers/container-box";
import type { CanvasNode } from "@/workspace/canvas-store";
import { handleId } from "./pulled-ends";

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

/** The size of an open loop before its body is drawn. */
export function plannedLoopSize(ports: Ports, at: Parameters<typeof loopSize>[0]): Size {
  const { width, height } = loopSize(at);
  return { width, height: Math.max(height, borderHeight(ports)) };
}

/**
 * Loops, drawn large enough for their bodies. Dragged nodes may be on their way out, and do
 * not count.
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
