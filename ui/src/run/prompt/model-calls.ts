/** Which model calls of a node are its own, and which came before. */
import type { EpochView, ModelCallView, NodeView } from "@/run/fold/types";

/** Whether a call is for the node's own reply, and not for a summary of the workflow's memory or for a tool. */
export function isOwnCall(call: ModelCallView): boolean {
  return call.prompt?.purpose === undefined;
}

/** The node's own call before this one: in the same activation, or in its latest one before. */
export function previousCall(
  view: NodeView,
  epoch: EpochView,
  call: ModelCallView,
): { epoch: EpochView; call: ModelCallView } | undefined {
  const index = epoch.calls.indexOf(call);
  const earlier = epoch.calls.slice(0, index).findLast((one) => one.prompt && isOwnCall(one));
  if (earlier) return { epoch, call: earlier };
  const epochs = view.epochs.slice(0, view.epochs.indexOf(epoch));
  for (const before of epochs.toReversed()) {
    const last = before.calls.findLast((one) => one.prompt && isOwnCall(one));
    if (last) return { epoch: before, call: last };
  }
  return undefined;
}
