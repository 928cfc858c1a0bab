/** Edits of loops and their bodies, as pure functions like those of `edits.ts`. */
import type { Edge, EdgeId, Flow, NodeId, Position } from "@/bindings";
import { type Boxes, bounds, type Point } from "@/flow/align/align";
import { BODY_INSET, LOOP_SIZE, type SizeOf, sizeAround } from "@/flow/containers/container-box";
import {
  bodyOf,
  containerOf,
  containersAround,
  cornerOf,
  outermost,
  relativeTo,
  sideExit,
  withBodies,
} from "@/flow/containers/containers";
import * as edits from "./edits";

/** The ports of a loop that edges into and out of its body are routed through. */
const CONTEXT = "context";
const NEXT = "next";
const RESULT = "result";
/** What comes in outside and is read inside. */
const ENTRANCES: Readonly<Record<string, string>> = { [CONTEXT]: CONTEXT, input: "previous" };
const BELOW = 28;

/** Whether an edge carries a context. */
export type IsContext = (edge: Edge) => boolean;

/** Puts nodes into a loop's body, or out of all loops. They stay where they are on the canvas, or go to the given corners. */
export function moveInto(
  flow: Flow,
  ids: Iterable<NodeId>,
  container: NodeId | undefined,
  corners: ReadonlyMap<NodeId, Point> = new Map(),
): Flow {
  const nodes = { ...flow.nodes };
  const layout = { ...flow.layout };
  let moved = false;
  for (const id of outermost(flow, ids)) {
    const node = flow.nodes[id];
    if (!node || id === container || (container !== undefined && containersAround(flow, container).includes(id)))
      continue;
    const corner = corners.get(id);
    if (containerOf(flow, id) === container && node.parent === container && !corner) continue;
    const at = relativeTo(flow, container, corner ?? cornerOf(flow, id));
    const place = { ...flow.layout[id], x: Math.round(at.x), y: Math.round(at.y) };
    const { parent, ...rest } = node;
    if (parent !== container) nodes[id] = container === undefined ? rest : { ...rest, parent: container };
    if (parent === container && samePlace(flow.layout[id], place)) continue;
    layout[id] = place;
    moved = true;
  }
  return moved ? { ...flow, nodes, layout } : flow;
}

/** Puts nodes into a loop below the nodes of its body. */
export function appendTo(flow: Flow, ids: Iterable<NodeId>, container: NodeId, sizeOf: SizeOf): Flow {
  const moved = outermost(flow, ids).filter((id) => id !== container && containerOf(flow, id) !== container);
  const origin = cornerOf(flow, container);
  const bottom = Math.max(
    BODY_INSET.top - BELOW,
    ...bodyOf(flow, container).map((id) => (flow.layout[id]?.y ?? 0) + sizeOf(flow, id).height),
  );
  return moveInto(
    flow,
    moved,
    container,
    shifted(flow, moved, { x: origin.x + BODY_INSET.left, y: origin.y + bottom + BELOW }, sizeOf),
  );
}

/** Puts nodes out of the loop they are in, below it, into what the loop itself is in. */
export function moveOut(flow: Flow, ids: Iterable<NodeId>, sizeOf: SizeOf): Flow {
  let next = flow;
  const byLoop = new Map<NodeId, NodeId[]>();
  for (const id of outermost(flow, ids)) {
    const loop = containerOf(flow, id);
    if (loop !== undefined) byLoop.set(loop, [...(byLoop.get(loop) ?? []), id]);
  }
  for (const [loop, moved] of byLoop) {
    const origin = cornerOf(next, loop);
    const corner = { x: origin.x + BODY_INSET.left, y: origin.y + sizeOf(next, loop).height + BELOW };
    next = moveInto(next, moved, containerOf(next, loop), shifted(next, moved, corner, sizeOf));
  }
  return next;
}

/** Folds a loop to a card, or opens it. */
export function setFolded(flow: Flow, ids: Iterable<NodeId>, folded: boolean): Flow {
  const layout = { ...flow.layout };
  let changed = false;
  for (const id of ids) {
    const { folded: before = false, ...at } = layout[id] ?? { x: 0, y: 0 };
    if (!Object.hasOwn(flow.nodes, id) || before === folded) continue;
    layout[id] = folded ? { ...at, folded } : at;
    changed = true;
  }
  return changed ? { ...flow, layout } : flow;
}

