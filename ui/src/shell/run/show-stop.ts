/** Has the person look at one of several stops. */
import type { StopView } from "@/bindings";
import type { Workspace } from "@/workspace/workspace";

/** Chooses a stop, and shows its node, in its iteration, on the canvas. */
export function showStop({ runs, epochChoice, canvas }: Workspace, { number, at }: StopView): void {
  runs.debugger.choose(number);
  if (!at) return;
  epochChoice.choose(at.node, at.epoch);
  canvas.reveal({ node: at.node });
}
