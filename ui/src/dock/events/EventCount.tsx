import { formatCount } from "@/run/values/format";
import { useEventCount } from "@/workspace/run-hooks";

/** How many events the shown run has. */
export function EventCount() {
  const count = useEventCount();
  return count === 0 ? null : <span className="text-fg-3 tabular-nums">{formatCount(count)}</span>;
}
