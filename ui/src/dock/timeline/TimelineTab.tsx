import { useVirtualizer } from "@tanstack/react-virtual";
import { Maximize2, ZoomIn, ZoomOut } from "lucide-react";
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { IconButton } from "@/design/controls/Button";
import { Empty } from "@/design/text/Empty";
import type { Standstill } from "@/run/live/event-log";
import type { RunSession } from "@/run/live/session";
import { formatDuration } from "@/run/values/format";
import { useActiveSession, usePastRun } from "@/workspace/run-hooks";
import { RunPanel } from "../RunPanel";
import { useSize } from "../useSize";
import { Marks } from "./Marks";
import { isOpen, spansIn, type TimelineRow, timelineRows, timeRange } from "./rows";
import { type Pointed, SpanDetails } from "./SpanDetails";
import { TimeScale } from "./scale";
import { markAt, marksOf } from "./spans";
import { TimelineRowView } from "./TimelineRow";
import { TEXTS } from "./texts";
import { useTick } from "./useTick";

/** A row is a target to press: not less than 24 pixels high. */
const ROW = 24;
const LABEL = { full: 168, compact: 118 };
const TICK_PX = 110;
const MAX_ZOOM = 400;
/** The canvas is drawn this far beyond each edge, in pixels, to scroll without a redraw. */
const OVERSCAN_PX = 240;
/** Room to the right, so that the last span does not touch the edge. */
const MARGIN = 14;

/** When each node worked and waited. */
export function TimelineTab() {
  return (
    <RunPanel
      none={
        <Empty title={TEXTS.noRunYet}>
          <p>{TEXTS.runFlowSeeWhen}</p>
        </Empty>
      }
    >
      {() => <Timeline />}
    </RunPanel>
  );
}

/** One row per node and per tool, below one axis. */
export function Timeline({ compact = false }: { compact?: boolean }) {
  const session = useActiveSession();
  const past = usePastRun();
  const tick = useTick();
  const scroller = useRef<HTMLDivElement>(null);
  const { width } = useSize(scroller);
  const [zoom, setZoom] = useState(1);
  const [folded, setFolded] = useState(true);
  const [left, setLeft] = useState(0);
  const [pointed, setPointed] = useState<Pointed>();
  const label = compact ? LABEL.compact : LABEL.full;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the session is mutable; the tick says when it changed.
  const { rows, scale, now, standstills, stoppedMs } = useMemo(() => {
    // While the past is looked at, no time passes.
    const now = past?.at ?? Date.now();
    const range = session ? timeRange(session, now) : { start: 0, end: 1 };
    return {
      rows: session ? timelineRows(session) : [],
      scale: new TimeScale(range.start, range.end, idleTimes(session), folded),
      now: range.end,
      standstills: session?.log.standstills ?? NEVER,
      stoppedMs: stoppedUntil(session?.log.standstills ?? NEVER, range.end),
    };
  }, [session, past, tick, folded]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 4,
  });
  const view = Math.max(0, width - label - MARGIN);
  const track = view * zoom;
  const from = Math.max(0, left - OVERSCAN_PX);
  const to = Math.min(track + MARGIN, left + view + MARGIN + OVERSCAN_PX);
  const marksIn = (row: TimelineRow) =>
    marksOf(spansIn(row, standstills), (time) => scale.place(time) * track, now, from, to);
  // In the past, what came later did not stand still yet.
  const pastAt = past?.at;
  const known = useMemo(
    () => (pastAt === undefined ? standstills : standstills.filter(({ from }) => from < pastAt)),
    [standstills, pastAt],
  );
  const inView = virtual.getVirtualItems();
  // A stable function, so that scrolling re-renders no row.
  const latest = useRef(marksIn);
  latest.current = marksIn;
  const spanAt = useCallback((row: TimelineRow, x: number) => markAt(latest.current(row), x)?.span, []);
  useZoomByWheel(scroller, label, zoom, setZoom);
  const zoomBy = (factor: number) => setZoom((before) => Math.min(MAX_ZOOM, Math.max(1, before * factor)));

  return (
    <section className="flex h-full min-h-0 flex-col" aria-label={TEXTS.timeline}>
      {compact ? null : (
        <div className="flex h-9 shrink-0 items-center gap-1 border-line border-b px-3 text-fg-2 text-sm">
          <label className="mr-2 flex items-center gap-1.5">
            <input
              type="checkbox"
              className="accent-accent"
              checked={folded}
              onChange={(event) => setFolded(event.target.checked)}
            />
            {TEXTS.collapseWaitingTime}
          </label>
          <IconButton
            label={TEXTS.zoomOut}
            icon={<ZoomOut size={15} />}
            disabled={zoom <= 1}
            onClick={() => zoomBy(1 / 1.6)}
          />
          <IconButton
            label={TEXTS.zoomIn}
            icon={<ZoomIn size={15} />}
            disabled={zoom >= MAX_ZOOM}
            onClick={() => zoomBy(1.6)}
          />
          <IconButton
            label={TEXTS.fit}
            icon={<Maximize2 size={14} />}
            disabled={zoom === 1}
            onClick={() => setZoom(1)}
          />
          {stoppedMs > 0 ? (
            <span className="ml-auto tabular-nums" data-testid="timeline-stopped">
              {TEXTS.stopped(formatDuration(stoppedMs))}
            </span>
          ) : null}
        </div>
      )}
      <div
        ref={scroller}
        className="relative min-h-0 flex-1 overflow-auto"
        data-testid="timeline"
        onScroll={(event) => setLeft(event.currentTarget.scrollLeft)}
        onPointerLeave={() => setPointed(undefined)}
      >
        <Axis label={label} track={track} scale={scale} from={left} view={view} />
        <div className="relative" style={{ height: virtual.getTotalSize(), width: label + track + MARGIN }}>
          <Standstills
            standstills={standstills}
            place={(time) => scale.place(time) * track}
            now={now}
            {...{ label, from, to }}
          />
          {inView.map((item) => {
            const row = rows[item.index];
            return row ? (
              <TimelineRowView
                key={row.key}
                row={row}
                top={item.start}
                height={ROW}
                label={label}
                track={track}
                past={past}
                standstills={known}
                now={isOpen(row, standstills) ? now : undefined}
                spanAt={spanAt}
                onPoint={setPointed}
              />
            ) : null;
          })}
          <Marks
            rows={rows.slice(inView[0]?.index ?? 0, (inView.at(-1)?.index ?? -1) + 1)}
            top={inView[0]?.start ?? 0}
            height={ROW}
            label={label}
            from={from}
            to={to}
            marksIn={marksIn}
          />
          {past ? <Later left={label + scale.place(past.at) * track} width={track + MARGIN} /> : null}
        </div>
      </div>
      {pointed ? <SpanDetails pointed={pointed} now={now} /> : null}
    </section>
  );
}

