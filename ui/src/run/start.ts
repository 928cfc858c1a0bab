/** What the runs' part of the window does once, when the window begins. */
import { notify } from "@/look/notify";
import { followDocument, openAction } from "./control";
import { loadDock } from "./dock/state";
import { loadRuns } from "./runs/list";
import { openRuns } from "./runs/select";
import { oneLine, shorten } from "./values/preview";

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
      ? `A run of “${name}” waits for you${latest.waitingOn ? `: “${shorten(oneLine(latest.waitingOn), 80)}”` : "."}${more}`
      : `A run of “${name}” was interrupted and can go on.${more}`;
  notify.offer(text, openAction(latest.run));
}
