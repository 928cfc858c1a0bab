/** The values of a node's outputs, also values that its events only imply. */
import type { Fault, NodeId, PortName } from "@/bindings";
import { ERROR_PORT } from "@/bindings/constants";
import type { EpochView } from "../fold/types";

const errorOutputs = new WeakMap<Fault, Record<PortName, unknown>>();

/** The live outputs of an activation; of a handled failure, the value of its `error` output. */
export function outputsOf(node: NodeId, view: EpochView): Record<PortName, unknown> {
  if (view.state !== "failed" || !view.handled || !view.error) return view.outputs;
  let outputs = errorOutputs.get(view.error);
  if (!outputs) {
    const { code, message, details } = view.error;
    outputs = { [ERROR_PORT]: { code, message, node, details: details ?? null } };
    errorOutputs.set(view.error, outputs);
  }
  return outputs;
}

/** Faults of nodes that were only stopped because the run was. */
export function wasStopped(view: Pick<EpochView, "error">): boolean {
  return view.error?.code === "node.cancelled" || view.error?.code === "node.stopped";
}