const NEVER: readonly Standstill[] = [];

/** When nothing went on: the run waited for a person, or stood still. */
function idleTimes(session: RunSession | undefined): Standstill[] {
  const { waits, standstills } = session?.log ?? { waits: [], standstills: NEVER };
  return [...waits, ...standstills].sort((one, other) => one.from - other.from);
}

/** How long a run stood still until a moment. */
function stoppedUntil(standstills: readonly Standstill[], now: number): number {
  return standstills.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to ?? now, now) - from), 0);
}

/** Shades the times in which the whole run stood still. */
function Standstills({
  standstills,
  place,
  now,
  label,
  from,
  to,
}: {
  standstills: readonly Standstill[];
  place: (time: number) => number;
  now: number;
  label: number;
  from: number;
  to: number;
}) {
  const spans = standstills.map((still) => ({ ...still, kind: "stopped" as const, epoch: [] }));
  return marksOf(spans, place, now, from, to).map(({ left, width }) => (
    <div
      key={left}
      aria-hidden
      className="pointer-events-none absolute inset-y-0 bg-fg-3/10"
      style={{ left: label + left, width }}
      data-testid="timeline-standstill"
    />
  ));
}

/** Covers what came after the moment that is looked at. */
function Later({ left, width }: { left: number; width: number }) {
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute inset-y-0 border-info border-l bg-bg-1/65"
      style={{ left, width }}
      data-testid="timeline-later"
    />
  );
}

/** Times since the start, as many as there is room for. */
function Axis({
  label,
  track,
  scale,
  from,
  view,
}: {
  label: number;
  track: number;
  scale: TimeScale;
  from: number;
  view: number;
}) {
  const ticks: number[] = [];
  if (track > 0) {
    const first = Math.floor(from / TICK_PX) * TICK_PX;
    for (let x = first; x <= Math.min(track - TICK_PX / 2, from + view); x += TICK_PX) ticks.push(x);
  }
  return (
    <div className="sticky top-0 z-20 h-5 bg-bg-1" style={{ width: label + track + MARGIN }} aria-hidden>
      <div className="sticky left-0 z-10 float-left h-full bg-bg-1" style={{ width: label }} />
      {ticks.map((x) => (
        <span
          key={x}
          className="absolute top-0.5 border-line border-l pl-1 font-mono text-2xs text-fg-3 tabular-nums"
          style={{ left: label + x }}
        >
          {formatDuration(scale.time(x / track) - scale.start)}
        </span>
      ))}
    </div>
  );
}

/** Ctrl and the wheel zoom around the pointer. React's own wheel listeners are passive and could not keep the page still. */
function useZoomByWheel(
  scroller: RefObject<HTMLDivElement | null>,
  label: number,
  zoom: number,
  setZoom: (zoom: number) => void,
): void {
  const anchor = useRef<{ share: number; at: number } | undefined>(undefined);
  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const at = event.clientX - box.getBoundingClientRect().left - label;
      const track = (box.clientWidth - label - MARGIN) * zoom;
      anchor.current = { share: (box.scrollLeft + at) / track, at };
      setZoom(Math.min(MAX_ZOOM, Math.max(1, zoom * Math.exp(-event.deltaY / 300))));
    };
    box.addEventListener("wheel", onWheel, { passive: false });
    return () => box.removeEventListener("wheel", onWheel);
  }, [scroller, label, zoom, setZoom]);
  useEffect(() => {
    const box = scroller.current;
    if (!box || !anchor.current) return;
    const track = (box.clientWidth - label - MARGIN) * zoom;
    box.scrollLeft = anchor.current.share * track - anchor.current.at;
    anchor.current = undefined;
  }, [scroller, label, zoom]);
}
