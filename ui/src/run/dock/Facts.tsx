import { useVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { Empty } from "@/look/Empty";
import { useFactCount, useShownSession } from "../live/shown";
import { nameOf } from "../names";
import { formatCount } from "../values/format";
import { FactRow } from "./FactRow";
import { FAMILIES, FactFilter } from "./fact-filter";

const ROW = 24;
const NEAR_END = 40;

/** The journal of the run, fact by fact. */
export function Facts() {
  const session = useShownSession();
  if (!session) {
    return (
      <Empty title="No run yet">
        <p>A run is a journal of facts. Everything the window shows of a run follows from what stands here.</p>
      </Empty>
    );
  }
  return <FactList key={session.run} />;
}

function FactList() {
  const session = useShownSession();
  const count = useFactCount();
  const [family, setFamily] = useState("");
  const [words, setWords] = useState("");
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [atEnd, setAtEnd] = useState(true);
  const scroller = useRef<HTMLDivElement>(null);
  const filter = useMemo(() => new FactFilter(family, words, nameOf), [family, words]);
  const entries = session?.log.entries ?? [];
  if (!filter.all) filter.read(entries);
  const shown = filter.all ? count : filter.places.length;
  const virtual = useVirtualizer({
    count: shown,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  const total = virtual.getTotalSize();
  useLayoutEffect(() => {
    const box = scroller.current;
    if (atEnd && box && total > 0) box.scrollTop = box.scrollHeight;
  }, [total, atEnd]);

  const toggle = (place: number) => {
    setOpened((before) => {
      const after = new Set(before);
      if (!after.delete(place)) after.add(place);
      return after;
    });
  };
  const start = session?.fold.head.startedAt ?? entries[0]?.at ?? 0;
  return (
    <section className="flex h-full min-h-0 flex-col" aria-label="Facts">
      <div className="flex h-9 shrink-0 items-center gap-2 border-line border-b px-3">
        <input
          type="search"
          className="h-[26px] w-56 rounded-md border border-line bg-bg px-2 text-sm"
          placeholder="Filter by type or node"
          aria-label="Filter facts by type or node"
          data-testid="facts-filter"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <select
          className="h-[26px] rounded-md border border-line bg-bg px-1.5 text-sm"
          aria-label="Only facts of one kind"
          data-testid="facts-family"
          value={family}
          onChange={(event) => setFamily(event.target.value)}
        >
          <option value="">all kinds</option>
          {FAMILIES.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <span className="ml-auto text-fg-3 text-xs tabular-nums" data-testid="facts-shown">
          {filter.all ? formatCount(count) : `${formatCount(shown)} of ${formatCount(count)}`}
        </span>
      </div>
      <div
        ref={scroller}
        className="min-h-0 flex-1 overflow-auto font-mono text-xs"
        data-testid="facts"
        onScroll={(event) => {
          const box = event.currentTarget;
          setAtEnd(box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END);
        }}
      >
        <ul className="relative" style={{ height: total }} aria-label="Facts of the run">
          {virtual.getVirtualItems().map((row) => {
            const place = filter.all ? row.index : filter.places[row.index];
            const entry = place === undefined ? undefined : entries[place];
            return place !== undefined && entry ? (
              <li
                key={row.key}
                data-index={row.index}
                ref={virtual.measureElement}
                className="absolute top-0 left-0 w-full"
                style={{ transform: `translateY(${row.start}px)` }}
              >
                <FactRow entry={entry} place={place} start={start} open={opened.has(place)} onToggle={toggle} />
              </li>
            ) : null;
          })}
        </ul>
      </div>
    </section>
  );
}
