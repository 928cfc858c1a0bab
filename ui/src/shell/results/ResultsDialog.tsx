import { Download } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useStore } from "zustand";
import type { Mark, ResultRow, ResultTable } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { ChoiceBar } from "@/design/controls/ChoiceBar";
import { Dialog, DialogText, DialogTitle } from "@/design/dialogs/Dialog";
import { notify } from "@/design/dialogs/notify";
import { Empty } from "@/design/text/Empty";
import { HostError } from "@/ipc";
import { formatCost, formatCount } from "@/run/values/format";
import { useWorkspace } from "@/workspace/context";
import type { ShownResults } from "@/workspace/workspace";
import { ResultsTable } from "./ResultsTable";
import { RowDetails } from "./RowDetails";
import { columnsOf, hasPassed, keyOf, nextSorting, type Shown, type Sorting, shownRows } from "./result-rows";
import { TEXTS } from "./texts";

/** The results of a suite or of one of its datasets as a table: sorted, filtered, graded by hand, exported. */
export function ResultsDialog() {
  const { results } = useWorkspace();
  const { request, settle } = useStore(results.store);
  return (
    <Dialog
      open={request !== undefined}
      onClose={() => settle()}
      testId="results-dialog"
      className="flex h-[86vh] w-[1240px] flex-col"
    >
      {request ? <Results shown={request} onDone={() => settle()} /> : null}
    </Dialog>
  );
}

function Results({ shown, onDone }: { shown: ShownResults; onDone: () => void }) {
  const { file, dataset } = shown;
  const workspace = useWorkspace();
  const { table, grade } = useTable(shown, onDone);
  const [filter, setFilter] = useState<Shown>("all");
  const [sorting, setSorting] = useState<Sorting>();
  const [chosen, setChosen] = useState<string>();
  const columns = useMemo(() => (table ? columnsOf(table, dataset) : []), [table, dataset]);
  const rows = useMemo(
    () => (table ? shownRows(table.rows, filter, sorting, columns) : []),
    [table, filter, sorting, columns],
  );
  const row = table?.rows.find((one) => keyOf(one) === chosen);
  const openRun = (run: string) => {
    onDone();
    void workspace.runs.open(run);
  };
  const save = async () => {
    try {
      const { path } = await workspace.host.call("dialog.save", { suggested: `${dataset ?? "results"}.csv` });
      if (path === null) return;
      const count = await workspace.host.call("suite.export", { file, dataset, to: path });
      notify.done(TEXTS.exported(count, path));
    } catch (thrown) {
      notify.error(HostError.from(thrown));
    }
  };
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 pt-4 pb-3">
        <div className="min-w-0 flex-1">
          <DialogTitle className="truncate font-semibold text-lg">
            {TEXTS.title(dataset ?? file.split(/[\\/]/).at(-1) ?? file)}
          </DialogTitle>
          <DialogText className="text-fg-2 text-xs tabular-nums">{table ? summaryOf(table.rows) : ""}</DialogText>
        </div>
        <ChoiceBar
          label={TEXTS.show}
          options={[
            { id: "all", label: TEXTS.all },
            { id: "failed", label: TEXTS.failed },
            { id: "ungraded", label: TEXTS.ungraded },
          ]}
          value={filter}
          onChange={setFilter}
        />
        <Button data-testid="results-export" disabled={!table} onClick={() => void save()}>
          <Download size={14} aria-hidden />
          {TEXTS.export}
        </Button>
        <Button onClick={onDone}>{TEXTS.close}</Button>
      </div>
      <div className="flex min-h-0 flex-1 border-line border-t">
        <div className="flex min-w-0 flex-1 flex-col">
          {table === undefined ? (
            <Empty title={TEXTS.loading} />
          ) : rows.length === 0 ? (
            <Empty title={TEXTS.noRows} />
          ) : (
            <ResultsTable
              columns={columns}
              rows={rows}
              dataset={dataset}
              sorting={sorting}
              onSort={(column) => setSorting((before) => nextSorting(before, column))}
              chosen={chosen}
              onChoose={setChosen}
              onGrade={(graded, mark) => grade(graded, mark, graded.grade?.note)}
            />
          )}
        </div>
        <div className="flex w-[clamp(290px,28%,340px)] shrink-0 flex-col border-line border-l">
          {row ? (
            <RowDetails
              key={chosen}
              row={row}
              dataset={dataset}
              onGrade={(mark, note) => grade(row, mark, note)}
              onOpenRun={openRun}
            />
          ) : (
            <div className="p-4 text-fg-2 text-xs">
              <p>{TEXTS.choose}</p>
              <p className="mt-2 text-fg-3">{TEXTS.keys}</p>
            </div>
          )}
        </div>
      </div>
    </>
  );
}

/** The table, and giving grades: one after the other, so that the last one counts. */
function useTable({ file, dataset }: ShownResults, onFailed: () => void) {
  const { host } = useWorkspace();
  const [table, setTable] = useState<ResultTable>();
  const failed = useRef(onFailed);
  failed.current = onFailed;
  useEffect(() => {
    let isGone = false;
    host.call("suite.table", { file, dataset }).then(
      (read) => !isGone && setTable(read),
      (thrown) => {
        notify.error(HostError.from(thrown));
        failed.current();
      },
    );
    return () => {
      isGone = true;
    };
  }, [host, file, dataset]);
  const last = useRef<Promise<void>>(Promise.resolve());
  const grade = useCallback(
    (row: ResultRow, mark: Mark | undefined, note: string | undefined) => {
      last.current = last.current.then(async () => {
        try {
          const { case: name, variant, repeat } = row;
          const given = await host.call("suite.grade", { file, case: name, variant, repeat, mark, note });
          const key = keyOf(row);
          setTable(
            (before) =>
              before && {
                ...before,
                rows: before.rows.map((one) => (keyOf(one) === key ? { ...one, grade: given ?? undefined } : one)),
              },
          );
        } catch (thrown) {
          notify.error(HostError.from(thrown));
        }
      });
    },
    [host, file],
  );
  return { table, grade };
}

function summaryOf(rows: readonly ResultRow[]): string {
  const passed = rows.filter((row) => hasPassed(row) === true).length;
  const failed = rows.filter((row) => hasPassed(row) === false).length;
  const graded = rows.filter((row) => row.grade).length;
  const cost = { nanoUsd: 0, unpriced: 0 };
  let tokens = 0;
  for (const { result } of rows) {
    tokens += (result?.tokens.input ?? 0) + (result?.tokens.output ?? 0);
    cost.nanoUsd += result?.cost.nanoUsd ?? 0;
    cost.unpriced += result?.cost.unpriced ?? 0;
  }
  const sums = passed + failed === 0 ? [] : [`${formatCount(tokens)} tokens`, formatCost(cost)];
  return [TEXTS.summary(passed, failed, rows.length - passed - failed, graded), ...sums].join(" · ");
}
