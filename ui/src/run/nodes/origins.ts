/** Where values come from: the labels that events carry, and the way that one took through the run. */
import type { EdgeId, Flow, NodeId, Origins, PortName, SourceRef } from "@/bindings";
import { type OriginKind, UNTRUSTED_ORIGIN_KINDS } from "@/bindings/constants";
import { compareEpochs, indexOfEpoch } from "@/run/fold/epoch";
import type { EpochView, NodeView, OpenPause } from "@/run/fold/types";

export type Origin = { kind: OriginKind; place: string };

export function parseOrigin(text: string): Origin {
  const colon = text.indexOf(":");
  if (colon < 0) return { kind: text as OriginKind, place: "" };
  return { kind: text.slice(0, colon) as OriginKind, place: text.slice(colon + 1) };
}

export function isUntrusted({ kind }: Origin): boolean {
  return UNTRUSTED_ORIGIN_KINDS.includes(kind);
}

/** One step of a way: a value left this output of a node. */
export type Step = { node: NodeId; port: PortName };

export type OriginPath = {
  /** The steps from where it came in, nearest last, without the node that asks. */
  steps: Step[];
  /** The nodes on the way, with the one that asks. */
  nodes: ReadonlySet<NodeId>;
};

type Nodes = ReadonlyMap<NodeId, NodeView>;

/** The way of what others wrote to the node that asks about a tool call. Undefined if it asks for another reason. */
export function pathTo(pause: OpenPause, nodes: Nodes): OriginPath | undefined {
  const wanted = pause.tool?.untrusted;
  if (!wanted?.length) return undefined;
  const carries = new Map<EpochView, boolean>();
  const asking = activation(nodes, pause.node, pause.epoch);
  const steps: Step[] = [];
  const seen = new Set<string>();
  // Breadth first, so that steps near the question come first; shown in the order in which the value went.
  let open = asking ? [asking] : [];
  while (open.length > 0) {
    const next: EpochView[] = [];
    for (const view of open) {
      for (const source of sourcesOf(view)) {
        const from = activation(nodes, source.node, source.epoch);
        if (!from || !comesFrom(from, wanted, nodes, carries)) continue;
        const key = `${source.node}\n${source.port}`;
        if (seen.has(key)) continue;
        seen.add(key);
        steps.unshift({ node: source.node, port: source.port });
        next.push(from);
      }
    }
    open = next;
  }
  return { steps, nodes: new Set([pause.node, ...steps.map((step) => step.node)]) };
}

/** The edges that the value went over. */
export function edgesOf(path: OriginPath, flow: Pick<Flow, "edges">): Set<EdgeId> {
  const left = new Set(path.steps.map((step) => `${step.node}\n${step.port}`));
  const edges = Object.entries(flow.edges).filter(
    ([, edge]) => left.has(`${edge.source}\n${edge.sourceOutput}`) && path.nodes.has(edge.target),
  );
  return new Set(edges.map(([id]) => id));
}

/**
 * Where the outputs of an activation come from: what it brought in, and what its inputs brought. What a loop gives to its body is
 * in no event, so there everything counts that its body brought in: a label too many asks once too often, one too few never.
 */
export function originsOfOutputs(nodes: Nodes, flow: Pick<Flow, "nodes">, view: EpochView): string[] {
  const found = new Set<string>();
  const visited = new Set<EpochView>();
  const open = [view];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (visited.has(at)) continue;
    visited.add(at);
    for (const origin of at.origins ?? []) found.add(origin);
    for (const { node, epoch } of sourcesOf(at)) {
      const from = activation(nodes, node, epoch);
      if (from) open.push(from);
      else for (const inside of [node, ...nodesInside(flow, node)]) open.push(...(nodes.get(inside)?.epochs ?? []));
    }
  }
  return [...found].sort();
}

function nodesInside({ nodes }: Pick<Flow, "nodes">, loop: NodeId): NodeId[] {
  const inside = Object.keys(nodes).filter((id) => nodes[id]?.parent === loop);
  return inside.flatMap((id) => [id, ...nodesInside({ nodes }, id)]);
}

/** The values on its inputs that its outputs come from. Pinned outputs come from none of them. */
function sourcesOf(view: EpochView): SourceRef[] {
  if (view.metadata?.pinned) return [];
  return Object.values(view.inputs).flatMap((sources) => sources ?? []);
}

function activation(nodes: Nodes, node: NodeId, epoch: EpochView["epoch"]): EpochView | undefined {
  const epochs = nodes.get(node)?.epochs ?? [];
  const found = epochs[indexOfEpoch(epochs, epoch)];
  return found && compareEpochs(found.epoch, epoch) === 0 ? found : undefined;
}

/** Whether one of these places is among the origins of an activation's outputs. */
function comesFrom(view: EpochView, wanted: Origins, nodes: Nodes, known: Map<EpochView, boolean>): boolean {
  const stack = [view];
  const visited = new Set<EpochView>();
  while (stack.length > 0) {
    const at = stack.pop() as EpochView;
    if (visited.has(at)) continue;
    visited.add(at);
    if (known.get(at) || at.origins?.some((origin) => wanted.includes(origin))) {
      known.set(view, true);
      return true;
    }
    if (known.get(at) === false) continue;
    for (const source of sourcesOf(at)) {
      const from = activation(nodes, source.node, source.epoch);
      if (from) stack.push(from);
    }
  }
  known.set(view, false);
  return false;
}
