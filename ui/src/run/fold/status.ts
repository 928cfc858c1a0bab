/** What a run's status means for what can be done with it. */
import type { RunStatus } from "@/bindings";
import { FINAL_RUN_STATUSES } from "@/bindings/constants";

/** Whether no event can follow. */
export function isOver(status: RunStatus): boolean {
  return FINAL_RUN_STATUSES.includes(status);
}
