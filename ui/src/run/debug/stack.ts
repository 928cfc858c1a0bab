/** The stack at a stop: the runs above, the loops around the held node with their iterations, the node, and its call. */
import type { Epoch, Flow, NodeId, RunId, StopView } from "@/bindings";
import { containersAround } from "@/flow/containers/containers";
import { isWithin } from "@/run/fold/epoch";
import type { NodeView } from "@/run/fold/types";
import { loopExecution } from "@/run/nodes/loop-iterations";

type Nodes = ReadonlyMap<NodeId, NodeView>;

export type StackEntry =
  /** A run that this one is inside of. `child` is the run that it began on the way here. */
  | { kind: "run"; run: RunId; label: string; child: RunId }
  /** An iteration of a loop, counted from 0, where the run says which. */
  | { kind: "loop"; node: NodeId; iteration?: number; epoch?: Epoch }
  /** `iterations` are the counters of the cycles around the node, inside of its innermost loop. */
  | { kind: "node"; node: NodeId; epoch: Epoch; iterations: Epoch; attempt: number }
  | { kind: "call"; node: NodeId; epoch: Epoch; call: string }
  /** A sub-flow below, where the run is held. Without a node, it is further below. */
  | { kind: "below"; run: RunId; node?: NodeId; epoch?: Epoch };

type Stopped = {
  run: RunId;
  flow: Flow;
  nodes: Nodes;
  /** The runs it is inside of, the root first. */
  above: readonly { run: RunId; label: string }[];
};

/** The outermost entry first. Empty while nothing that is held is known. */
export function stackOf({ at, cause }: StopView, { run, flow, nodes, above }: Stopped): StackEntry[] {
  const entries: StackEntry[] = above.map((one, depth) => ({
    kind: "run",
    ...one,
    child: above[depth + 1]?.run ?? run,
  }));
  if (at) {
    let level = 0;
    for (const loop of containersAround(flow, at.node).toReversed()) {
      const begun = loopExecution(nodes.get(loop), at.epoch.slice(0, level))?.epoch;
      const known = begun !== undefined && begun.length < at.epoch.length && isWithin(at.epoch, begun);
      if (known) level = begun.length + 1;
      entries.push({
        kind: "loop",
        node: loop,
        ...(known ? { iteration: at.epoch[begun.length], epoch: at.epoch.slice(0, level) } : {}),
      });
    }
    const { node, epoch, attempt, call } = at;
    entries.push({ kind: "node", node, epoch, iterations: epoch.slice(level), attempt });
    if (call !== undefined) entries.push({ kind: "call", node, epoch, call });
  }
  if (cause.kind === "elsewhere") entries.push({ kind: "below", run: cause.run, ...beginnerOf(nodes, cause.run) });
  return entries;
}

/** The activation that began a child run. */
export function beginnerOf(nodes: Nodes, child: RunId): { node: NodeId; epoch: Epoch } | undefined {
  for (const [node, { epochs }] of nodes) {
    const epoch = epochs.findLast(({ children }) => children?.includes(child))?.epoch;
    if (epoch) return { node, epoch };
  }
  return undefined;
}
