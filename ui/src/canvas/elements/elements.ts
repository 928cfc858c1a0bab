/**
 * The flow as React Flow wants it. Keeps the identity of everything that did not change, and never carries the state of
 * a run: cards and edges subscribe to that themselves.
 */
import { Position as Sides } from "@xyflow/react";
import type { CheckedFlow, Edge, EdgeId, Flow, Node, NodeId, PortKind, Ports, Position } from "@/bindings";
import { CARD_WIDTH, handleBox, plannedSize } from "@/canvas/measure/geometry";
import { TEXTS } from "@/canvas/texts";
import { declaredPorts, drawnPorts, edgeKind, unwiredPorts } from "@/flow/connect/ports";
import { turnEdges } from "@/flow/connect/turn-edges";
import { BODY_INSET } from "@/flow/containers/container-box";
import {
  containerOf,
  containersAround,
  cornerOf,
  edgeDepth,
  isContainer,
  isDisabled,
  outermostFirst,
} from "@/flow/containers/containers";
import { foldedAround, isFolded } from "@/flow/containers/folding";
import { contextColor, contextIndexes } from "@/flow/document/context-colors";
import type { Items } from "@/flow/edits/edits";
import { routeOf } from "@/flow/edits/routes";
import { commentField, type NodeTypes } from "@/flow/node-types/node-types";
import type { CanvasEdge, CanvasNode, CardData, StrandData } from "@/workspace/canvas-store";
import { type DrawnEnds, drawnEnds, foldedHandles, foldedSides, NO_SIDES } from "./folded-elements";
import { borderHandles, fitLoops, plannedLoopSize } from "./loop-elements";
import { FOLDED_HANDLE } from "./pulled-ends";

/**
 * The nodes to draw: not the nodes in a folded loop or frame. `before` are the elements drawn so far; dragged ones stay
 * under the pointer.
 */
export function canvasNodes(
  types: NodeTypes,
  flow: Flow,
  checked: CheckedFlow,
  selection: Items,
  before: ReadonlyMap<NodeId, CanvasNode>,
): CanvasNode[] {
  const touching = edgesByNode(flow);
  const contexts = contextIndexes(types, flow, checked);
  const folds = foldedSides(flow);
  const unplaced = new Map<NodeId | undefined, number>();
  const drawn: CanvasNode[] = [];
  for (const id of outermostFirst(flow)) {
    const node = flow.nodes[id];
    if (!node || foldedAround(flow, id) !== undefined) continue;
    const container = containerOf(flow, id);
    let at = flow.layout[id];
    if (!at) {
      const index = unplaced.get(container) ?? 0;
      unplaced.set(container, index + 1);
      at = defaultPosition(index, container);
    }
    const declared = declaredPorts(types, flow, checked, id);
    const edges = touching.get(id) ?? [];
    const ports = drawnPorts(flow, declared, edges, id);
    const data: CardData = {
      node,
      ports,
      known: declared !== undefined,
      context: contexts.get(id),
      maker: flow.nodes[checked.contexts[id] ?? ""],
      unwired: unwiredPorts(ports, edges, id),
      disabled: isDisabled(flow, id),
      color: flow.layout[id]?.color,
    };
    const looped = isContainer(types, node);
    if (looped && isFolded(flow, id)) data.folded = folds.get(id) ?? NO_SIDES;
    const type = looped && !data.folded ? "loop" : commentField(types, node) !== undefined ? "comment" : "card";
    const depth = containersAround(flow, id).length;
    drawn.push(canvasNode(types, id, { type, container, depth }, data, at, selection.nodes.has(id), before.get(id)));
  }
  return fitLoops(drawn);
}

type Drawn = { type: NonNullable<CanvasNode["type"]>; container: NodeId | undefined; depth: number };

function canvasNode(
  types: NodeTypes,
  id: NodeId,
  { type, container, depth }: Drawn,
  fresh: CardData,
  at: Position,
  selected: boolean,
  was: CanvasNode | undefined,
): CanvasNode {
  // A loop that is folded or opened is drawn again.
  const before = was?.type === type ? was : undefined;
  const old = before?.data;
  const data = old && sameData(old, fresh) ? old : fresh;
  const { node, ports, unwired } = data;
  const isComment = type === "comment";
  const isLoop = type === "loop";
  const position = before?.dragging ? before.position : { x: at.x, y: at.y };
  const size = isLoop ? plannedLoopSize(ports, at) : plannedSize(isComment, ports, unwired, at);
  if (
    before &&
    before.data === data &&
    before.parentId === container &&
    before.position.x === position.x &&
    before.position.y === position.y &&
    before.selected === selected &&
    before.initialWidth === size.width &&
    before.initialHeight === size.height
  ) {
    return before;
  }
  return {
    // Known in advance, so that cards can be fitted into view and connected before they are drawn.
    measured: isComment || isLoop ? size : (before?.measured ?? size),
    ...(before?.dragging ? { dragging: true } : {}),
    id,
    type,
    ...(container === undefined ? {} : { parentId: container }),
    position,
    data,
    selected,
    initialWidth: size.width,
    initialHeight: size.height,
    ...(isComment || isLoop ? { width: size.width, height: size.height } : {}),
    // The body of a loop is canvas: a press there moves the view or selects.
    ...(isLoop ? { dragHandle: ".loop-bar", style: { pointerEvents: "none" as const } } : {}),
    handles:
      before && old && !isLoop && old.ports === ports && old.unwired === unwired && old.folded === data.folded
        ? before.handles
        : isLoop
          ? borderHandles(ports, size.width)
          : handles(data),
    ariaLabel: describe(types, id, node),
    ariaRole: "group",
    // Loops are below their bodies, comments below everything else beside them.
    zIndex: 2 * depth + (isComment ? -1 : isLoop ? 0 : 1),
  };
}

