/** How long a run has worked. */
import type { RunHead } from "./types";

/** Run time in milliseconds, without the time it waited for a person or stood still. `now` is used only for unfinished runs. */
export function elapsed(head: RunHead, now: number): number {
  if (head.startedAt === undefined) return 0;
  const until = head.endedAt ?? head.waitingSince ?? head.stop?.since ?? Math.max(now, head.startedAt);
  return Math.max(0, until - head.startedAt - head.totals.waitedMs - (head.totals.stoppedMs ?? 0));
}
