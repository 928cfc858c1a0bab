/** Where on the canvas the nodes are drawn that only the other flow of a comparison has. */
import type { Flow, NodeId } from "@/bindings";
import { boxesOf } from "@/canvas/measure/boxes";
import { CARD_WIDTH, FOLDED_FRAME_HEIGHT, portY } from "@/canvas/measure/geometry";
import { type Curve, forwardCurve } from "@/canvas/measure/paths";
import type { Box, Boxes } from "@/flow/align/align";
import { containerOf, cornerOf } from "@/flow/containers/containers";
import type { Ghosts } from "@/run/comparison/canvas-comparison";
import type { Workspace } from "@/workspace/workspace";

/** The box of a node of another flow. `boxes` are those of the nodes on the canvas: a loop that is there may have moved. */
export function ghostBox(flow: Flow, node: NodeId, boxes: Boxes): Box {
  const { x = 0, y = 0, width = CARD_WIDTH, height = FOLDED_FRAME_HEIGHT } = flow.layout[node] ?? {};
  const container = containerOf(flow, node);
  const origin = container === undefined ? { x: 0, y: 0 } : (boxes.get(container) ?? cornerOf(flow, container));
  return { x: origin.x + x, y: origin.y + y, width, height };
}

/** The boxes of all ghosts, by node. */
export function ghostBoxes({ flow, nodes }: Ghosts, boxes: Boxes): Map<NodeId, Box> {
  return new Map(nodes.map((node) => [node, ghostBox(flow, node, boxes)]));
}

/** The curve from one box to another. Which ports it connects is not drawn. */
export function curveBetween(from: Box, to: Box): Curve {
  const middle = ({ y, height }: Box) => y + Math.min(portY(0), height / 2);
  return forwardCurve({ x: from.x + from.width, y: middle(from) }, { x: to.x, y: middle(to) });
}

/** Brings a ghost into view. */
export function revealGhost({ canvas, editor }: Pick<Workspace, "canvas" | "editor">, ghosts: Ghosts, node: NodeId) {
  const { x, y, width, height } = ghostBox(ghosts.flow, node, boxesOf(canvas.drawnNodes()));
  editor.selectOnly({});
  const zoom = Math.max(canvas.instance?.getZoom() ?? 1, 0.6);
  void canvas.instance?.setCenter(x + width / 2, y + height / 2, { zoom, duration: 150 });
}