/** The layer of cards in so many loops. Edges in loops are in it, too, and so are their values; cards come after both. */
export function cardLayer(depth: number): number {
  return 2 * depth + 1;
}

/** The edges to draw: not those in a folded loop or frame. Edges to missing nodes are not drawn; the Problems tab lists them. */
export function canvasEdges(
  types: NodeTypes,
  flow: Flow,
  checked: CheckedFlow,
  selection: Items,
  before: ReadonlyMap<EdgeId, CanvasEdge>,
): CanvasEdge[] {
  const contexts = contextIndexes(types, flow, checked);
  const back = new Set(checked.backEdges);
  const broken = new Set(
    checked.diagnostics.flatMap((found) =>
      found.edge !== undefined && found.severity === "error" ? [found.edge] : [],
    ),
  );
  const turns = turnEdges(types, flow, checked);
  const drawn: CanvasEdge[] = [];
  for (const { id, edge, ends, kind, bundle } of bundledEdges(types, flow, checked, back)) {
    const context = kind === "context" ? (contexts.get(edge.source) ?? contexts.get(edge.target)) : undefined;
    drawn.push(
      canvasEdge(
        id,
        ends,
        edge,
        {
          kind,
          back: back.has(id) ? topBetween(flow, edge) : undefined,
          context,
          broken: [id, ...(bundle ?? [])].some((one) => broken.has(one)),
          turn: [id, ...(bundle ?? [])].every((one) => turns.has(one)),
          depth: edgeDepth(flow, edge),
          ...(bundle ? { bundle } : {}),
          ...routed(flow, id, edge, ends),
        },
        selection.edges.has(id),
        before.get(id),
      ),
    );
  }
  return drawn;
}

type DrawnEdge = { id: EdgeId; edge: Edge; ends: DrawnEnds; kind: PortKind; bundle?: EdgeId[] };

/** What a bundle is drawn as: a context rather than data, and a value rather than an order. */
const WEIGHTS: Record<PortKind, number> = { context: 3, data: 2, tools: 1 };

/** The edges to draw. Those with the same ends at a folded loop or frame are one, as one of them. */
function bundledEdges(types: NodeTypes, flow: Flow, checked: CheckedFlow, back: ReadonlySet<EdgeId>): DrawnEdge[] {
  const bundles = new Map<string, DrawnEdge[]>();
  for (const [id, edge] of Object.entries(flow.edges)) {
    if (!Object.hasOwn(flow.nodes, edge.source) || !Object.hasOwn(flow.nodes, edge.target)) continue;
    const ends = drawnEnds(flow, edge);
    if (ends.hidden) continue;
    const { source, sourceHandle, target, targetHandle } = ends;
    const isBundled = sourceHandle === FOLDED_HANDLE || targetHandle === FOLDED_HANDLE;
    const key = isBundled ? JSON.stringify([source, sourceHandle, target, targetHandle, back.has(id)]) : id;
    const one = { id, edge, ends, kind: edgeKind(types, flow, checked, edge) };
    const bundle = bundles.get(key);
    if (bundle) bundle.push(one);
    else bundles.set(key, [one]);
  }
  const weightOf = ({ kind, edge: { target, targetInput } }: DrawnEdge) => {
    const port = declaredPorts(types, flow, checked, target)?.inputs.find(({ name }) => name === targetInput);
    return port?.orderOnly ? 0 : WEIGHTS[kind];
  };
  return [...bundles.values()].flatMap((all) => {
    const [first] = all.length > 1 ? all.toSorted((a, b) => weightOf(b) - weightOf(a)) : all;
    if (!first) return [];
    const others = all.flatMap(({ id }) => (id === first.id ? [] : [id]));
    return [others.length > 0 ? { ...first, bundle: others } : first];
  });
}

/** The points of an edge, unless one of its ends is in a folded loop or frame. */
function routed(flow: Flow, id: EdgeId, edge: Edge, ends: DrawnEnds): Pick<StrandData, "route"> {
  const points = routeOf(flow, id);
  if (points.length === 0 || ends.source !== edge.source || ends.target !== edge.target) return {};
  return { route: { points, source: cornerOf(flow, edge.source), target: cornerOf(flow, edge.target) } };
}

