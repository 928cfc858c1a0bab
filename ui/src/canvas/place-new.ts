/** Where nodes land that were not dropped by hand: in view and on nothing. */
import type { Flow, Node, NodeId, Position } from "@/bindings";
import { type Box, type Boxes, bounds, type Point } from "@/flow/align";
import { BODY_INSET, loopSize, type Size, type SizeOf } from "@/flow/container-box";
import { containerOf, cornerOf, isContainer, isInBody } from "@/flow/containers";
import type { Fragment } from "@/flow/edits";
import { foldedAround } from "@/flow/folding";
import { freePlace } from "@/flow/free-place";
import { commentField } from "@/flow/node-types";
import type { Workspace } from "@/workspace/workspace";
import { boxesOf, sizesOf } from "./boxes";
import { plannedSize, RUN_HEIGHT } from "./geometry";
import { viewBox } from "./view";

const NO_PORTS = { inputs: [], outputs: [] };

/** The size of a node that is not drawn yet. */
export function newNodeSize({ nodeTypes }: Pick<Workspace, "nodeTypes">, node: Node, at?: Position): Size {
  if (isContainer(nodeTypes.all, node) && at?.folded !== true) return loopSize(at);
  const isComment = commentField(nodeTypes.all, node) !== undefined;
  return plannedSize(isComment, nodeTypes.get(node.type)?.ports ?? NO_PORTS, false, at);
}

/**
 * The free corner on the canvas nearest to a wanted one, for what goes into these containers: in view and within the body
 * of its loop; else, in a loop, anywhere in its body, then to the right of it or below; else in view; else anywhere. With a
 * view that `follows`, what is in view does not matter. Above and below there is room for what a run adds to the cards, if
 * there is such a place.
 */
export function placeForNew(
  workspace: Workspace,
  size: Size,
  wanted: Point,
  containers: ReadonlySet<NodeId | undefined>,
  { follows = false } = {},
): Point {
  const others = boxesIn(workspace, containers);
  const view = follows ? undefined : viewBox(workspace);
  const [container] = containers;
  const body =
    containers.size === 1 && container !== undefined ? bodyBox(workspace.editor.state.flow, container) : undefined;
  const tall = others.map(taller);
  const areas = body ? [view && overlap(view, body), body, grown(body)] : [view];
  for (const area of areas) {
    const place = area && (freePlace(taller(size), wanted, tall, area) ?? freePlace(size, wanted, others, area));
    if (place) return place;
  }
  return freePlace(taller(size), wanted, tall) ?? wanted;
}

/** As tall as a run can make it. */
function taller<T extends Size>(box: T): T {
  return { ...box, height: box.height + RUN_HEIGHT };
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
function boxesIn(workspace: Workspace, containers: ReadonlySet<NodeId | undefined>): Box[] {
  const { flow } = workspace.editor.state;
  const drawn = boxesOf(workspace.canvas.drawnNodes());
  const sizeOf: SizeOf = sizesOf(workspace);
  const isAround = (id: NodeId) =>
    [...containers].some((one) => one !== undefined && (one === id || isInBody(flow, one, id)));
  return Object.keys(flow.nodes).flatMap((id) => {
    if (!containers.has(containerOf(flow, id)) || foldedAround(flow, id) !== undefined || isAround(id)) return [];
    const box = flow.layout[id] ? { ...cornerOf(flow, id), ...sizeOf(flow, id) } : drawn.get(id);
    return box ? [box] : [];
  });
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