/**
 * Puts a new loop of this type around nodes of one body. Contexts go in and out by the loop's border, the one value that
 * leaves goes out by its `next`. What else would leave by the side is kept, for the check to report.
 */
export function wrap(
  flow: Flow,
  ids: Iterable<NodeId>,
  type: string,
  sizeOf: SizeOf,
  isContext: IsContext,
): edits.Added {
  const inside = outermost(flow, ids);
  const [first] = inside;
  if (first === undefined) return { flow, nodes: [], edges: [] };
  const container = commonContainer(flow, inside);
  const boxes: Boxes = new Map(inside.map((id) => [id, { ...cornerOf(flow, id), ...sizeOf(flow, id) }]));
  const all = bounds(boxes);
  const corner = relativeTo(flow, container, { x: all.x - BODY_INSET.left, y: all.y - BODY_INSET.top });
  const size = sizeAround([{ x: BODY_INSET.left, y: BODY_INSET.top, width: all.width, height: all.height }]);
  const added = edits.addNode(flow, container === undefined ? { type } : { type, parent: container }, {
    ...corner,
    ...size,
  });
  const loop = added.nodes[0] ?? "";
  const wrapped = moveInto(added.flow, inside, loop);
  const routed = routeOnlyResult(routeContexts(wrapped, loop, isContext), loop, isContext);
  return { flow: routed, nodes: [loop], edges: [] };
}

/** Takes a loop away and keeps its body. What went through its border leads on past it. */
export function ungroup(flow: Flow, loop: NodeId): Flow {
  const body = bodyOf(flow, loop);
  const into = (name: string) =>
    Object.values(flow.edges).filter((edge) => edge.target === loop && edge.targetInput === name);
  const inside = withBodies(flow, body);
  let next = moveInto(flow, body, containerOf(flow, loop));
  for (const edge of Object.values(flow.edges)) {
    if (edge.source !== loop) continue;
    const entrance = Object.entries(ENTRANCES).find(([, inner]) => inner === edge.sourceOutput)?.[0];
    const sources = inside.has(edge.target)
      ? into(entrance ?? "").filter((one) => !inside.has(one.source))
      : edge.sourceOutput === RESULT
        ? into(NEXT).filter((one) => inside.has(one.source))
        : [];
    for (const { source, sourceOutput } of sources) next = connectOnce(next, { ...edge, source, sourceOutput });
  }
  const { [loop]: _, ...nodes } = next.nodes;
  const { [loop]: __, ...layout } = next.layout;
  const edges = Object.fromEntries(
    Object.entries(next.edges).filter(([, edge]) => edge.source !== loop && edge.target !== loop),
  );
  return { ...next, nodes, layout, edges };
}

/**
 * Leads an edge that leaves loops by their side out through their `next`, or, if it carries a context, through the
 * context of their border. Nothing where another value goes out by `next` already: that would be the person's choice.
 */
export function routeThroughNext(flow: Flow, id: EdgeId, isContext: IsContext): Flow | undefined {
  let next = flow;
  let last = id;
  let edge = flow.edges[id];
  const context = edge !== undefined && isContext(edge);
  for (let loop = edge && sideExit(next, edge); edge && loop !== undefined; loop = edge && sideExit(next, edge)) {
    if (context) next = feedContext(next, loop, isContext);
    else {
      const { source, sourceOutput } = edge;
      const fed = feeding(next, loop, NEXT);
      if (fed.some((one) => one.source !== source || one.sourceOutput !== sourceOutput)) return undefined;
      next = connectOnce(next, { source, sourceOutput, target: loop, targetInput: NEXT });
    }
    const moved: Edge = { ...edge, source: loop, sourceOutput: context ? CONTEXT : RESULT };
    const { [last]: _, ...edges } = next.edges;
    const there = Object.values(edges).some((one) => sameEnds(one, moved));
    const added = edits.connect({ ...next, edges }, moved);
    next = there ? { ...next, edges } : added.flow;
    last = added.edges[0] ?? "";
    edge = there ? undefined : moved;
  }
  return next === flow ? undefined : next;
}

