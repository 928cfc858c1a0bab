/** What a run's status means for what can be done with it. */
import type { RunStatus } from "@/bindings";

/** Whether no event can follow. */
export function isOver(status: RunStatus): boolean {
  return status === "finished" || status === "failed" || status === "cancelled";
}
