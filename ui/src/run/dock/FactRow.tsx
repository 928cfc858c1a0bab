import { ChevronRight } from "lucide-react";
import { memo } from "react";
import type { Entry } from "@/bindings";
import { roundOf } from "../fold/epoch";
import { nameOf } from "../names";
import { formatClock } from "../values/format";
import { CopyButton, ValueView } from "../values/ValueView";
import { familyOf, gistOf, isBad } from "./fact-filter";

type Props = {
  entry: Entry;
  place: number;
  start: number;
  open: boolean;
  onToggle: (place: number) => void;
};

/** One fact on one line; unfolded, all of it. */
export const FactRow = memo(function FactRow({ entry, place, start, open, onToggle }: Props) {
  const round = "epoch" in entry ? roundOf(entry.epoch) : "";
  return (
    <div
      className="fact-row"
      data-testid="fact"
      data-seq={entry.seq}
      data-type={entry.type}
      data-family={familyOf(entry)}
      data-bad={isBad(entry) || undefined}
    >
      <button
        type="button"
        aria-expanded={open}
        className="grid h-6 w-full grid-cols-[14px_52px_76px_148px_minmax(80px,160px)_minmax(0,1fr)] items-center gap-2 px-2.5 text-left hover:bg-bg-3/50"
        title={formatClock(entry.at)}
        onClick={() => onToggle(place)}
      >
        <ChevronRight size={12} aria-hidden className={`text-fg-3 ${open ? "rotate-90" : ""}`} />
        <span className="text-right text-fg-3 tabular-nums">{entry.seq}</span>
        <span className="text-right text-fg-3 tabular-nums">{offset(entry.at - start)}</span>
        <span className="truncate text-[color:var(--family)]">{entry.type}</span>
        <span className="truncate text-fg">
          {"node" in entry ? nameOf(entry.node) : ""}
          {round ? <span className="text-fg-3"> #{round}</span> : null}
        </span>
        <span className="truncate text-fg-2">{gistOf(entry)}</span>
      </button>
      {open ? (
        <div className="relative border-line border-b bg-bg py-2 pr-9 pl-[30px]">
          <ValueView value={entry} label={`Fact ${entry.seq ?? ""}`} />
          <span className="absolute top-1.5 right-2">
            <CopyButton value={entry} label="Copy this fact as JSON" />
          </span>
        </div>
      ) : null}
    </div>
  );
});

/** `+1.234 s` since the start. */
function offset(ms: number): string {
  return `+${(ms / 1000).toFixed(3)}`;
}
