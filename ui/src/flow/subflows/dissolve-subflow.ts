/** Puts the nodes of a sub-flow back into the flow around it. Undoes `convertToSubflow`. */
import type { Edge, EdgeId, Flow, Node, NodeId } from "@/bindings";
import { bounds } from "@/flow/align/align";
import { containerOf, cornerOf, outermost } from "@/flow/containers/containers";
import { frameOf, withFrames } from "@/flow/containers/frame-box";
import { innerFlowOf } from "@/flow/document/inner-flow";
import { addFragment, fragment, remove, setAt } from "@/flow/edits/edits";
import { takeOut } from "@/flow/edits/frames";
import { followNodes, routeOf } from "@/flow/edits/routes";
import {
  connectThrough,
  MAPPED,
  mappingOf,
  nodeReads,
  nodeSettings,
  OUTPUT,
  type Outcome,
  pointsOutside,
  QUERY,
  RESULT,
  RUN_INPUT,
  resultQuery,
  type SubflowParts,
} from "./subflow-border";
import { withOwnNames } from "./subflow-names";
import { SUBFLOW_TEXTS as TEXTS } from "./subflow-texts";

/** Where an edge that leaves the sub-flow comes from in it. */
type Leaving = { output: NodeId; targets: readonly [EdgeId, Edge][]; query?: NodeId };

export function dissolveSubflow(flow: Flow, id: NodeId, parts: SubflowParts): Outcome {
  const node = flow.nodes[id];
  const file = node?.config?.file;
  if (typeof file === "string" && file !== "") return { refused: TEXTS.isFile };
  const inner = innerFlowOf(node);
  if (!node || !inner) return { refused: TEXTS.unreadable };
  const refused = refusedNode(flow, id, node, inner, parts);
  if (refused !== undefined) return { refused };
  const leaving = leavingOf(flow, id, inner, parts);
  if ("refused" in leaving) return leaving;
  return dissolve(flow, { id, node, inner }, leaving.leaving, parts);
}

function refusedNode(flow: Flow, id: NodeId, node: Node, inner: Flow, parts: SubflowParts): string | undefined {
  const edges = Object.values(flow.edges);
  const inContext = (edge: Edge) =>
    (edge.target === id && edge.targetInput === "context") || (edge.source === id && edge.sourceOutput === "context");
  if (edges.some(inContext)) return TEXTS.hasConversation;
  if (node.retry !== undefined || node.limits !== undefined) return TEXTS.hasRetries;
  const input = Object.entries(inner.nodes).find(([, { type }]) => type === RUN_INPUT);
  if (input) return TEXTS.takesText(parts.nameOf(inner, input[0]));
  if (JSON.stringify(inner.settings ?? {}) !== JSON.stringify(nodeSettings(flow) ?? {})) return TEXTS.ownSettings;
  if (node.config?.inputSource === MAPPED) {
    for (const { to } of mappingOf(node)) {
      if (to !== "input" && !Object.hasOwn(inner.nodes, portOf(to).node)) return TEXTS.missingInput(portOf(to).node);
    }
  }
  for (const [reader, one] of Object.entries(flow.nodes)) {
    if (nodeReads(parts.types, one).some(({ read }) => read === id)) return TEXTS.usesWhole(parts.nameOf(flow, reader));
  }
  return undefined;
}

/** What takes which result. Only a query for one result, or the text of the only one, can be taken apart. */
function leavingOf(
  flow: Flow,
  id: NodeId,
  inner: Flow,
  { nameOf }: SubflowParts,
): { leaving: Leaving[] } | { refused: string } {
  const outputs = Object.keys(inner.nodes).filter((one) => inner.nodes[one]?.type === OUTPUT);
  const leaving: Leaving[] = [];
  for (const [edgeId, edge] of Object.entries(flow.edges)) {
    if (edge.source !== id) continue;
    const taker = flow.nodes[edge.target];
    if (edge.sourceOutput === "error") return { refused: TEXTS.usesError(nameOf(flow, edge.target)) };
    const [only] = outputs;
    if (edge.sourceOutput === "text" && outputs.length === 1 && only !== undefined) {
      leaving.push({ output: only, targets: [[edgeId, edge]] });
      continue;
    }
    const output = outputs.find((one) => taker?.type === QUERY && taker.config?.query === resultQuery(one));
    const targets = Object.entries(flow.edges).filter(([, one]) => one.source === edge.target);
    if (output === undefined || edge.sourceOutput !== RESULT || targets.some(([, one]) => one.sourceOutput !== RESULT))
      return { refused: TEXTS.usesWhole(nameOf(flow, edge.target)) };
    leaving.push({ output, targets, query: edge.target });
  }
  return { leaving };
}

