/** Where nodes land that were not dropped by hand: in view and on nothing. */
import type { Flow, Node, NodeId, Position } from "@/bindings";
import { boxesOf, sizesOf } from "@/canvas/measure/boxes";
import { plannedSize } from "@/canvas/measure/geometry";
import { viewBox } from "@/canvas/view/view";
import { type Box, type Boxes, bounds, type Point } from "@/flow/align/align";
import { BODY_INSET, loopSize, type Size, type SizeOf } from "@/flow/containers/container-box";
import { containerOf, cornerOf, isContainer, isInBody } from "@/flow/containers/containers";
import { foldedAround } from "@/flow/containers/folding";
import type { Fragment } from "@/flow/edits/edits";
import { freePlace } from "@/flow/edits/free-place";
import { commentField } from "@/flow/node-types/node-types";
import type { Workspace } from "@/workspace/workspace";

const NO_PORTS = { inputs: [], outputs: [] };

/** The size of a node that is not drawn yet. */
export function newNodeSize({ nodeTypes }: Pick<Workspace, "nodeTypes">, node: Node, at?: Position): Size {
  if (isContainer(nodeTypes.all, node) && at?.folded !== true) return loopSize(at);
  const isComment = commentField(nodeTypes.all, node) !== undefined;
  return plannedSize(isComment, nodeTypes.get(node.type)?.ports ?? NO_PORTS, "both", at);
}

type Placing = {
  /** The view follows: its content does not matter, and a loop may grow. */
  follows?: boolean;
};

/**
 * The free corner on the canvas nearest to a wanted one, for what goes into these containers: in view and within the body
 * of its loop; else, in a loop, anywhere in its body, then to the right of it or below; else in view; else anywhere.
 */
export function placeForNew(
  workspace: Workspace,
  size: Size,
  wanted: Point,
  containers: ReadonlySet<NodeId | undefined>,
  { follows = false }: Placing = {},
): Point {
  const { flow } = workspace.editor.state;
  const others = boxesIn(workspace, containers);
  const find = (area?: Box): Point | undefined => freePlace(size, wanted, others.values(), area);
  const view = viewBox(workspace);
  const [container] = containers;
  const body = containers.size === 1 && container !== undefined ? bodyBox(flow, container) : undefined;
  const inView = body ? [view && overlap(view, body), body] : [view];
  for (const area of [...(follows ? [] : inView), body && grown(body)]) {
    const place = area && find(area);
    if (place) return place;
  }
  return find() ?? wanted;
}

/** Whether it is drawn as a card: no loop and no note. */
export function isCard({ nodeTypes }: Pick<Workspace, "nodeTypes">, node: Node | undefined): boolean {
  return !isContainer(nodeTypes.all, node) && commentField(nodeTypes.all, node) === undefined;
}

/** Where the nodes of a body can be if its loop grows to the right and down, which moves nothing. */
function grown({ x, y }: Box): Box {
  return { x, y, width: Infinity, height: Infinity };
}

/** The box around those nodes of a fragment that are in no body of it. */
export function fragmentBox(part: Fragment, sizeOf: (id: NodeId) => Size): Box {
  const boxes: Boxes = new Map(
    Object.entries(part.layout).flatMap(([id, { x, y }]) =>
      part.nodes[part.nodes[id]?.parent ?? ""] ? [] : [[id, { x, y, ...sizeOf(id) }] as const],
    ),
  );
  return bounds(boxes);
}

/** The boxes of the nodes that are directly in one of these containers, but not of those around another one of them. */
function boxesIn(workspace: Workspace, containers: ReadonlySet<NodeId | undefined>): Map<NodeId, Box> {
  const { flow } = workspace.editor.state;
  const drawn = boxesOf(workspace.canvas.drawnNodes());
  const sizeOf: SizeOf = sizesOf(workspace);
  const isAround = (id: NodeId) =>
    [...containers].some((one) => one !== undefined && (one === id || isInBody(flow, one, id)));
  const boxes = Object.keys(flow.nodes).flatMap((id): [NodeId, Box][] => {
    if (!containers.has(containerOf(flow, id)) || foldedAround(flow, id) !== undefined || isAround(id)) return [];
    const box = flow.layout[id] ? { ...cornerOf(flow, id), ...sizeOf(flow, id) } : drawn.get(id);
    return box ? [[id, box]] : [];
  });
  return new Map(boxes);
}

/** Where nodes can be in a loop without making it larger. */
function bodyBox(flow: Flow, loop: NodeId): Box {
  const corner = cornerOf(flow, loop);
  const { width, height } = loopSize(flow.layout[loop]);
  return {
    x: corner.x + BODY_INSET.left,
    y: corner.y + BODY_INSET.top,
    width: width - BODY_INSET.left - BODY_INSET.right,
    height: height - BODY_INSET.top - BODY_INSET.bottom,
  };
}

function overlap(a: Box, b: Box): Box {
  const x = Math.max(a.x, b.x);
  const y = Math.max(a.y, b.y);
  return {
    x,
    y,
    width: Math.min(a.x + a.width, b.x + b.width) - x,
    height: Math.min(a.y + a.height, b.y + b.height) - y,
  };
}
