/**
 * Loops as containers: the body of each node, its place on the canvas, and the ports of loops that edges mean. A
 * missing parent, or one inside itself, counts as none.
 */
import type { Edge, Flow, Node, NodeId, Position } from "@/bindings";
import type { Point } from "@/flow/align/align";
import type { NodeTypes } from "@/flow/node-types/node-types";

type Nesting = {
  parents: ReadonlyMap<NodeId, NodeId>;
  bodies: ReadonlyMap<NodeId, readonly NodeId[]>;
  /** The nodes of the flow, each after its container. */
  outermostFirst: readonly NodeId[];
};

const NONE: readonly NodeId[] = Object.freeze([]);
// The nodes of a flow never change, so each nesting is worked out once.
const nestings = new WeakMap<Flow["nodes"], Nesting>();

export function containerOf(flow: Flow, id: NodeId): NodeId | undefined {
  return nestingOf(flow).parents.get(id);
}

/** The nodes directly in a container's body. */
export function bodyOf(flow: Flow, container: NodeId): readonly NodeId[] {
  return nestingOf(flow).bodies.get(container) ?? NONE;
}

/** The containers around a node, the innermost first. */
export function containersAround(flow: Flow, id: NodeId): NodeId[] {
  const { parents } = nestingOf(flow);
  const around: NodeId[] = [];
  for (let at = parents.get(id); at !== undefined; at = parents.get(at)) around.push(at);
  return around;
}

/** In how many containers an edge is at its deeper end. */
export function edgeDepth(flow: Flow, { source, target }: Edge): number {
  return Math.max(containersAround(flow, source).length, containersAround(flow, target).length);
}

/** Whether a node is in a container's body, at any depth. */
export function isInBody(flow: Flow, id: NodeId, container: NodeId): boolean {
  const { parents } = nestingOf(flow);
  for (let at = parents.get(id); at !== undefined; at = parents.get(at)) if (at === container) return true;
  return false;
}

/** These nodes and all that is in their bodies. */
export function withBodies(flow: Flow, ids: Iterable<NodeId>): Set<NodeId> {
  const all = new Set(ids);
  // A set grows while it is read.
  for (const id of all) for (const inner of bodyOf(flow, id)) all.add(inner);
  return all;
}

/** Those of the nodes that are in no other one's body: moving them moves the rest. */
export function outermost(flow: Flow, ids: Iterable<NodeId>): NodeId[] {
  const all = new Set(ids);
  return [...all].filter((id) => !containersAround(flow, id).some((container) => all.has(container)));
}

/** All nodes, each after its container: the order in which React Flow wants them. */
export function outermostFirst(flow: Flow): readonly NodeId[] {
  return nestingOf(flow).outermostFirst;
}

/** Whether runs pass over a node, because of itself or of a loop around it. */
export function isDisabled(flow: Flow, id: NodeId): boolean {
  return [id, ...containersAround(flow, id)].some((one) => flow.nodes[one]?.disabled === true);
}

/** A node's upper left corner on the canvas; its layout is relative to its container. */
export function cornerOf(flow: Flow, id: NodeId): Point {
  let { x, y } = placeOf(flow, id);
  for (const container of containersAround(flow, id)) {
    const at = placeOf(flow, container);
    x += at.x;
    y += at.y;
  }
  return { x, y };
}

/** A corner on the canvas, relative to a container. */
export function relativeTo(flow: Flow, container: NodeId | undefined, { x, y }: Point): Point {
  const origin = container === undefined ? { x: 0, y: 0 } : cornerOf(flow, container);
  return { x: x - origin.x, y: y - origin.y };
}

/** Which ends of an edge are ports inside a container: ports of a container with the other end in its body. */
export function innerEnds(flow: Flow, edge: Edge): { source: boolean; target: boolean } {
  return {
    source: isInBody(flow, edge.target, edge.source),
    target: isInBody(flow, edge.source, edge.target),
  };
}

/** The container that an edge leaves other than by a port of that container. */
export function sideExit(flow: Flow, edge: Edge): NodeId | undefined {
  const container = containerOf(flow, edge.source);
  if (container === undefined || edge.target === container || isInBody(flow, edge.target, container)) return undefined;
  return container;
}

/** Whether a loop around a node has a conversation. */
export function isInConversation(flow: Flow, id: NodeId): boolean {
  return containersAround(flow, id).some((loop) => flow.nodes[loop]?.config?.conversation === true);
}

/** Whether nodes of this type have a body. */
export function isContainer(types: NodeTypes, node: Node | undefined): boolean {
  const ports = node && types.byType.get(node.type)?.ports;
  return ports?.innerInputs !== undefined || ports?.innerOutputs !== undefined;
}

function placeOf(flow: Flow, id: NodeId): Position {
  return flow.layout[id] ?? { x: 0, y: 0 };
}

function nestingOf({ nodes }: Flow): Nesting {
  let nesting = nestings.get(nodes);
  if (!nesting) {
    nesting = workOut(nodes);
    nestings.set(nodes, nesting);
  }
  return nesting;
}

function workOut(nodes: Flow["nodes"]): Nesting {
  const parents = new Map<NodeId, NodeId>();
  const bodies = new Map<NodeId, NodeId[]>();
  for (const [id, { parent }] of Object.entries(nodes)) {
    if (parent !== undefined && Object.hasOwn(nodes, parent)) parents.set(id, parent);
  }
  for (const id of circular(parents)) parents.delete(id);
  for (const [id, parent] of parents) {
    const body = bodies.get(parent);
    if (body) body.push(id);
    else bodies.set(parent, [id]);
  }
  const order = Object.keys(nodes).filter((id) => !parents.has(id));
  // Grows while it is read: each body goes behind the list.
  for (const id of order) order.push(...(bodies.get(id) ?? NONE));
  return { parents, bodies, outermostFirst: order };
}

/** The nodes that would be inside of themselves. */
function circular(parents: ReadonlyMap<NodeId, NodeId>): NodeId[] {
  const found: NodeId[] = [];
  const settled = new Set<NodeId>();
  for (const start of parents.keys()) {
    const path: NodeId[] = [];
    const onPath = new Set<NodeId>();
    let at: NodeId | undefined = start;
    while (at !== undefined && !settled.has(at) && !onPath.has(at)) {
      path.push(at);
      onPath.add(at);
      at = parents.get(at);
    }
    if (at !== undefined && onPath.has(at)) found.push(...path.slice(path.indexOf(at)));
    for (const id of path) settled.add(id);
  }
  return found;
}
