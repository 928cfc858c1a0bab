/** The iterations of a loop, as its body's activations show them. */
import type { Epoch, Flow, NodeId } from "@/bindings";
import { bodyOf } from "@/flow/containers/containers";
import { isWithin, lastWithin } from "@/run/fold/epoch";
import type { EpochView, NodeView } from "@/run/fold/types";

/** One execution of a loop: its epoch, and how many iterations of it have begun. */
export type LoopProgress = { epoch: Epoch; count: number };

type Nodes = ReadonlyMap<NodeId, NodeView>;

/** The newest execution of a loop, or the newest in an iteration of a loop around it. */
export function loopProgress(nodes: Nodes, flow: Flow, loop: NodeId, around?: Epoch): LoopProgress | undefined {
  const execution = loopExecution(nodes.get(loop), around);
  if (!execution) return undefined;
  const { epoch } = execution;
  let count = 0;
  for (const id of bodyOf(flow, loop)) {
    const last = lastWithin(nodes.get(id), epoch)?.epoch;
    if (last && last.length > epoch.length) count = Math.max(count, (last[epoch.length] ?? 0) + 1);
  }
  return { epoch, count };
}

/** A loop's own activation. Those with a counter more are tests of its condition. */
export function loopExecution(view: NodeView | undefined, around: Epoch = []): EpochView | undefined {
  if (!view) return undefined;
  const depth = Math.min(...[view.epochs[0], view.epochs.at(-1)].map((one) => one?.epoch.length ?? 0));
  return view.epochs.findLast(({ epoch }) => epoch.length === depth && isWithin(epoch, around));
}

export function iterationAt({ epoch }: LoopProgress, index: number): Epoch {
  return [...epoch, index];
}
