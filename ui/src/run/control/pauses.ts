/** The open questions of runs: who takes the answer, and which one was asked last. */
import type { Epoch, NodeId, RunId } from "@/bindings";
import type { OpenPause } from "@/run/fold/types";
import type { RunSession } from "@/run/live/session";

/** The run, node and epoch that take the answer. */
export function pauseOwner(run: RunId, pause: OpenPause): { run: RunId; node: NodeId; epoch: Epoch } {
  const { node, epoch } = pause;
  return pause.asker ?? { run, node, epoch };
}

/** Identifies an open pause among those of all runs. */
export function pauseKey(run: RunId, pause: OpenPause): string {
  const owner = pauseOwner(run, pause);
  return `${owner.run}/${owner.node}/${owner.epoch.join(".")}`;
}

/** The first question that was asked since the run last waited; else the first that is open. */
export function newestQuestion({ fold, log }: RunSession): OpenPause | undefined {
  const since = log.waits.at(-2)?.to ?? 0;
  const { pauses } = fold.head;
  return pauses.find((pause) => pause.askedAt >= since) ?? pauses[0];
}
