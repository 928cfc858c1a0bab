/** What the runs' part of the window does once, when the window begins. */

import { notify } from "@/design/dialogs/notify";
import { openRuns } from "@/run/list/run-filter";
import { previewOfQuestion } from "@/run/values/preview";
import type { Workspace } from "@/workspace/workspace";

/** Keeps the shown run and the conversation in step with the document. Call once. */
export function startRuns(workspace: Workspace): void {
  workspace.conversation.follow();
  workspace.runs.followDocument();
}

/** Offers the runs that were left open last time. */
export async function offerOpenRuns(workspace: Workspace): Promise<void> {
  const [latest, ...others] = openRuns(await workspace.runList.load());
  if (!latest) return;
  const name = latest.flowName || "a flow";
  const more = others.length > 0 ? ` ${others.length} more ${others.length === 1 ? "is" : "are"} in Runs.` : "";
  const text =
    latest.status === "waiting"
      ? `A run of “${name}” is waiting for you${latest.waitingOn ? `: “${previewOfQuestion(latest.waitingOn)}”` : "."}${more}`
      : `A run of “${name}” was interrupted and can be resumed.${more}`;
  notify.offer(latest.run, text, workspace.runs.openAction(latest.run));
}
