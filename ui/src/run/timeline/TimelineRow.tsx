import { type CSSProperties, memo, type PointerEvent } from "react";
import { reveal } from "@/canvas/reveal";
import { nodeType } from "@/flow/node-types";
import { contextShade } from "../context-shade";
import { indexOfEpoch } from "../fold/epoch";
import { chooseEpoch, chosenEpoch } from "../inspect/epoch-choice";
import { nameOf, typeOf } from "../names";
import { formatDuration } from "../values/format";
import type { TimelineRow } from "./rows";
import type { Pointed } from "./SpanDetails";
import type { TimeScale } from "./scale";
import { marksOf, type Span } from "./spans";

type Props = {
  row: TimelineRow;
  top: number;
  height: number;
  label: number;
  track: number;
  scale: TimeScale;
  now: number;
  /** What of the track is in view, in pixels. */
  from: number;
  to: number;
  onPoint: (pointed: Pointed | undefined) => void;
};

/** One node's row, or one tool's below it. */
export const TimelineRowView = memo(function TimelineRowView({
  row,
  top,
  height,
  label,
  track,
  scale,
  now,
  from,
  to,
  onPoint,
}: Props) {
  const name = row.tool ?? nameOf(row.node);
  const marks = marksOf(row.spans, (time) => scale.place(time) * track, now, from, to);
  const at = (event: PointerEvent): Span | undefined => {
    const index = (event.target as HTMLElement).dataset.mark;
    return index === undefined ? undefined : marks[Number(index)]?.span;
  };
  const look = (span: Span | undefined) => {
    reveal({ node: row.node });
    if (span) chooseEpoch(row.node, span.epoch);
  };
  return (
    <div
      className="group absolute left-0 hover:bg-bg-3/40"
      style={{ top, height, width: label + track }}
      data-testid={row.tool === undefined ? `timeline-row-${row.node}` : `timeline-tool-${row.node}-${row.tool}`}
    >
      <button
        type="button"
        className={`sticky left-0 z-10 float-left h-full truncate bg-bg-1 pr-2 text-left font-mono text-fg-2 text-xs group-hover:text-fg ${row.tool === undefined ? "pl-3.5" : "pl-6 text-fg-3"}`}
        style={{ width: label }}
        title={name}
        aria-label={describe(row, name, now)}
        onClick={() => look(undefined)}
        onKeyDown={(event) => step(event.key, row, look)}
      >
        {name}
      </button>
      {/* Pointer only: the label beside it does the same from the keyboard. */}
      <div
        className="relative h-full"
        style={{ marginLeft: label }}
        aria-hidden
        onPointerMove={(event) => {
          const span = at(event);
          onPoint(span && { x: event.clientX, y: event.clientY, node: row.node, tool: row.tool, span });
        }}
        onPointerDown={(event) => {
          const span = at(event);
          if (span) look(span);
        }}
      >
        {marks.map((mark, index) => (
          <i
            // biome-ignore lint/suspicious/noArrayIndexKey: marks have no identity but their place.
            key={index}
            data-mark={index}
            data-kind={mark.span.kind}
            data-open={mark.span.to === undefined || undefined}
            className="span-mark"
            style={{ left: mark.left, width: mark.width, "--span": colorOf(row, mark.span) } as CSSProperties}
          />
        ))}
      </div>
    </div>
  );
});

/** The strand's or the context's colour, as on the canvas; a wait and a failure have their own. */
function colorOf(row: TimelineRow, span: Span): string {
  if (span.kind === "failed") return "var(--bad)";
  if (span.kind === "wait") return "var(--wait)";
  if (span.kind === "delay") return "var(--fg-3)";
  if (row.tool !== undefined) return "var(--tools)";
  switch (nodeType(typeOf(row.node) ?? "")?.category) {
    case "tools":
      return "var(--tools)";
    case "people":
      return "var(--wait)";
    case "models":
      return contextShade(row.node);
    case "contexts":
      return "var(--ok)";
    case "data":
    case "control":
      return "var(--data)";
    default:
      return "var(--fg-3)";
  }
}

function describe(row: TimelineRow, name: string, now: number): string {
  const worked = row.spans.reduce((sum, span) => sum + (span.kind === "work" ? (span.to ?? now) - span.from : 0), 0);
  const times = row.spans.length;
  if (row.tool !== undefined)
    return `Tool ${name} of ${nameOf(row.node)}, called ${times} times, ${formatDuration(worked)}`;
  const rounds = row.view.epochs.length;
  return `${name}, ${row.view.state}, ${rounds} ${rounds === 1 ? "round" : "rounds"}, worked ${formatDuration(worked)}. Left and right choose a round.`;
}

/** From the keyboard: one round on, one round back. */
function step(key: string, row: TimelineRow, look: (span: Span | undefined) => void): void {
  if (key !== "ArrowLeft" && key !== "ArrowRight") return;
  const { epochs } = row.view;
  const chosen = indexOfEpoch(epochs, chosenEpoch(row.node) ?? row.view.epoch);
  const epoch = epochs[Math.min(epochs.length - 1, Math.max(0, chosen + (key === "ArrowLeft" ? -1 : 1)))];
  if (epoch) look({ kind: "work", from: 0, epoch: epoch.epoch });
}
