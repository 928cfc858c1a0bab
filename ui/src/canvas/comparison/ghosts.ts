/** Where on the canvas the nodes are drawn that only the other flow of a comparison has. */
import type { EdgeEnds, Flow, NodeId, PortName } from "@/bindings";
import { boxesOf } from "@/canvas/measure/boxes";
import { CARD_WIDTH, MIN_CARD_HEIGHT, portY } from "@/canvas/measure/geometry";
import { type Curve, forwardCurve } from "@/canvas/measure/paths";
import type { Box, Boxes } from "@/flow/align/align";
import { containerOf, cornerOf } from "@/flow/containers/containers";
import type { Ghosts } from "@/run/comparison/canvas-comparison";
import type { CanvasNode } from "@/workspace/canvas-store";
import type { Workspace } from "@/workspace/workspace";

/** The box of a node of another flow. `boxes` are those of the nodes on the canvas: a loop that is there may have moved. */
export function ghostBox(flow: Flow, node: NodeId, boxes: Boxes): Box {
  const { x = 0, y = 0, width = CARD_WIDTH, height = MIN_CARD_HEIGHT } = flow.layout[node] ?? {};
  const container = containerOf(flow, node);
  const origin = container === undefined ? { x: 0, y: 0 } : (boxes.get(container) ?? cornerOf(flow, container));
  return { x: origin.x + x, y: origin.y + y, width, height };
}

/** The boxes of all ghosts, by node. */
export function ghostBoxes({ flow, nodes }: Ghosts, boxes: Boxes): Map<NodeId, Box> {
  return new Map(nodes.map((node) => [node, ghostBox(flow, node, boxes)]));
}

/** An end of an edge that is drawn: the box of its node, and the node if it is on the canvas. */
export type DrawnEnd = { box: Box; node?: CanvasNode };

/** The curve of an edge. Where a port is not drawn, it ends at the side of the box. */
export function curveOf({ sourceOutput, targetInput }: EdgeEnds, from: DrawnEnd, to: DrawnEnd): Curve {
  return forwardCurve(
    { x: from.box.x + from.box.width, y: heightOf(from, "source", sourceOutput) },
    { x: to.box.x, y: heightOf(to, "target", targetInput) },
  );
}

function heightOf({ box, node }: DrawnEnd, type: "source" | "target", port: PortName): number {
  const handle = node?.handles?.find((one) => one.type === type && one.id === port);
  return box.y + (handle ? handle.y + (handle.height ?? 0) / 2 : Math.min(portY(0), box.height / 2));
}

/** Brings a ghost into view. */
export function revealGhost({ canvas, editor }: Pick<Workspace, "canvas" | "editor">, ghosts: Ghosts, node: NodeId) {
  const { x, y, width, height } = ghostBox(ghosts.flow, node, boxesOf(canvas.drawnNodes()));
  editor.selectOnly({});
  const zoom = Math.max(canvas.instance?.getZoom() ?? 1, 0.6);
  void canvas.instance?.setCenter(x + width / 2, y + height / 2, { zoom, duration: 150 });
}