function dissolve(
  flow: Flow,
  { id, node, inner }: { id: NodeId; node: Node; inner: Flow },
  leaving: readonly Leaving[],
  { types, sizeOf }: SubflowParts,
): Outcome {
  const gone = new Set(Object.keys(inner.nodes).filter((one) => inner.nodes[one]?.type === OUTPUT));
  const entering = Object.entries(flow.edges).filter(([, edge]) => edge.target === id);
  const queries = leaving.flatMap(({ query }) => query ?? []);
  // Without the points of the edges that go: a new edge may get the id of one.
  const rest = followNodes(flow, remove(flow, { nodes: new Set([id, ...queries]), edges: new Set() }));
  const kept = withOwnNames(types, takeOut(remove(inner, { nodes: gone, edges: new Set() }), gone), rest);
  const container = containerOf(flow, id);
  const taken = outermost(kept, Object.keys(kept.nodes));
  const body = bounds(new Map(taken.map((one) => [one, { ...cornerOf(kept, one), ...sizeOf(kept, one) }])));
  const replaced = bounds(
    new Map([id, ...queries].map((one) => [one, { ...cornerOf(flow, one), ...sizeOf(flow, one) }])),
  );
  // The middle of the nodes is where the middle of the sub-flow and its queries was.
  const offset = {
    x: replaced.x + (replaced.width - body.width) / 2 - body.x,
    y: replaced.y + (replaced.height - body.height) / 2 - body.y,
  };
  const part = fragment(kept, new Set(Object.keys(kept.nodes)));
  const added = addFragment(rest, part, offset, () => container);
  const names = new Map(Object.keys(part.nodes).map((one, index) => [one, added.nodes[index] as NodeId]));
  let next = withRenamedReads(added.flow, names, types);
  const placed = { ...body, x: body.x + offset.x, y: body.y + offset.y };
  for (const [edgeId, edge] of entering) {
    const points = pointsOutside(routeOf(flow, edgeId), placed, "to");
    for (const { from, to } of node.config?.inputSource === MAPPED ? mappingOf(node) : []) {
      const { node: target, port } = portOf(to);
      const renamed = names.get(target);
      if (from === edge.targetInput && renamed !== undefined)
        next = connectThrough(next, { ...edge, target: renamed, targetInput: port }, points);
    }
  }
  for (const { output, targets } of leaving) {
    for (const source of Object.values(inner.edges).filter((edge) => edge.target === output)) {
      const renamed = names.get(source.source);
      if (renamed === undefined) continue;
      for (const [edgeId, target] of targets) {
        const points = pointsOutside(routeOf(flow, edgeId), placed, "from");
        next = connectThrough(next, { ...target, source: renamed, sourceOutput: source.sourceOutput }, points);
      }
    }
  }
  const frame = frameOf(flow, id);
  const around = next.frames?.[frame ?? ""];
  if (frame !== undefined && around) {
    // A node is in one frame at most: those with a frame of their own stay in that.
    const free = taken.filter((one) => frameOf(kept, one) === undefined).flatMap((one) => names.get(one) ?? []);
    next = withFrames(next, { ...next.frames, [frame]: { ...around, nodes: [...around.nodes, ...free] } });
    next = takeOut(next, [id, ...queries]);
  }
  return { flow: next, nodes: [...added.nodes] };
}

function portOf(target: string): { node: NodeId; port: string } {
  // Names of ports have no dots; IDs of nodes may.
  const dot = target.lastIndexOf(".");
  return { node: target.slice(0, dot), port: target.slice(dot + 1) };
}

/** Configs that name a node which got another ID name it by that. */
function withRenamedReads(flow: Flow, names: ReadonlyMap<NodeId, NodeId>, types: SubflowParts["types"]): Flow {
  const nodes = { ...flow.nodes };
  for (const id of names.values()) {
    const node = nodes[id];
    if (!node) continue;
    let config: unknown = node.config;
    for (const { path, read } of nodeReads(types, node)) config = setAt(config, path, names.get(read) ?? read);
    if (config !== node.config) nodes[id] = { ...node, config: config as Node["config"] };
  }
  return { ...flow, nodes };
}
