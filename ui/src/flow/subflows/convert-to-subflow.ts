/** Turns selected nodes into the inner flow of one sub-flow node. Refuses what would then mean something else. */
import type { Edge, EdgeId, Flow, FrameId, Node, NodeId } from "@/bindings";
import { HITL_HISTORY } from "@/bindings/constants";
import { bounds, type Point } from "@/flow/align/align";
import { declaredPorts, edgeKind, endsOfEdge, findPort } from "@/flow/connect/ports";
import {
  containerOf,
  containersAround,
  cornerOf,
  outermost,
  relativeTo,
  sideExit,
  withBodies,
} from "@/flow/containers/containers";
import { containerOfFrame, frameOf, withFrames } from "@/flow/containers/frame-box";
import { connect, fragment } from "@/flow/edits/edits";
import { takeIn, takeOut } from "@/flow/edits/frames";
import { freshNodeId } from "@/flow/edits/ids";
import { routeOf, setRoute } from "@/flow/edits/routes";
import {
  connectThrough,
  MAPPED,
  type Mapped,
  nodeReads,
  nodeSettings,
  OUTPUT,
  type Outcome,
  pointsOutside,
  QUERY,
  RESULT,
  RUN_INPUT,
  resultQuery,
  SUBFLOW,
  type SubflowParts,
} from "./subflow-border";
import { linkName } from "./subflow-names";
import { SUBFLOW_TEXTS as TEXTS } from "./subflow-texts";

const RIGHT_OF_BODY = 90;
const STEP = 110;
const CARD_WIDTH = 208;

/** An edge into the selection or out of it. */
type Crossing = { id: EdgeId; edge: Edge };
type Selection = { ids: ReadonlySet<NodeId>; roots: readonly NodeId[]; container: NodeId | undefined };

export function convertToSubflow(flow: Flow, chosen: Iterable<NodeId>, parts: SubflowParts): Outcome {
  const roots = outermost(flow, chosen);
  const containers = new Set(roots.map((id) => containerOf(flow, id)));
  if (containers.size > 1) return { refused: TEXTS.differentLoops };
  const selection = { ids: withBodies(flow, roots), roots, container: [...containers][0] };
  const crossing = Object.entries(flow.edges)
    .filter(([, { source, target }]) => selection.ids.has(source) !== selection.ids.has(target))
    .map(([id, edge]) => ({ id, edge }));
  const refused =
    refusedNode(flow, selection, parts) ??
    refusedRead(flow, selection, parts) ??
    refusedEdge(flow, selection, crossing, parts) ??
    refusedCycle(flow, selection, parts);
  return refused === undefined ? convert(flow, selection, crossing, parts) : { refused };
}

function refusedNode(flow: Flow, { ids, container }: Selection, { nameOf, types }: SubflowParts): string | undefined {
  const runs = [...ids].filter((id) => types.byType.get(flow.nodes[id]?.type ?? "")?.editor.commentField === undefined);
  if (runs.length === 0) return TEXTS.nothingRuns;
  if (flow.settings?.memory !== undefined) return TEXTS.workflowMemory;
  for (const id of runs) {
    const type = types.byType.get(flow.nodes[id]?.type ?? "");
    if (!type) return TEXTS.unknownType(nameOf(flow, id));
    if (type.type === OUTPUT) return TEXTS.isResult(nameOf(flow, id));
    if (type.type === RUN_INPUT) return TEXTS.isRunInput(nameOf(flow, id));
    const { config = {} } = flow.nodes[id] as Node;
    if (container === undefined) continue;
    if (JSON.stringify(config).includes(HITL_HISTORY)) return TEXTS.readsAnswers(nameOf(flow, id));
    const inConversation = [container, ...containersAround(flow, container)].find(
      (loop) => flow.nodes[loop]?.config?.conversation === true,
    );
    if (inConversation !== undefined && type.ports.inputs.some((port) => port.kind === "context"))
      return TEXTS.inConversation(nameOf(flow, id), nameOf(flow, inConversation));
  }
  return undefined;
}

/** Values that are read without an edge: by a config that names the node, or through a channel of portals. */
function refusedRead(flow: Flow, { ids }: Selection, { nameOf, types }: SubflowParts): string | undefined {
  const channels = new Map<string, NodeId>();
  for (const [id, node] of Object.entries(flow.nodes)) {
    for (const { read } of nodeReads(types, node)) {
      if (Object.hasOwn(flow.nodes, read) && ids.has(read) !== ids.has(id))
        return TEXTS.readsAcross(nameOf(flow, id), nameOf(flow, read));
    }
    const link = linkName(types, node);
    if (link?.space !== "channel") continue;
    const channel = link.name;
    const other = channels.get(channel) ?? id;
    if (ids.has(other) !== ids.has(id)) return TEXTS.portalAcross(channel);
    channels.set(channel, id);
  }
  return undefined;
}

