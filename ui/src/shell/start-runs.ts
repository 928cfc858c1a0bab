/** What the runs' part of the window does once, when the window begins. */
import { notify } from "@/design/notify";
import { followDocument, openAction } from "@/run/control";
import { openRuns } from "@/run/run-filter";
import { loadRuns } from "@/run/run-list";
import { oneLine, shorten } from "@/run/values/preview";
import { loadDock } from "@/workbench/dock-tabs";

/** Follows the document, and shows the dock as it was. Call once, after the settings are there. */
export function startRuns(): void {
  loadDock();
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
