import type { NodeId, Pin } from "@/bindings";
import { declaredPorts } from "@/flow/connect/ports";
import { emptyPin, pinOfRun } from "@/flow/edits/pins";
import { epochOf } from "@/run/fold/epoch";
import { originsOfOutputs } from "@/run/nodes/origins";
import { outputsOf } from "@/run/values/outputs";
import type { Workspace } from "@/workspace/workspace";

/** The pin that a node gets: of what it gave in the shown run and iteration, else an empty value to be filled in. */
export function pinToSet(workspace: Workspace, id: NodeId): Pin | undefined {
  const { editor, nodeTypes, activeRun, epochChoice } = workspace;
  const { flow, checked } = editor.state;
  const ports = declaredPorts(nodeTypes.all, flow, checked, id);
  if (!ports) return undefined;
  const run = activeRun.shown;
  const view = run?.fold.nodes.get(id);
  const epoch = epochOf(view, epochChoice.of(id, epochChoice.store.getState())) ?? epochOf(view, view?.epoch);
  if (run && epoch) {
    const taken = pinOfRun(ports, outputsOf(id, epoch), {
      run: run.run,
      origins: originsOfOutputs(run.fold.nodes, flow, epoch),
    });
    if (taken) return taken;
  }
  return emptyPin(ports);
}
