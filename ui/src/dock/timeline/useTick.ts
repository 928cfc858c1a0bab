import { useEffect, useState } from "react";
import { isOver } from "@/run/fold/status";
import { activeSession, onFrame } from "@/run/live/active-run";

/** Minimum interval between renders of the timeline, in milliseconds. */
const EVERY_MS = 120;

/** Increments while events come or time passes in the active run. */
export function useTick(): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer = undefined;
      setTick((count) => count + 1);
      if (moves()) schedule();
    };
    const schedule = () => {
      timer ??= setTimeout(draw, EVERY_MS);
    };
    const stop = onFrame(schedule);
    schedule();
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
  return tick;
}

/** Whether time passes in the run: open spans grow without any event. */
function moves(): boolean {
  const session = activeSession();
  return session !== undefined && !session.interrupted && !isOver(session.fold.head.status);
}
