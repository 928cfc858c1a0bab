/**
 * Edits of a flow as pure functions. Untouched parts keep their identity, so that views compare by reference and an undo
 * step is as small as its edit. An edit without effect returns the same flow.
 */
import type { Edge, EdgeId, Flow, Frame, FrameId, Node, NodeId, Position } from "@/bindings";
import type { Point } from "@/flow/align/align";
import { containerOf, cornerOf, relativeTo, withBodies } from "@/flow/containers/containers";
import { containerOfFrame, frameCorner, withFrames } from "@/flow/containers/frame-box";
import { freshEdgeId, freshFrameId, freshNodeId } from "./ids";
import { routeOf, setRoute } from "./routes";

/** Part of a flow, for copy and paste. Its frames and the points of its edges are where they were on the canvas. */
export type Fragment = {
  nodes: Record<NodeId, Node>;
  edges: Record<EdgeId, Edge>;
  layout: Record<NodeId, Position>;
  frames: Record<FrameId, Frame>;
  routes: Record<EdgeId, readonly Point[]>;
};

export type Items = { nodes: ReadonlySet<NodeId>; edges: ReadonlySet<EdgeId>; frames?: ReadonlySet<FrameId> };

export type Added = { flow: Flow; nodes: NodeId[]; edges: EdgeId[] };

/** Whole canvas units: a drag leaves no `113.33333333333331` in the file. */
const whole = (position: Position): Position => ({
  ...position,
  x: Math.round(position.x),
  y: Math.round(position.y),
});

/** Adds a node under a fresh id. */
export function addNode(flow: Flow, node: Node, position: Position): Added {
  const id = freshNodeId(flow, node.type);
  return {
    flow: {
      ...flow,
      nodes: { ...flow.nodes, [id]: node },
      layout: { ...flow.layout, [id]: whole(position) },
    },
    nodes: [id],
    edges: [],
  };
}

/** Adds an edge under a fresh id, behind those into the same input. */
export function connect(flow: Flow, edge: Edge): Added {
  return addEdge(flow, assign(edge, { order: orderOf(flow, edge) }));
}

/** Adds an edge as it is under a fresh id. */
export function addEdge(flow: Flow, edge: Edge): Added {
  const id = freshEdgeId(flow, edge);
  return { flow: { ...flow, edges: { ...flow.edges, [id]: edge } }, nodes: [], edges: [id] };
}

/** The place of an edge behind those into the same input, so that values come in the order in which edges are drawn. */
function orderOf(flow: Flow, edge: Edge): number | undefined {
  if (edge.order !== undefined) return edge.order;
  const isBeside = (other: Edge) => other.target === edge.target && other.targetInput === edge.targetInput;
  const beside = Object.values(flow.edges).filter(isBeside);
  return beside.length > 0 ? Math.max(...beside.map((other) => other.order ?? 0)) + 1 : undefined;
}

/** Changes the ends of an edge. It keeps its id and its other fields. */
export function reconnect(flow: Flow, id: EdgeId, ends: Edge): Flow {
  const edge = flow.edges[id];
  if (!edge) return flow;
  return { ...flow, edges: { ...flow.edges, [id]: { ...edge, ...ends } } };
}

/** Removes nodes, with their bodies and all their edges, and edges. */
export function remove(flow: Flow, items: Items): Flow {
  const gone = withBodies(flow, items.nodes);
  const nodes = without(flow.nodes, (id) => gone.has(id));
  const layout = without(flow.layout, (id) => gone.has(id));
  const edges = without(
    flow.edges,
    (id, edge) => items.edges.has(id) || gone.has(edge.source) || gone.has(edge.target),
  );
  if (nodes === flow.nodes && edges === flow.edges && layout === flow.layout) return flow;
  return { ...flow, nodes, edges, layout };
}

/**
 * The nodes, with their bodies, the edges between them, and the frames that have no other nodes. Nodes in no body of
 * the fragment have their place on the canvas.
 */