function canvasEdge(
  id: EdgeId,
  ends: DrawnEnds,
  edge: Edge,
  fresh: StrandData,
  selected: boolean,
  before: CanvasEdge | undefined,
): CanvasEdge {
  const old = before?.data;
  const data =
    old &&
    old.kind === fresh.kind &&
    old.back === fresh.back &&
    old.context === fresh.context &&
    old.broken === fresh.broken &&
    old.turn === fresh.turn &&
    old.depth === fresh.depth &&
    (old.bundle === fresh.bundle || old.bundle?.join("\n") === fresh.bundle?.join("\n")) &&
    (old.route === fresh.route || JSON.stringify(old.route) === JSON.stringify(fresh.route))
      ? old
      : fresh;
  if (
    before &&
    before.data === data &&
    before.selected === selected &&
    before.source === ends.source &&
    before.target === ends.target &&
    before.sourceHandle === ends.sourceHandle &&
    before.targetHandle === ends.targetHandle
  ) {
    return before;
  }
  return {
    id,
    type: data.route ? "routed" : "strand",
    source: ends.source,
    sourceHandle: ends.sourceHandle,
    target: ends.target,
    targetHandle: ends.targetHandle,
    data,
    selected,
    ariaLabel: data.bundle
      ? TEXTS.edgesBetween(data.bundle.length + 1, edge.source, edge.target)
      : `${data.kind} edge from ${edge.source} ${edge.sourceOutput} to ${edge.target} ${edge.targetInput}${data.back !== undefined ? ", back to the start of its cycle" : ""}`,
  };
}

/** The top of the highest node between the two ends of an edge, those included. */
export function topBetween(flow: Flow, edge: Edge): number {
  if (!flow.layout[edge.source] || !flow.layout[edge.target]) return 0;
  const source = cornerOf(flow, edge.source);
  const target = cornerOf(flow, edge.target);
  const left = Math.min(source.x, target.x) - CARD_WIDTH;
  const right = Math.max(source.x, target.x) + CARD_WIDTH;
  const low = Math.max(source.y, target.y);
  let top = Math.min(source.y, target.y);
  const around = new Set(containersAround(flow, edge.source));
  for (const id of Object.keys(flow.layout)) {
    // The loop that both are in is around the arc, not below it.
    if (around.has(id)) continue;
    const at = cornerOf(flow, id);
    // Nodes far above belong to another part of the flow; the arc ignores them.
    if (at.x > left && at.x < right && at.y < top && at.y > low - 600) top = at.y;
  }
  return top;
}

/** The color of a context; undefined outside of all contexts. */
export function shade(context: number | undefined): string | undefined {
  return context === undefined ? undefined : contextColor(context);
}

function handles({ ports, unwired, folded }: CardData): NonNullable<CanvasNode["handles"]> {
  return [
    ...(folded ? foldedHandles(folded) : []),
    ...ports.inputs.map((port, index) => ({
      id: port.name,
      type: "target" as const,
      position: Sides.Left,
      ...handleBox("in", index, port, ports, unwired),
    })),
    ...ports.outputs.map((port, index) => ({
      id: port.name,
      type: "source" as const,
      position: Sides.Right,
      ...handleBox("out", index, port, ports, unwired),
    })),
  ];
}

function describe(types: NodeTypes, id: NodeId, node: Node): string {
  const type = types.byType.get(node.type)?.title ?? `unknown type ${node.type}`;
  return node.title ? `${node.title}, ${type} node` : `${type} node ${id}`;
}

/** The position of a node that the file does not place: in rows, in the order of the ids. */
function defaultPosition(index: number, container: NodeId | undefined): Position {
  const origin = container === undefined ? { x: 0, y: 0 } : { x: BODY_INSET.left, y: BODY_INSET.top };
  return { x: origin.x + (index % 5) * 280, y: origin.y + Math.floor(index / 5) * 160 };
}

function edgesByNode(flow: Flow): Map<NodeId, Edge[]> {
  const found = new Map<NodeId, Edge[]>();
  const add = (id: NodeId, edge: Edge) => {
    const list = found.get(id);
    if (list) list.push(edge);
    else found.set(id, [edge]);
  };
  for (const edge of Object.values(flow.edges)) {
    add(edge.source, edge);
    if (edge.target !== edge.source) add(edge.target, edge);
  }
  return found;
}

function sameData(a: CardData, b: CardData): boolean {
  return (
    a.node === b.node &&
    a.known === b.known &&
    a.context === b.context &&
    a.maker === b.maker &&
    a.unwired === b.unwired &&
    a.disabled === b.disabled &&
    a.color === b.color &&
    a.folded?.into === b.folded?.into &&
    a.folded?.outOf === b.folded?.outOf &&
    (a.ports === b.ports || equalPorts(a.ports, b.ports))
  );
}

/** Each check returns equal ports as new objects; that must not re-render a card. */
function equalPorts(a: Ports, b: Ports): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
