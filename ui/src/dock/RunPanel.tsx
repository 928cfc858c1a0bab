import { Fragment, type ReactNode, useEffect, useState } from "react";
import type { RunSession } from "@/run/live/session";
import { useWorkspace } from "@/workspace/context";
import { useActiveSession } from "@/workspace/run-hooks";

/**
 * A panel of the active run: `children`, created again for each session, or `none` without a run. The children of a run
 * that has just started are drawn in a later frame, so that the click on Run is answered first.
 */
export function RunPanel({ none, children }: { none: ReactNode; children: (session: RunSession) => ReactNode }) {
  const session = useActiveSession();
  const number = useNumberOf(session);
  const painted = useValueAfterPaint(session);
  if (!session) return none;
  const isNew = session.log.entries.length === 0;
  if (isNew && painted !== session) return painted === undefined ? none : null;
  return <Fragment key={number}>{children(session)}</Fragment>;
}

/** Another number for each session in turn, also for those of one run: a recorded program's is shown anew when its draft changes. */
function useNumberOf(session: RunSession | undefined): number {
  const [last, setLast] = useState({ session, number: 0 });
  if (last.session === session) return last.number;
  setLast({ session, number: last.number + 1 });
  return last.number + 1;
}

/** The value that there was when the last frame was painted, or when the component was mounted. */
function useValueAfterPaint<T>(value: T): T {
  const { activeRun } = useWorkspace();
  const [painted, setPainted] = useState(value);
  useEffect(() => {
    if (painted === value) return;
    let after: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      after = setTimeout(() => activeRun.renderLarge(setPainted, () => setPainted(value)));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(after);
    };
  }, [activeRun, value, painted]);
  return painted;
}