export function fragment(flow: Flow, chosen: ReadonlySet<NodeId>): Fragment {
  const taken: Fragment = { nodes: {}, edges: {}, layout: {}, frames: {}, routes: {} };
  const ids = withBodies(flow, chosen);
  for (const id of ids) {
    const node = flow.nodes[id];
    if (!node) continue;
    const inside = ids.has(containerOf(flow, id) ?? "");
    taken.nodes[id] = inside ? node : assign(node, { parent: undefined });
    taken.layout[id] = inside ? (flow.layout[id] ?? { x: 0, y: 0 }) : { ...flow.layout[id], ...cornerOf(flow, id) };
  }
  for (const [id, edge] of Object.entries(flow.edges)) {
    if (!ids.has(edge.source) || !ids.has(edge.target)) continue;
    taken.edges[id] = edge;
    const route = routeOf(flow, id);
    if (route.length > 0) taken.routes[id] = route;
  }
  for (const [id, frame] of Object.entries(flow.frames ?? {})) {
    if (frame.nodes.every((node) => ids.has(node))) taken.frames[id] = { ...frame, ...frameCorner(flow, frame) };
  }
  return taken;
}

/**
 * Adds a fragment, moved by `offset`. Ids that are taken become fresh ones. Nodes in no body of the fragment go into
 * the container that `containerFor` names.
 */
export function addFragment(
  flow: Flow,
  part: Fragment,
  offset: { x: number; y: number },
  containerFor: (id: NodeId) => NodeId | undefined = () => undefined,
): Added {
  const renamed = new Map<NodeId, NodeId>();
  const nodes = { ...flow.nodes };
  const layout = { ...flow.layout };
  const free = new Set(Object.keys(part.nodes).filter((id) => !Object.hasOwn(flow.nodes, id)));
  const taken = new Set<NodeId>(free);
  for (const id of Object.keys(part.nodes)) {
    const fresh = free.has(id) ? id : freshNodeId(flow, id, taken);
    taken.add(fresh);
    renamed.set(id, fresh);
  }
  for (const [id, node] of Object.entries(part.nodes)) {
    const fresh = renamed.get(id) ?? id;
    const inside = renamed.get(node.parent ?? "");
    const container = inside ?? containerFor(id);
    nodes[fresh] = node.parent === container ? node : assign(node, { parent: container });
    const at = part.layout[id] ?? { x: 0, y: 0 };
    const corner = inside ? at : relativeTo(flow, container, { x: at.x + offset.x, y: at.y + offset.y });
    layout[fresh] = whole({ ...at, ...corner });
  }
  const edges = { ...flow.edges };
  const added = new Set<EdgeId>();
  const routes: [EdgeId, readonly Point[]][] = [];
  // An edge keeps its id where both of its nodes do: the order of ids is the order of the values of an input.
  const keepsId = (id: EdgeId, { source, target }: Edge) =>
    free.has(source) && free.has(target) && !Object.hasOwn(flow.edges, id);
  const keptIds = Object.entries(part.edges).flatMap(([id, edge]) => (keepsId(id, edge) ? [id] : []));
  const takenIds = new Set<EdgeId>(keptIds);
  for (const [old, edge] of Object.entries(part.edges)) {
    const source = renamed.get(edge.source);
    const target = renamed.get(edge.target);
    if (source === undefined || target === undefined) continue;
    const moved = { ...edge, source, target };
    const id = keepsId(old, edge) ? old : freshEdgeId(flow, moved, takenIds);
    takenIds.add(id);
    added.add(id);
    edges[id] = moved;
    const points = part.routes[old];
    if (points) routes.push([id, points.map(({ x, y }) => ({ x: x + offset.x, y: y + offset.y }))]);
  }
  let next: Flow = { ...flow, nodes, edges, layout };
  for (const [id, points] of routes) next = setRoute(next, id, points);
  for (const frame of Object.values(part.frames)) next = addFrameCopy(next, frame, renamed, offset);
  return { flow: next, nodes: [...renamed.values()], edges: [...added] };
}

function addFrameCopy(flow: Flow, frame: Frame, renamed: ReadonlyMap<NodeId, NodeId>, offset: Point): Flow {
  const nodes = frame.nodes.flatMap((id) => renamed.get(id) ?? []);
  if (nodes.length === 0) return flow;
  const main = renamed.get(frame.main ?? "");
  const { main: _, ...others } = frame;
  const copy = { ...others, nodes, ...(main === undefined ? {} : { main }) };
  const { x, y } = relativeTo(flow, containerOfFrame(flow, copy), { x: frame.x + offset.x, y: frame.y + offset.y });
  const at = { x: Math.round(x), y: Math.round(y) };
  return withFrames(flow, { ...flow.frames, [freshFrameId(flow)]: { ...copy, ...at } });
}

