import { expect, it } from "vitest";
import type { Mark, ResultRow, ResultTable } from "@/bindings";
import { columnsOf, nameOf, nextSorting, type Shown, shownRows } from "./result-rows";

function row(name: string, cells: Record<string, unknown>, failed?: boolean, mark?: Mark): ResultRow {
  const failures = failed ? [{ check: "contains", message: "no" }] : [];
  return {
    case: `cities/${name}`,
    repeat: 0,
    columns: cells,
    ...(failed === undefined
      ? {}
      : {
          result: {
            failures,
            outputs: { "out.value": name },
            tokens: { input: name.length, output: 0 },
            cost: { nanoUsd: 0 },
            durationMs: 1,
          },
        }),
    ...(mark === undefined ? {} : { grade: { mark, at: 0 } }),
  };
}

const TABLE: ResultTable = {
  columns: ["size"],
  outputs: ["out.value"],
  rows: [
    row("Rome", { size: 10 }, false, 3),
    row("Paris", { size: 9 }, true, "pass"),
    row("Bern", { size: 100 }, false, "fail"),
    row("Oslo", {}),
  ],
};

const COLUMNS = columnsOf(TABLE, "cities");

function names(shown: Shown, column?: string, isDown = false): string[] {
  const sorting = column === undefined ? undefined : { column, isDown };
  return shownRows(TABLE.rows, shown, sorting, COLUMNS).map((found) => nameOf(found, "cities"));
}

it("sorts by each column, with what has no value last", () => {
  expect(names("all")).toEqual(["Rome", "Paris", "Bern", "Oslo"]);
  expect(names("all", "row")).toEqual(["Bern", "Oslo", "Paris", "Rome"]);
  expect(names("all", "in:size")).toEqual(["Paris", "Rome", "Bern", "Oslo"]);
  expect(names("all", "in:size", true)).toEqual(["Bern", "Rome", "Paris", "Oslo"]);
  expect(names("all", "out:out.value")).toEqual(["Bern", "Paris", "Rome", "Oslo"]);
  expect(names("all", "tokens", true)).toEqual(["Paris", "Rome", "Bern", "Oslo"]);
  expect(names("all", "state")).toEqual(["Paris", "Rome", "Bern", "Oslo"]);
  expect(names("all", "grade")).toEqual(["Bern", "Rome", "Paris", "Oslo"]);
});

it("shows failed rows, and those that wait for a grade", () => {
  expect(names("failed")).toEqual(["Paris"]);
  expect(names("ungraded")).toEqual([]);
});

it("goes from up to down to the order of the suite", () => {
  const up = nextSorting(undefined, "row");
  const down = nextSorting(up, "row");
  expect([up, down, nextSorting(down, "row"), nextSorting(down, "cost")]).toEqual([
    { column: "row", isDown: false },
    { column: "row", isDown: true },
    undefined,
    { column: "cost", isDown: false },
  ]);
});