/** Leads contexts that go into and out of a loop's body by the side through its border. */
function routeContexts(flow: Flow, loop: NodeId, isContext: IsContext): Flow {
  const inside = withBodies(flow, bodyOf(flow, loop));
  const leaves = Object.values(flow.edges).some(
    (edge) => inside.has(edge.source) && isContext(edge) && !inside.has(edge.target) && edge.target !== loop,
  );
  if (!leaves) return flow;
  let next = feedContext(flow, loop, isContext);
  for (const [id, edge] of Object.entries(next.edges)) {
    if (inside.has(edge.source) && isContext(edge) && !inside.has(edge.target) && edge.target !== loop) {
      const { [id]: _, ...edges } = next.edges;
      next = connectOnce({ ...next, edges }, { ...edge, source: loop, sourceOutput: CONTEXT });
    }
  }
  return next;
}

/** Where exactly one context comes into a loop's body by the side, it comes in by the border. */
function feedContext(flow: Flow, loop: NodeId, isContext: IsContext): Flow {
  if (feeding(flow, loop, CONTEXT).length > 0) return flow;
  const inside = withBodies(flow, bodyOf(flow, loop));
  const entering = Object.entries(flow.edges).filter(
    ([, edge]) => inside.has(edge.target) && isContext(edge) && !inside.has(edge.source) && edge.source !== loop,
  );
  const sources = new Map(
    entering.map(([, { source, sourceOutput }]) => [`${source}\n${sourceOutput}`, { source, sourceOutput }]),
  );
  const [only] = sources.values();
  if (sources.size !== 1 || !only) return flow;
  let next = connectOnce(flow, { ...only, target: loop, targetInput: CONTEXT });
  for (const [id, edge] of entering) {
    const { [id]: _, ...edges } = next.edges;
    next = connectOnce({ ...next, edges }, { ...edge, source: loop, sourceOutput: CONTEXT });
  }
  return next;
}

/** Where exactly one value leaves a loop's body by the side, it goes to `next`, and on from `result`. */
function routeOnlyResult(flow: Flow, loop: NodeId, isContext: IsContext): Flow {
  const inside = withBodies(flow, bodyOf(flow, loop));
  const leaving = Object.entries(flow.edges).filter(
    ([, edge]) => inside.has(edge.source) && !isContext(edge) && !inside.has(edge.target) && edge.target !== loop,
  );
  const sources = new Set(leaving.map(([, { source, sourceOutput }]) => `${source}\n${sourceOutput}`));
  if (sources.size !== 1) return flow;
  return leaving.reduce((next, [id]) => routeThroughNext(next, id, isContext) ?? next, flow);
}

function feeding(flow: Flow, target: NodeId, port: string): Edge[] {
  return Object.values(flow.edges).filter((edge) => edge.target === target && edge.targetInput === port);
}

function connectOnce(flow: Flow, edge: Edge): Flow {
  return Object.values(flow.edges).some((one) => sameEnds(one, edge)) ? flow : edits.connect(flow, edge).flow;
}

function sameEnds(a: Edge, b: Edge): boolean {
  return (
    a.source === b.source &&
    a.sourceOutput === b.sourceOutput &&
    a.target === b.target &&
    a.targetInput === b.targetInput
  );
}

/** The innermost container that all of the nodes are in. */
function commonContainer(flow: Flow, ids: readonly NodeId[]): NodeId | undefined {
  const [first, ...others] = ids.map((id) => containersAround(flow, id));
  return first?.find((container) => others.every((around) => around.includes(container)));
}

/** The corners of nodes that are moved together, so that their upper left corner is at a place. */
function shifted(flow: Flow, ids: readonly NodeId[], to: Point, sizeOf: SizeOf): Map<NodeId, Point> {
  const boxes = new Map(ids.map((id) => [id, { ...cornerOf(flow, id), ...sizeOf(flow, id) }]));
  const all = bounds(boxes);
  return new Map([...boxes].map(([id, { x, y }]) => [id, { x: x - all.x + to.x, y: y - all.y + to.y }]));
}

function samePlace(a: Position | undefined, b: Position): boolean {
  return a?.x === b.x && a.y === b.y;
}

/** The layout of a loop that is added with its middle at a place. */
export function newLoopBox(middle: Point): Position {
  return { x: middle.x - LOOP_SIZE.width / 2, y: middle.y - LOOP_SIZE.height / 2, ...LOOP_SIZE };
}
