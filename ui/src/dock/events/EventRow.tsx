import type { Entry } from "@/bindings";
import { formatIteration } from "@/run/fold/epoch";
import { formatClock } from "@/run/values/format";
import { useWorkspace } from "@/workspace/context";
import { familyOf, gistOf, isBad } from "./event-filter";

export const EVENT_ROW = 22;

type Props = {
  entry: Entry;
  /** Its number in the journal, from 1. */
  number: number;
  row: number;
  count: number;
  start: number;
  chosen: boolean;
  /** Whether the window shows the run as it was after the event. */
  isLookedAt: boolean;
  onChoose: () => void;
  onLookAt: () => void;
};

/** One event on one line. */
export function EventRow({ entry, number, row, count, start, chosen, isLookedAt, onChoose, onLookAt }: Props) {
  const workspace = useWorkspace();
  const iteration = "epoch" in entry ? formatIteration(entry.epoch) : "";
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keyboard, and moves the choice with the arrows.
    <div
      role="option"
      id={`event-${entry.seq}`}
      tabIndex={-1}
      aria-selected={chosen}
      aria-current={isLookedAt || undefined}
      aria-posinset={row + 1}
      aria-setsize={count}
      data-testid="event"
      data-seq={entry.seq}
      data-type={entry.type}
      data-family={familyOf(entry)}
      data-bad={isBad(entry) || undefined}
      title={formatClock(entry.at)}
      className="event-row absolute left-0 grid w-full grid-cols-[52px_72px_140px_minmax(70px,150px)_minmax(0,1fr)] items-center gap-2.5 px-2.5 hover:bg-bg-3/50 aria-selected:bg-bg-3 aria-[current]:shadow-[inset_3px_0_0_var(--info)]"
      style={{ top: row * EVENT_ROW, height: EVENT_ROW }}
      onClick={onChoose}
      onDoubleClick={onLookAt}
    >
      <span className="text-right text-fg-3 tabular-nums">{number}</span>
      <span className="text-right text-fg-3 tabular-nums">{offset(entry.at - start)}</span>
      <span className="truncate text-[color:var(--family)]">{entry.type}</span>
      <span className="truncate text-fg">
        {"node" in entry ? workspace.nodeNames.nameOf(entry.node) : ""}
        {iteration ? <span className="text-fg-3"> #{iteration}</span> : null}
      </span>
      <span className="truncate text-fg-2">{gistOf(entry)}</span>
    </div>
  );
}

/** `+1.234`, in seconds since the start. */
function offset(ms: number): string {
  return `+${(ms / 1000).toFixed(3)}`;
}
