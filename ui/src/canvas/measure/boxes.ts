/** Where the drawn nodes are on the canvas. React Flow's positions are relative to the loop that a node is in. */
import type { NodeId } from "@/bindings";
import { type Box, type Boxes, bounds, type Point } from "@/flow/align/align";
import { declaredPorts } from "@/flow/connect/ports";
import { loopSize, type SizeOf } from "@/flow/containers/container-box";
import { isContainer } from "@/flow/containers/containers";
import { commentField } from "@/flow/node-types/node-types";
import type { CanvasNode, FrameNode } from "@/workspace/canvas-store";
import type { Workspace } from "@/workspace/workspace";
import { plannedSize } from "./geometry";

const NO_PORTS = { inputs: [], outputs: [] };

/** The boxes of nodes in which each comes after the loop it is in, as React Flow has them. */
export function boxesOf(nodes: readonly CanvasNode[]): Map<NodeId, Box> {
  const boxes = new Map<NodeId, Box>();
  for (const node of nodes) {
    const origin = boxes.get(node.parentId ?? "") ?? { x: 0, y: 0 };
    boxes.set(node.id, {
      x: origin.x + node.position.x,
      y: origin.y + node.position.y,
      width: node.measured?.width ?? node.initialWidth ?? 0,
      height: node.measured?.height ?? node.initialHeight ?? 0,
    });
  }
  return boxes;
}

/** The boxes of frames on the canvas. `boxes` are those of the nodes. */
export function frameBoxes(frames: readonly FrameNode[], boxes: ReadonlyMap<NodeId, Box>): Map<string, Box> {
  return new Map(
    frames.map(({ id, parentId, position, width = 0, height = 0 }) => {
      const origin = boxes.get(parentId ?? "") ?? { x: 0, y: 0 };
      return [id, { x: origin.x + position.x, y: origin.y + position.y, width, height }];
    }),
  );
}

export function contains(box: Box, { x, y }: Point): boolean {
  return x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
}

/** The box around all that is drawn. `boxes` are those of the nodes. */
export function drawnBounds(frames: readonly FrameNode[], boxes: Boxes): Box {
  return bounds(new Map([...boxes, ...frameBoxes(frames, boxes)]));
}

/** Whether all of a box is within another one. */
export function isWithin(box: Box, outer: Box): boolean {
  return (
    box.x >= outer.x &&
    box.y >= outer.y &&
    box.x + box.width <= outer.x + outer.width &&
    box.y + box.height <= outer.y + outer.height
  );
}

/** The sizes of all nodes: as they are drawn, or, in a folded loop, as they would be. */
export function sizesOf({ canvas, editor, nodeTypes }: Pick<Workspace, "canvas" | "editor" | "nodeTypes">): SizeOf {
  const drawn = boxesOf(canvas.drawnNodes());
  const { checked } = editor.state;
  return (flow, id) => {
    const at = flow.layout[id];
    // An edit may have made a loop larger than it is drawn.
    if (isContainer(nodeTypes.all, flow.nodes[id]) && at?.folded !== true) return loopSize(at);
    const box = drawn.get(id);
    if (box) return { width: box.width, height: box.height };
    const isComment = commentField(nodeTypes.all, flow.nodes[id]) !== undefined;
    const ports = declaredPorts(nodeTypes.all, flow, checked, id) ?? NO_PORTS;
    return plannedSize(isComment, ports, "both", at);
  };
}