function refusedEdge(
  flow: Flow,
  { ids }: Selection,
  crossing: readonly Crossing[],
  { types, checked, nameOf }: SubflowParts,
): string | undefined {
  for (const { edge } of crossing) {
    const [source, target] = [nameOf(flow, edge.source), nameOf(flow, edge.target)];
    const kind = edgeKind(types, flow, checked, edge);
    if (kind === "context") return TEXTS.contextAcross(source, target);
    if (kind === "tools") return TEXTS.toolsAcross(source, target);
    const left = sideExit(flow, edge);
    if (left !== undefined && ids.has(left)) return TEXTS.leavesLoop(source, nameOf(flow, left));
    // Several values of one input come in the order of their edges, which a border would change.
    const input = findPort(declaredPorts(types, flow, checked, edge.target), endsOfEdge(flow, edge).to);
    const beside = Object.values(flow.edges).filter(
      (one) => one.target === edge.target && one.targetInput === edge.targetInput,
    );
    if (input && "many" in input && input.many && ids.has(edge.target) && beside.length > 1)
      return TEXTS.gathers(target);
  }
  return undefined;
}

/** A way out of the selection and back into it: the sub-flow would wait for itself. */
function refusedCycle(flow: Flow, { ids, container }: Selection, { nameOf }: SubflowParts): string | undefined {
  const around = new Set(container === undefined ? [] : [container, ...containersAround(flow, container)]);
  const next = new Map<NodeId, NodeId[]>();
  for (const { source, target } of Object.values(flow.edges)) next.set(source, [...(next.get(source) ?? []), target]);
  const reached = new Set([...ids].flatMap((id) => next.get(id) ?? []).filter((id) => !ids.has(id) && !around.has(id)));
  // A set grows while it is read.
  for (const id of reached) {
    for (const target of next.get(id) ?? []) {
      if (ids.has(target)) return TEXTS.cycleCut(nameOf(flow, id));
      if (!around.has(target)) reached.add(target);
    }
  }
  return undefined;
}

function convert(flow: Flow, selection: Selection, crossing: readonly Crossing[], parts: SubflowParts): Outcome {
  const { ids, roots, container } = selection;
  const box = bounds(new Map(roots.map((id) => [id, { ...cornerOf(flow, id), ...parts.sizeOf(flow, id) }])));
  const inner = innerFlow(flow, selection, box);
  const entering = grouped(crossing.filter(({ edge }) => ids.has(edge.target)));
  const leaving = grouped(crossing.filter(({ edge }) => ids.has(edge.source)));
  const mapping: Mapped[] = [];
  const names = new Set(["context"]);
  const inputs: { name: string; source: Edge; points: readonly Point[] }[] = [];
  const pointsOf = ({ id }: Crossing, way: "to" | "from") => pointsOutside(routeOf(flow, id), box, way);
  for (const group of entering) {
    const source = group[0]?.edge;
    if (!source) continue;
    const name = freshName(flow.nodes[source.source]?.title ?? source.sourceOutput, names);
    // Several edges become one: it takes the way of the first that has one.
    const points = group.map((one) => pointsOf(one, "to")).find(({ length }) => length > 0) ?? [];
    inputs.push({ name, source, points });
    for (const { target, targetInput } of group.map(({ edge }) => edge))
      mapping.push({ from: name, to: `${target}.${targetInput}` });
  }
  let inside = inner;
  const outputs = leaving.map((group, index) => {
    const source = group[0]?.edge as Edge;
    const id = freshNodeId(inside, OUTPUT);
    const at = { x: Math.round(box.width) + RIGHT_OF_BODY, y: STEP * index };
    const title = resultTitle(flow, source, leaving, parts);
    const nodes = { ...inside.nodes, [id]: { type: OUTPUT, title } };
    const added = { ...inside, nodes, layout: { ...inside.layout, [id]: at } };
    const { sourceOutput } = source;
    inside = connect(added, { source: source.source, sourceOutput, target: id, targetInput: "value" }).flow;
    return { id, title, targets: group };
  });
  let outside = without(flow, ids);
  const frame = frameAround(flow, selection);
  const parent = container === undefined ? {} : { parent: container };
  const place = (x: number, y: number) => {
    const at = relativeTo(flow, container, { x, y });
    return { x: Math.round(at.x), y: Math.round(at.y) };
  };
  const sub = freshNodeId(flow, SUBFLOW);
  // The sub-flow and what takes its results are in the middle of the room that became free.
  const width = CARD_WIDTH + (outputs.length > 0 ? RIGHT_OF_BODY + CARD_WIDTH : 0);
  const left = box.x + (box.width - width) / 2;
  const top = box.y + (box.height - Math.max(1, outputs.length) * STEP) / 2;
  const config = { flow: inside, inputSource: MAPPED, mapping };
  outside = add(outside, sub, { type: SUBFLOW, config, ...parent }, place(left, top));
  for (const { name, source, points } of inputs) {
    const { source: from, sourceOutput } = source;
    outside = connectThrough(outside, { source: from, sourceOutput, target: sub, targetInput: name }, points);
  }
  for (const [index, { id, title, targets }] of outputs.entries()) {
    const query = freshNodeId(outside, QUERY);
    const node = { type: QUERY, title, config: { query: resultQuery(id) }, ...parent };
    outside = add(outside, query, node, place(left + CARD_WIDTH + RIGHT_OF_BODY, top + STEP * index));
    outside = connect(outside, { source: sub, sourceOutput: RESULT, target: query, targetInput: "value" }).flow;
    for (const one of targets) {
      const edge = { ...one.edge, source: query, sourceOutput: RESULT };
      outside = connectThrough(outside, edge, pointsOf(one, "from"));
    }
  }
  const fresh = Object.keys(outside.nodes).filter((id) => !Object.hasOwn(flow.nodes, id));
  return { flow: frame === undefined ? outside : takeIn(outside, fresh, frame), nodes: [sub] };
}

