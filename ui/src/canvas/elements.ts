/**
 * The flow as React Flow wants it. Keeps the identity of everything that did not change, and never carries the state of
 * a run: cards and edges subscribe to that themselves.
 */
import { Position as Sides } from "@xyflow/react";
import type { CheckedFlow, Edge, EdgeId, Flow, Node, NodeId, Ports, Position } from "@/bindings";
import { contextColor, contextIndexes } from "@/flow/context-colors";
import type { Items } from "@/flow/edits";
import { commentField, type NodeTypes } from "@/flow/node-types";
import { declaredPorts, drawnPorts, edgeKind } from "@/flow/ports";
import type { CanvasEdge, CanvasNode, CardData, StrandData } from "@/workspace/canvas-store";
import { CARD_WIDTH, ERROR_PORT, handleBox, plannedSize } from "./geometry";

/** The nodes to draw. `before` are the ones drawn so far; those that are being dragged stay under the pointer. */
export function canvasNodes(
  types: NodeTypes,
  flow: Flow,
  checked: CheckedFlow,
  selection: Items,
  before: ReadonlyMap<NodeId, CanvasNode>,
): CanvasNode[] {
  const touching = edgesByNode(flow);
  const contexts = contextIndexes(types, flow, checked);
  let unplaced = 0;
  return Object.entries(flow.nodes).map(([id, node]) => {
    const at = flow.layout[id] ?? defaultPosition(unplaced++);
    const declared = declaredPorts(types, flow, checked, id);
    const edges = touching.get(id) ?? [];
    const data: CardData = {
      node,
      ports: drawnPorts(declared, edges, id),
      known: declared !== undefined,
      context: contexts.get(id),
      maker: flow.nodes[checked.contexts[id] ?? ""],
      errorWired: edges.some((edge) => edge.source === id && edge.sourceOutput === ERROR_PORT),
    };
    return canvasNode(types, id, data, at, selection.nodes.has(id), before.get(id));
  });
}

function canvasNode(
  types: NodeTypes,
  id: NodeId,
  fresh: CardData,
  at: Position,
  selected: boolean,
  before: CanvasNode | undefined,
): CanvasNode {
  const old = before?.data;
  const data = old && sameData(old, fresh) ? old : fresh;
  const { node, ports, errorWired } = data;
  const isComment = commentField(types, node) !== undefined;
  const position = before?.dragging ? before.position : { x: at.x, y: at.y };
  const size = plannedSize(isComment, ports, errorWired, at);
  if (
    before &&
    before.data === data &&
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
    measured: isComment ? size : (before?.measured ?? size),
    ...(before?.dragging ? { dragging: true } : {}),
    id,
    type: isComment ? "comment" : "card",
    position,
    data,
    selected,
    initialWidth: size.width,
    initialHeight: size.height,
    ...(isComment ? { width: size.width, height: size.height } : {}),
    handles:
      before && old && old.ports === ports && old.errorWired === errorWired
        ? before.handles
        : handles(ports, errorWired),
    ariaLabel: describe(types, id, node),
    ariaRole: "group",
    // Comments are below everything else.
    zIndex: isComment ? -1 : 0,
  };
}

/** The edges to draw. Edges to missing nodes are not drawn; the Problems tab lists them. */
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
  const drawn: CanvasEdge[] = [];
  for (const [id, edge] of Object.entries(flow.edges)) {
    if (!Object.hasOwn(flow.nodes, edge.source) || !Object.hasOwn(flow.nodes, edge.target)) continue;
    const kind = edgeKind(types, flow, checked, edge);
    const context = kind === "context" ? (contexts.get(edge.source) ?? contexts.get(edge.target)) : undefined;
    drawn.push(
      canvasEdge(
        id,
        edge,
        { kind, back: back.has(id) ? topBetween(flow, edge) : undefined, context, broken: broken.has(id) },
        selection.edges.has(id),
        before.get(id),
      ),
    );
  }
  return drawn;
}

function canvasEdge(
  id: EdgeId,
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
    old.broken === fresh.broken
      ? old
      : fresh;
  if (
    before &&
    before.data === data &&
    before.selected === selected &&
    before.source === edge.source &&
    before.target === edge.target &&
    before.sourceHandle === edge.sourceOutput &&
    before.targetHandle === edge.targetInput
  ) {
    return before;
  }
  return {
    id,
    type: "strand",
    source: edge.source,
    sourceHandle: edge.sourceOutput,
    target: edge.target,
    targetHandle: edge.targetInput,
    data,
    selected,
    ariaLabel: `${data.kind} edge from ${edge.source} ${edge.sourceOutput} to ${edge.target} ${edge.targetInput}${data.back !== undefined ? ", back to the start of its cycle" : ""}`,
  };
}

/** The top of the highest node between the two ends of an edge, those included. */
export function topBetween(flow: Flow, edge: Edge): number {
  const source = flow.layout[edge.source];
  const target = flow.layout[edge.target];
  if (!source || !target) return 0;
  const left = Math.min(source.x, target.x) - CARD_WIDTH;
  const right = Math.max(source.x, target.x) + CARD_WIDTH;
  const low = Math.max(source.y, target.y);
  let top = Math.min(source.y, target.y);
  for (const at of Object.values(flow.layout)) {
    // Nodes far above belong to another part of the flow; the arc ignores them.
    if (at.x > left && at.x < right && at.y < top && at.y > low - 600) top = at.y;
  }
  return top;
}

/** The color of a context; undefined outside of all contexts. */
export function shade(context: number | undefined): string | undefined {
  return context === undefined ? undefined : contextColor(context);
}

function handles(ports: Ports, errorWired: boolean): NonNullable<CanvasNode["handles"]> {
  return [
    ...ports.inputs.map((port, index) => ({
      id: port.name,
      type: "target" as const,
      position: Sides.Left,
      ...handleBox("in", index, port, ports, errorWired),
    })),
    ...ports.outputs.map((port, index) => ({
      id: port.name,
      type: "source" as const,
      position: Sides.Right,
      ...handleBox("out", index, port, ports, errorWired),
    })),
  ];
}

function describe(types: NodeTypes, id: NodeId, node: Node): string {
  const type = types.byType.get(node.type)?.title ?? `unknown type ${node.type}`;
  return node.title ? `${node.title}, ${type} node` : `${type} node ${id}`;
}

/** The position of a node that the file does not place: in rows, in the order of the ids. */
function defaultPosition(index: number): Position {
  return { x: (index % 5) * 280, y: Math.floor(index / 5) * 160 };
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
    a.errorWired === b.errorWired &&
    (a.ports === b.ports || equalPorts(a.ports, b.ports))
  );
}

/** Each check returns equal ports as new objects; that must not re-render a card. */
function equalPorts(a: Ports, b: Ports): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
