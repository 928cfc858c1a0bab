/** What a run's status means for what can be done with it. */
import type { RunStatus } from "@/bindings";
import { FINAL_RUN_STATUSES } from "@/bindings/constants";
import { wholeStop } from "./stops";
import type { RunHead } from "./types";

/** Whether no event can follow. */
export function isOver(status: RunStatus): boolean {
  return FINAL_RUN_STATUSES.includes(status);
}

/** Whether nothing can go on until a person does something: answers, or continues from a stop. */
export function needsPerson(status: RunStatus): boolean {
  return status === "waiting" || status === "stopped";
}

/** Whether nothing goes on: the run is over, or needs a person. */
export function isResting(status: RunStatus): boolean {
  return isOver(status) || needsPerson(status);
}

/** The same of a run. While only branches of it are paused, the others go on. */
export function rests({ status, stops }: Pick<RunHead, "status" | "stops">): boolean {
  return isResting(status) && (stops === undefined || wholeStop(stops) !== undefined);
}
