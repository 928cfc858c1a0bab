/** How long a run has worked. */
import { wholeStop } from "./stops";
import type { RunHead } from "./types";

/** Run time in milliseconds, without the time it waited for a person, stood still or was interrupted. `now` is used only for unfinished runs. */
export function elapsed(head: RunHead, now: number): number {
  if (head.startedAt === undefined) return 0;
  // While only branches are paused, the others go on.
  const stoppedSince = wholeStop(head.stops)?.since;
  const until = head.endedAt ?? head.waitingSince ?? stoppedSince ?? Math.max(now, head.startedAt);
  const { waitedMs, stoppedMs = 0, interruptedMs = 0 } = head.totals;
  return Math.max(0, until - head.startedAt - waitedMs - stoppedMs - interruptedMs);
}
