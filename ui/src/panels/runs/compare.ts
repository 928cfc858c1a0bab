/** Comparing a run with another one. */
import type { RunId, RunSummary } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import { HostError } from "@/ipc";
import type { Workspace } from "@/workspace/workspace";

/** Shows what differs between an earlier run and this one. */
export async function compareRuns({ host, comparisons }: Workspace, other: RunId, run: RunSummary): Promise<void> {
  try {
    const [one, two] = await Promise.all([
      host.call("runs.show", { run: other }),
      host.call("runs.show", { run: run.run }),
    ]);
    // The one that began first is before, whichever of them was pointed at.
    const [before, after] = one.summary.startedAt <= two.summary.startedAt ? [one, two] : [two, one];
    const comparison = await host.call("lens.compare", { before: before.summary.run, after: after.summary.run });
    const flows = { before: before.flow, after: after.flow };
    await comparisons.ask({ before: before.summary, after: after.summary, comparison, flows });
  } catch (thrown) {
    notify.error(HostError.from(thrown));
  }
}
