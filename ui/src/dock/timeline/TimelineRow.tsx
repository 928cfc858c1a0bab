import { memo, type PointerEvent } from "react";
import type { Epoch } from "@/bindings";
import { containersAround } from "@/flow/containers/containers";
import { displayedFlow } from "@/flow/document/flow-state";
import { indexOfEpoch } from "@/run/fold/epoch";
import type { Standstill } from "@/run/live/event-log";
import type { PastRun } from "@/run/live/past-run";
import { formatDuration } from "@/run/values/format";
import { useFlow, useWorkspace } from "@/workspace/context";
import { type TimelineRow, workIn } from "./rows";
import type { Pointed } from "./SpanDetails";
import type { Span } from "./spans";
import { TEXTS } from "./texts";

type Props = {
  row: TimelineRow;
  top: number;
  height: number;
  label: number;
  track: number;
  /** The moment that is looked at, which the row's totals are of. */
  past: PastRun | undefined;
  /** When the whole run stood still, until the moment that is looked at. */
  standstills: readonly Standstill[];
  /** End of the open spans; undefined for rows without open spans. */
  now: number | undefined;
  /** The mark at a place of a row, in pixels from the beginning of the track. */
  spanAt: (row: TimelineRow, x: number) => Span | undefined;
  onPoint: (pointed: Pointed | undefined) => void;
};

/** One node's row, or one tool's below it: its name, and pointer events on its marks, which `Marks` draws. */
export const TimelineRowView = memo(function TimelineRowView({
  row,
  top,
  height,
  label,
  track,
  past,
  standstills,
  now,
  spanAt,
  onPoint,
}: Props) {
  const workspace = useWorkspace();
  const depth = useFlow((state) => Math.min(MAX_INSETS, containersAround(displayedFlow(state), row.node).length));
  const shown = past ? { ...row, view: past.fold.nodes.get(row.node) } : row;
  const name = row.tool ?? workspace.nodeNames.nameOf(row.node);
  const at = (event: PointerEvent) => spanAt(row, event.clientX - event.currentTarget.getBoundingClientRect().left);
  const look = (span: Span | undefined) => {
    workspace.canvas.reveal({ node: row.node });
    if (span) workspace.epochChoice.choose(row.node, span.epoch);
  };
  return (
    <div
      className="group absolute left-0 hover:bg-bg-3/40"
      style={{ top, height, width: label + track }}
      data-testid={row.tool === undefined ? `timeline-row-${row.node}` : `timeline-tool-${row.node}-${row.tool}`}
    >
      <button
        type="button"
        className={`sticky left-0 z-10 float-left h-full truncate bg-bg-1 pr-2 text-left font-mono text-fg-2 text-xs group-hover:text-fg ${row.tool === undefined ? "" : "text-fg-3"}`}
        style={{ width: label, paddingLeft: LABEL_INSET + LEVEL_INSET * (depth + (row.tool === undefined ? 0 : 1)) }}
        title={name}
        aria-label={describe(shown, name, workspace.nodeNames.nameOf(row.node), past?.at ?? now ?? 0, standstills)}
        onClick={() => look(undefined)}
        onKeyDown={(event) => step(event.key, shown, workspace.epochChoice.of(row.node), look)}
      >
        {name}
      </button>
      {/* Pointer only: the label does the same from the keyboard. */}
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
      />
    </div>
  );
});

/** The room left of a name, and how much more there is for each loop around its node, in pixels. */
const LABEL_INSET = 14;
const LEVEL_INSET = 10;
const MAX_INSETS = 5;

/** A row as it was; without a view, its node had not begun. */
type ShownRow = Omit<TimelineRow, "view"> & { view: TimelineRow["view"] | undefined };

function describe(
  { view, ...rest }: ShownRow,
  name: string,
  node: string,
  now: number,
  standstills: readonly Standstill[],
): string {
  if (!view) return TEXTS.notBegun(name);
  const row = { ...rest, view };
  const { times, ms } = workIn(row, now, standstills);
  if (row.tool !== undefined) return `Tool ${name} of ${node}, called ${times} times, ${formatDuration(ms)}`;
  const iterations = row.view.epochs.length;
  return `${name}, ${row.view.state}, ${iterations} ${iterations === 1 ? "iteration" : "iterations"}, worked ${formatDuration(ms)}. Use left and right to choose an iteration.`;
}

/** Arrow keys: the next or previous iteration. */
function step(
  key: string,
  { view }: ShownRow,
  choice: Epoch | undefined,
  look: (span: Span | undefined) => void,
): void {
  if (!view || (key !== "ArrowLeft" && key !== "ArrowRight")) return;
  const { epochs } = view;
  const chosen = indexOfEpoch(epochs, choice ?? view.epoch);
  const epoch = epochs[Math.min(epochs.length - 1, Math.max(0, chosen + (key === "ArrowLeft" ? -1 : 1)))];
  if (epoch) look({ kind: "work", from: 0, epoch: epoch.epoch });
}
