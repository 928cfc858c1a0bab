import { useEffect, useState } from "react";

/** Update interval of relative times, in milliseconds. */
const CLOCK_MS = 20_000;

/** The time, as often as “5 min. ago” has to change. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), CLOCK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
