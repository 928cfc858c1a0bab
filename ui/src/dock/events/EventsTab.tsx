import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import type { Entry } from "@/bindings";
import { SearchField } from "@/design/controls/SearchField";
import { Select } from "@/design/controls/Select";
import { Empty } from "@/design/text/Empty";
import { formatCount } from "@/run/values/format";
import { useWorkspace } from "@/workspace/context";
import { useEventCount, usePastRun } from "@/workspace/run-hooks";
import { RunPanel } from "../RunPanel";
import { EventDetails } from "./EventDetails";
import { EVENT_ROW, EventRow } from "./EventRow";
import { EventFilter, FAMILIES } from "./event-filter";
import { TEXTS } from "./texts";
import { useFixedRows } from "./useFixedRows";

const FAMILY_OPTIONS = [{ id: "", label: TEXTS.allEvents }, ...FAMILIES.map((name) => ({ id: name, label: name }))];

/** The journal of the run, event by event. */
export function EventsTab() {
  return (
    <RunPanel
      none={
        <Empty title={TEXTS.noRunYet}>
          <p>{TEXTS.runFlowSeeEvents}</p>
        </Empty>
      }
    >
      {({ log, fold }) => <EventsOf entries={log.entries} start={fold.head.startedAt} />}
    </RunPanel>
  );
}

function EventsOf({ entries, start }: { entries: readonly Entry[]; start: number | undefined }) {
  const { activeRun, nodeNames } = useWorkspace();
  const past = usePastRun();
  const count = useEventCount();
  const [family, setFamily] = useState("");
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState<number>();
  const filter = useMemo(
    () => new EventFilter(family, words, (id) => nodeNames.nameOf(id)),
    [family, words, nodeNames],
  );
  if (!filter.all) filter.read(entries);
  const displayed = filter.all ? count : filter.places.length;
  const placeOf = (row: number) => (filter.all ? row : (filter.places[row] ?? row));
  const entry = chosen === undefined ? undefined : entries[chosen];
  const lookAt = (place: number) => activeRun.lookAt(place + 1);
  const choose = (place: number) => {
    setChosen(place);
    if (past) lookAt(place);
  };
  return (
    <section className="flex h-full min-h-0 flex-col" aria-label={TEXTS.events}>
      <div className="flex h-9 shrink-0 items-center gap-2 border-line border-b px-3">
        <SearchField
          small
          label={TEXTS.filterEventsByType}
          placeholder={TEXTS.filterByTypeNode}
          testId="events-filter"
          value={words}
          onChange={setWords}
        />
        <Select
          label={TEXTS.eventKind}
          testId="events-family"
          options={FAMILY_OPTIONS}
          value={family}
          onChange={setFamily}
        />
        <span className="ml-auto text-fg-3 text-xs tabular-nums" data-testid="events-shown">
          {filter.all ? formatCount(count) : `${formatCount(displayed)} of ${formatCount(count)}`}
        </span>
      </div>
      <div className="flex min-h-0 flex-1">
        <EventList
          key={`${family}/${words}`}
          count={displayed}
          entryAt={(row) => entries[placeOf(row)]}
          placeOf={placeOf}
          start={start ?? entries[0]?.at ?? 0}
          chosen={chosen}
          rowLookedAt={past && (filter.all ? past.count - 1 : filter.lastBefore(past.count))}
          onChoose={choose}
          onLookAt={lookAt}
        />
        {entry && chosen !== undefined ? (
          <EventDetails
            entry={entry}
            number={chosen + 1}
            onLookAt={() => lookAt(chosen)}
            onClose={() => setChosen(undefined)}
          />
        ) : null}
      </div>
    </section>
  );
}

type ListProps = {
  count: number;
  entryAt: (row: number) => Entry | undefined;
  placeOf: (row: number) => number;
  start: number;
  chosen: number | undefined;
  /** The row of the event after which the window shows the run, while that is in the past. */
  rowLookedAt: number | undefined;
  onChoose: (place: number) => void;
  onLookAt: (place: number) => void;
};

function EventList({ count, entryAt, placeOf, start, chosen, rowLookedAt, onChoose, onLookAt }: ListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useFixedRows(scroller, count, EVENT_ROW, rowLookedAt === undefined);
  const show = useRef(rows.show);
  show.current = rows.show;
  useEffect(() => {
    if (rowLookedAt !== undefined) show.current(rowLookedAt);
  }, [rowLookedAt]);
  const [row, setRow] = useState(0);
  const move = (event: KeyboardEvent) => {
    if (event.key === "Enter" && chosen !== undefined) onLookAt(chosen);
    const by = STEPS[event.key];
    if (by === undefined || count === 0) return;
    event.preventDefault();
    // Without a choice in this list it begins with the first row in view.
    const outside = by < 0 ? rows.last + 1 : rows.first - 1;
    const at = chosen !== undefined && placeOf(row) === chosen ? row : outside;
    const next = Math.min(count - 1, Math.max(0, at + by));
    setRow(next);
    rows.show(next);
    onChoose(placeOf(next));
  };
  const drawn = [];
  for (let index = rows.from; index < rows.to; index++) {
    const entry = entryAt(index);
    if (!entry) continue;
    const place = placeOf(index);
    drawn.push(
      <EventRow
        // Rows that leave one end come in at the other, so that scrolling makes and drops nothing.
        key={index % (rows.to - rows.from)}
        entry={entry}
        number={place + 1}
        row={index}
        count={count}
        start={start}
        chosen={place === chosen}
        isLookedAt={index === rowLookedAt}
        onChoose={() => {
          setRow(index);
          onChoose(place);
        }}
        onLookAt={() => onLookAt(place)}
      />,
    );
  }
  return (
    <div
      ref={scroller}
      role="listbox"
      tabIndex={0}
      aria-label={TEXTS.eventsRun}
      aria-activedescendant={chosen === undefined ? undefined : `event-${entryAt(row)?.seq}`}
      className="min-h-0 min-w-0 flex-1 overflow-auto font-mono text-xs"
      data-testid="events"
      onScroll={rows.onScroll}
      onKeyDown={move}
    >
      <div ref={rows.content} className="relative" style={{ height: rows.total }}>
        {drawn}
      </div>
    </div>
  );
}

const STEPS: Record<string, number> = {
  ArrowUp: -1,
  ArrowDown: 1,
  PageUp: -10,
  PageDown: 10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};
