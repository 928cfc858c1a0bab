import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp, Check, Circle, CircleAlert } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef } from "react";
import type { Mark, ResultRow } from "@/bindings";
import { formatCost, formatCount, formatDuration } from "@/run/values/format";
import { type Column, hasPassed, keyOf, markText, nameOf, type Sorting, textOf } from "./result-rows";
import { TEXTS } from "./texts";

/** The height of a row, in pixels. */
const ROW = 30;

/** The least width of a column, in pixels, and its part of the width that is left. */
const WIDTHS: Record<Column["kind"], readonly [least: number, part: number]> = {
  state: [40, 0],
  name: [64, 1],
  grade: [64, 0],
  input: [64, 2],
  output: [150, 5],
  number: [66, 0],
};

type Props = {
  columns: readonly Column[];
  rows: readonly ResultRow[];
  dataset: string | undefined;
  sorting: Sorting | undefined;
  onSort: (column: string) => void;
  /** The key of the row that is looked at. */
  chosen: string | undefined;
  onChoose: (key: string) => void;
  onGrade: (row: ResultRow, mark: Mark) => void;
};

/** Rows of results; only those in view are drawn. Arrow keys choose a row, P and F grade it. */
export function ResultsTable({ columns, rows, dataset, sorting, onSort, chosen, onChoose, onGrade }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
    // Behind the head.
    scrollPaddingStart: ROW,
  });
  const at = rows.findIndex((row) => keyOf(row) === chosen);
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at);
  }, [at, virtual]);
  const widths = columns.map(({ kind }) => WIDTHS[kind]);
  const template = widths
    .map(([least, part]) => (part === 0 ? `${least}px` : `minmax(${least}px, ${part}fr)`))
    .join(" ");
  const least = widths.reduce((sum, [width]) => sum + width, 0);
  const choose = (index: number) => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (row) onChoose(keyOf(row));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const row = rows[at];
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    const mark = ({ p: "pass", f: "fail" } as const)[event.key.toLowerCase()];
    if (step !== undefined) choose(at + step);
    else if (event.key === "Home") choose(0);
    else if (event.key === "End") choose(rows.length - 1);
    else if (mark !== undefined && row?.result) onGrade(row, mark);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: only rows in view are drawn, so that a table would have the wrong size.
    <div
      ref={scroller}
      className="min-h-0 flex-1 overflow-auto text-xs tabular-nums focus-visible:-outline-offset-2"
      role="grid"
      aria-label={TEXTS.row}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      tabIndex={0}
      data-testid="results-table"
      onKeyDown={onKeyDown}
    >
      <div style={{ minWidth: least }}>
        {/* biome-ignore lint/a11y/useSemanticElements: as above. */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: its buttons can be focused. */}
        <div
          role="row"
          className="sticky top-0 z-10 grid border-line border-b bg-bg-1"
          style={{ gridTemplateColumns: template, height: ROW }}
        >
          {columns.map((column) => (
            <Head key={column.id} column={column} sorting={sorting} onSort={onSort} />
          ))}
        </div>
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            const isChosen = keyOf(row) === chosen;
            return (
              // biome-ignore lint/a11y/useSemanticElements: as above.
              // biome-ignore lint/a11y/useFocusableInteractive: the keys of the grid choose rows.
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the grid choose rows.
              <div
                key={keyOf(row)}
                role="row"
                aria-rowindex={item.index + 2}
                aria-selected={isChosen}
                data-testid={`result-${nameOf(row, dataset)}`}
                className={`absolute right-0 left-0 grid cursor-default items-center border-line/60 border-b ${isChosen ? "bg-accent-fill/15" : "hover:bg-bg-3/60"}`}
                style={{ gridTemplateColumns: template, height: ROW, top: item.start }}
                onClick={() => onChoose(keyOf(row))}
              >
                {columns.map((column) => (
                  // biome-ignore lint/a11y/useSemanticElements: as above.
                  // biome-ignore lint/a11y/useFocusableInteractive: the keys of the grid choose rows.
                  <div key={column.id} role="gridcell" className={`truncate px-2 ${alignment(column)}`}>
                    <Cell column={column} row={row} />
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

const alignment = ({ kind }: Column) => (kind === "number" ? "text-right" : kind === "state" ? "text-center" : "");

function Head({ column, sorting, onSort }: { column: Column } & Pick<Props, "sorting" | "onSort">) {
  const isSorted = sorting?.column === column.id;
  const Arrow = sorting?.isDown ? ArrowDown : ArrowUp;
  return (
    // biome-ignore lint/a11y/useSemanticElements: the head of a grid that draws only rows in view.
    // biome-ignore lint/a11y/useFocusableInteractive: its button can be focused.
    <div
      role="columnheader"
      aria-sort={isSorted ? (sorting.isDown ? "descending" : "ascending") : "none"}
      className="flex min-w-0"
    >
      <button
        type="button"
        className={`flex min-w-0 flex-1 items-center gap-1 px-2 text-fg-2 hover:text-fg focus-visible:-outline-offset-2 ${column.kind === "number" ? "justify-end" : column.kind === "state" ? "justify-center" : ""}`}
        title={column.label}
        aria-label={column.label}
        onClick={() => onSort(column.id)}
      >
        {column.kind === "state" ? <Check size={13} aria-hidden /> : <span className="truncate">{column.label}</span>}
        {isSorted ? <Arrow size={11} className="shrink-0" aria-hidden /> : null}
      </button>
    </div>
  );
}

function Cell({ column, row }: { column: Column; row: ResultRow }) {
  const { result, grade } = row;
  switch (column.id) {
    case "state":
      return <State row={row} />;
    case "row":
      return <b className="font-medium">{column.value(row)}</b>;
    case "tokens":
      return result ? formatCount(result.tokens.input + result.tokens.output) : null;
    case "cost":
      return result ? formatCost(result.cost) : null;
    case "time":
      return result ? formatDuration(result.durationMs) : null;
    case "grade":
      return grade ? (
        <span
          title={grade.note}
          className={grade.mark === "pass" ? "text-ok" : grade.mark === "fail" ? "text-bad" : "font-medium"}
        >
          {markText(grade.mark)}
          {grade.note === undefined ? "" : " ✎"}
        </span>
      ) : null;
    default:
      return (
        <span className={column.kind === "output" ? "" : "text-fg-2"}>{textOf(column.value(row)).slice(0, 400)}</span>
      );
  }
}

function State({ row }: { row: ResultRow }) {
  const passed = hasPassed(row);
  const [label, tone, Icon] =
    passed === undefined
      ? [TEXTS.notRun, "text-fg-3", Circle]
      : passed
        ? [TEXTS.passed, "text-ok", Check]
        : [TEXTS.failed, "text-bad", CircleAlert];
  return (
    <span role="img" aria-label={label} className={`inline-block align-middle ${tone}`}>
      <Icon size={14} strokeWidth={2.25} aria-hidden />
    </span>
  );
}
