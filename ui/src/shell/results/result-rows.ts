/** What the table of results shows: columns with their values, sorted and filtered rows. */
import type { Mark, ResultRow, ResultTable } from "@/bindings";
import { TEXTS } from "./texts";

export type Column = {
  id: string;
  label: string;
  kind: "state" | "name" | "input" | "output" | "number" | "grade";
  /** What it is sorted by; nothing stands last. */
  value: (row: ResultRow) => string | number | undefined;
};

export type Sorting = { column: string; isDown: boolean };

export type Shown = "all" | "failed" | "ungraded";

export function keyOf({ case: name, variant, repeat }: ResultRow): string {
  return JSON.stringify([name, variant, repeat]);
}

/** A row's name; of a dataset’s row, without that of the dataset if the table shows no other. */
export function nameOf(row: ResultRow, dataset: string | undefined): string {
  const variant = Object.entries(row.variant ?? {}).map(([key, value]) => `${key}=${textOf(value)}`);
  const name = dataset === undefined ? row.case : row.case.slice(dataset.length + 1);
  return [
    variant.length === 0 ? name : `${name} [${variant.join(", ")}]`,
    ...(row.repeat > 0 ? [TEXTS.run(row.repeat + 1)] : []),
  ].join(" · ");
}

/** A text as it is, anything else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
}

export function hasPassed(row: ResultRow): boolean | undefined {
  return row.result && row.result.failures.length === 0;
}

export function markText(mark: Mark): string {
  return mark === "pass" ? TEXTS.pass : mark === "fail" ? TEXTS.fail : String(mark);
}

/** The columns of a table, in order. */
export function columnsOf({ columns, outputs }: ResultTable, dataset: string | undefined): Column[] {
  return [
    { id: "state", label: TEXTS.state, kind: "state", value: (row) => stateOf(row) },
    { id: "row", label: TEXTS.row, kind: "name", value: (row) => nameOf(row, dataset) },
    { id: "grade", label: TEXTS.grade, kind: "grade", value: ({ grade }) => grade && rankOf(grade.mark) },
    ...columns.map(
      (name): Column => ({ id: `in:${name}`, label: name, kind: "input", value: (row) => cell(row.columns[name]) }),
    ),
    ...outputs.map(
      (name): Column => ({
        id: `out:${name}`,
        label: name,
        kind: "output",
        value: (row) => cell(row.result?.outputs?.[name]),
      }),
    ),
    {
      id: "tokens",
      label: TEXTS.tokens,
      kind: "number",
      value: ({ result }) => result && result.tokens.input + result.tokens.output,
    },
    { id: "cost", label: TEXTS.cost, kind: "number", value: ({ result }) => result?.cost.nanoUsd },
    { id: "time", label: TEXTS.time, kind: "number", value: ({ result }) => result?.durationMs },
  ];
}

/** Failed rows first. */
function stateOf(row: ResultRow): number | undefined {
  const passed = hasPassed(row);
  return passed === undefined ? undefined : passed ? 1 : 0;
}

/** Verdicts stand around numbers. */
function rankOf(mark: Mark): number {
  return mark === "fail" ? Number.NEGATIVE_INFINITY : mark === "pass" ? Number.POSITIVE_INFINITY : mark;
}

function cell(value: unknown): string | number | undefined {
  return typeof value === "number" ? value : textOf(value) || undefined;
}

const TEXT_ORDER = new Intl.Collator("en", { numeric: true });

/** The rows that are shown, as they are sorted; equal ones in the order of the suite. */
export function shownRows(
  rows: readonly ResultRow[],
  shown: Shown,
  sorting: Sorting | undefined,
  columns: readonly Column[],
): ResultRow[] {
  const found = rows.filter(
    (row) => shown === "all" || (shown === "failed" ? hasPassed(row) === false : row.result && !row.grade),
  );
  const column = columns.find(({ id }) => id === sorting?.column);
  if (column === undefined || sorting === undefined) return found;
  const direction = sorting.isDown ? -1 : 1;
  return found.sort((a, b) => {
    const [left, right] = [column.value(a), column.value(b)];
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
    return direction * compare(left, right);
  });
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === "number" && typeof b === "number") return a === b ? 0 : a < b ? -1 : 1;
  return TEXT_ORDER.compare(String(a), String(b));
}

/** The next sorting when the head of a column is pressed: up, down, as in the suite. */
export function nextSorting(before: Sorting | undefined, column: string): Sorting | undefined {
  if (before?.column !== column) return { column, isDown: false };
  return before.isDown ? undefined : { column, isDown: true };
}
