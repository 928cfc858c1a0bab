import { useEffect, useState } from "react";
import { TEXTS } from "@/canvas/texts";
import { formatDuration } from "@/run/values/format";

/** A node that waits for its next try, and for how long still. */
export function Retrying({ attempt, until }: { attempt: number; until: number | undefined }) {
  const left = useSecondsTo(until);
  const when = left === 0 ? "" : ` in ${left < 60 ? `${left} s` : formatDuration(left * 1000)}`;
  return (
    <p className="status-line" data-tone="wait">
      {TEXTS.attemptFailedRetrying(attempt, when)}
    </p>
  );
}

/** Whole seconds that are left, counted down; none where it is not known until when. */
function useSecondsTo(until: number | undefined): number {
  const [now, setNow] = useState(Date.now);
  const left = until === undefined ? 0 : Math.max(0, Math.ceil((until - now) / 1000));
  const ticking = left > 0;
  useEffect(() => {
    if (!ticking) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [ticking]);
  return left;
}
