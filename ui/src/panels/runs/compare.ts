/** Comparing a run with another one. */
import type { RunId, RunSummary } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import { HostError } from "@/ipc";
import type { Workspace } from "@/workspace/workspace";

/** Shows what differs between an earlier run and this one. */
export async function compareRuns(workspace: Workspace, earlier: RunId, run: RunSummary): Promise<void> {
  try {
    const [comparison, before, after] = await Promise.all([
      workspace.host.call("lens.compare", { before: earlier, after: run.run }),
      workspace.host.call("runs.show", { run: earlier }),
      workspace.host.call("runs.show", { run: run.run }),
    ]);
    const flows = { before: before.flow, after: after.flow };
    await workspace.comparisons.ask({ before: before.summary, after: run, comparison, flows });
  } catch (thrown) {
    notify.error(HostError.from(thrown));
  }
}