/** Puts nodes (and their sizes, if they have one) elsewhere. */
export function place(flow: Flow, positions: ReadonlyMap<NodeId, Partial<Position>>): Flow {
  let layout: Record<NodeId, Position> | undefined;
  for (const [id, position] of positions) {
    if (!Object.hasOwn(flow.nodes, id)) continue;
    const before = flow.layout[id];
    const after = whole({ x: 0, y: 0, ...before, ...position });
    if (before && same(before, after)) continue;
    layout ??= { ...flow.layout };
    layout[id] = after;
  }
  return layout ? { ...flow, layout } : flow;
}

/** Changes fields of a node. `undefined` removes a field. */
export function setNode(flow: Flow, id: NodeId, change: Partial<Node>): Flow {
  const node = flow.nodes[id];
  if (!node) return flow;
  return { ...flow, nodes: { ...flow.nodes, [id]: assign(node, change) } };
}

/** Sets a node's title. An empty title removes it, and the node shows its type's title. */
export function setTitle(flow: Flow, id: NodeId, title: string): Flow {
  const trimmed = title.trim();
  if ((flow.nodes[id]?.title ?? "") === trimmed) return flow;
  return setNode(flow, id, { title: trimmed === "" ? undefined : trimmed });
}

/** Makes runs pass over nodes, or not any more. */
export function setDisabled(flow: Flow, ids: Iterable<NodeId>, disabled: boolean): Flow {
  let changed = flow;
  for (const id of ids) {
    if ((flow.nodes[id]?.disabled ?? false) !== disabled) {
      changed = setNode(changed, id, { disabled: disabled || undefined });
    }
  }
  return changed;
}

/** The ways into a flow of which a run takes one: the default one first. None if the flow has only one way in. */
export function triggersOf(flow: Flow): NodeId[] {
  const triggers = Object.keys(flow.nodes).filter((id) => flow.nodes[id]?.trigger && !flow.nodes[id]?.disabled);
  const rank = (id: NodeId) => (flow.nodes[id]?.trigger === "default" ? 0 : 1);
  return triggers.sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
}

/** Makes a node a way into the flow, or not any more. The first one is the default. */
export function setTrigger(flow: Flow, id: NodeId, isTrigger: boolean): Flow {
  const hasDefault = Object.values(flow.nodes).some(({ trigger }) => trigger === "default");
  return setNode(flow, id, { trigger: isTrigger ? (hasDefault ? "other" : "default") : undefined });
}

/** Sets the value at a path of a node's config; `undefined` removes it. */
export function setConfig(flow: Flow, id: NodeId, path: readonly (string | number)[], value: unknown): Flow {
  const node = flow.nodes[id];
  if (!node) return flow;
  const config = setAt(node.config ?? {}, path, value) as Record<string, unknown>;
  return setNode(flow, id, { config: Object.keys(config).length === 0 ? undefined : config });
}

/** Changes the flow's own fields: name, description, settings. */
export function setFlow(flow: Flow, change: Partial<Pick<Flow, "name" | "description" | "settings">>): Flow {
  return assign<Flow>(flow, change);
}

/** A copy of a JSON value with another value at a path; `undefined` removes a key or an array's item. */
export function setAt(root: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof key === "number") {
    const list = Array.isArray(root) ? [...root] : [];
    if (rest.length === 0 && value === undefined) list.splice(key, 1);
    else list[key] = setAt(list[key], rest, value);
    return list;
  }
  const object = isObject(root) ? { ...root } : {};
  const next = setAt(object[key], rest, value);
  if (next === undefined) delete object[key];
  else object[key] = next;
  return object;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function assign<T extends object>(target: T, change: Partial<T>): T {
  const next = { ...target, ...change };
  for (const key of Object.keys(change) as (keyof T)[]) if (change[key] === undefined) delete next[key];
  return next;
}

function same(a: Position, b: Position): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height && a.folded === b.folded;
}

function without<T>(record: Record<string, T>, gone: (id: string, value: T) => boolean): Record<string, T> {
  const kept = Object.entries(record).filter(([id, value]) => !gone(id, value));
  return kept.length === Object.keys(record).length ? record : Object.fromEntries(kept);
}
