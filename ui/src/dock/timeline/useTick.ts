import { useEffect, useState } from "react";
import { isOver } from "@/run/fold/status";
import type { RunSession } from "@/run/live/session";
import { useWorkspace } from "@/workspace/context";

/** Minimum interval between renders of the timeline, in milliseconds. */
const EVERY_MS = 120;

/** Increments while events come or time passes in the active run, unless its past is looked at. */
export function useTick(): number {
  const { activeRun } = useWorkspace();
  const [tick, setTick] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isMounted = true;
    const draw = () => {
      if (!isMounted) return;
      timer = undefined;
      setTick((count) => count + 1);
      if (!activeRun.past && isTimePassing(activeRun.session)) schedule();
    };
    const schedule = () => {
      if (activeRun.past) return;
      timer ??= setTimeout(() => activeRun.renderLarge(draw, draw), EVERY_MS);
    };
    const stop = activeRun.onPart("frame", schedule);
    schedule();
    return () => {
      isMounted = false;
      stop();
      clearTimeout(timer);
    };
  }, [activeRun]);
  return tick;
}

/** Whether time passes in the run: open spans grow without any event. */
function isTimePassing(session: RunSession | undefined): boolean {
  return session !== undefined && !session.interrupted && !isOver(session.fold.head.status);
}