/** The frame that all selected nodes are in, with others that stay: the sub-flow takes their place there. */
function frameAround(flow: Flow, { ids, roots }: Selection): FrameId | undefined {
  const [frame, ...others] = new Set(roots.map((id) => frameOf(flow, id)));
  if (frame === undefined || others.length > 0) return undefined;
  return flow.frames?.[frame]?.nodes.every((id) => ids.has(id)) ? undefined : frame;
}

function innerFlow(flow: Flow, { ids, roots, container }: Selection, corner: Point): Flow {
  const top = new Set(roots);
  const origin = relativeTo(flow, container, corner);
  const nodes: Flow["nodes"] = {};
  const layout: Flow["layout"] = {};
  for (const id of ids) {
    const { parent: _, ...free } = flow.nodes[id] as Node;
    const at = flow.layout[id] ?? { x: 0, y: 0 };
    nodes[id] = top.has(id) ? free : (flow.nodes[id] as Node);
    layout[id] = top.has(id) ? { ...at, x: Math.round(at.x - origin.x), y: Math.round(at.y - origin.y) } : at;
  }
  const edges = Object.fromEntries(
    Object.entries(flow.edges).filter(([, { source, target }]) => ids.has(source) && ids.has(target)),
  );
  const settings = nodeSettings(flow);
  const bare: Flow = { version: flow.version, name: "", nodes, edges, layout, ...(settings ? { settings } : {}) };
  return withFramesAndRoutes(bare, flow, ids, corner);
}

/** The inner flow with the frames that have no other nodes, and with the points of its edges. */
function withFramesAndRoutes(inner: Flow, flow: Flow, ids: ReadonlySet<NodeId>, corner: Point): Flow {
  const part = fragment(flow, ids);
  const frames = Object.entries(part.frames).map(([id, frame]) => {
    const at = { x: frame.x - corner.x, y: frame.y - corner.y };
    const { x, y } = relativeTo(inner, containerOfFrame(inner, frame), at);
    return [id, { ...frame, x: Math.round(x), y: Math.round(y) }];
  });
  let next = withFrames(inner, Object.fromEntries(frames));
  for (const [id, points] of Object.entries(part.routes)) {
    const moved = points.map(({ x, y }) => ({ x: x - corner.x, y: y - corner.y }));
    next = setRoute(next, id, moved);
  }
  return next;
}

/** The flow without these nodes and all their edges. */
function without(flow: Flow, ids: ReadonlySet<NodeId>): Flow {
  const rest = <T>(all: Record<string, T>, keep: (id: string, one: T) => boolean) =>
    Object.fromEntries(Object.entries(all).filter(([id, one]) => keep(id, one)));
  const edges = rest(flow.edges, (_, { source, target }) => !ids.has(source) && !ids.has(target));
  const { routes } = flow;
  return {
    ...takeOut(flow, ids),
    nodes: rest(flow.nodes, (id) => !ids.has(id)),
    layout: rest(flow.layout, (id) => !ids.has(id)),
    edges,
    ...(routes ? { routes: rest(routes, (id) => Object.hasOwn(edges, id)) } : {}),
  };
}

function add(flow: Flow, id: NodeId, node: Node, at: Point): Flow {
  return { ...flow, nodes: { ...flow.nodes, [id]: node }, layout: { ...flow.layout, [id]: at } };
}

/** The crossing edges by the output that they come from. */
function grouped(crossing: readonly Crossing[]): Crossing[][] {
  const groups = new Map<string, Crossing[]>();
  for (const one of crossing) {
    const key = JSON.stringify([one.edge.source, one.edge.sourceOutput]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

/** The name of the node that gives a result, with its output where it gives several. */
function resultTitle(flow: Flow, source: Edge, leaving: readonly Crossing[][], { nameOf }: SubflowParts): string {
  const name = nameOf(flow, source.source);
  const several = leaving.filter((group) => group[0]?.edge.source === source.source).length > 1;
  return several ? `${name}: ${source.sourceOutput}` : name;
}

/** A port's name made of a title: `Policy lookup` becomes `policy_lookup`. */
function freshName(title: string, taken: Set<string>): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ["value"];
  const base = words.join("_").replace(/^(?=\d)/, "_");
  let name = base;
  for (let number = 2; taken.has(name); number += 1) name = `${base}_${number}`;
  taken.add(name);
  return name;
}
