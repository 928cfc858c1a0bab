/** What the runs' part of the window does once, when the window begins. */

import { notify } from "@/design/notify";
import { followDocument, openAction, setRunLayout } from "@/run/control";
import { openRuns } from "@/run/run-filter";
import { loadRuns } from "@/run/run-list";
import { oneLine, shorten } from "@/run/values/preview";
import type { Workspace } from "@/workspace/workspace";

/** Keeps the shown run in step with the document. Call once. */
export function startRuns(workspace: Workspace): void {
  setRunLayout(workspace.layout);
  followDocument();
}

/** Offers the runs that were left open last time. */
export async function offerOpenRuns(): Promise<void> {
  const [latest, ...others] = openRuns(await loadRuns());
  if (!latest) return;
  const name = latest.flowName || "a flow";
  const more = others.length > 0 ? ` ${others.length} more ${others.length === 1 ? "is" : "are"} in Runs.` : "";
  const text =
    latest.status === "waiting"
      ? `A run of “${name}” is waiting for you${latest.waitingOn ? `: “${shorten(oneLine(latest.waitingOn), 80)}”` : "."}${more}`
      : `A run of “${name}” was interrupted and can be resumed.${more}`;
  notify.offer(text, openAction(latest.run));
}
