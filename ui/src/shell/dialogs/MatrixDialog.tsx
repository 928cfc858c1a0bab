import { Fragment, useState } from "react";
import { useStore } from "zustand";
import type { MatrixRow, RunMatrix } from "@/bindings";
import { Switch } from "@/design/controls/Switch";
import { Dialog, DialogButtons, DialogText, DialogTitle } from "@/design/dialogs/Dialog";
import { formatCount, formatDuration } from "@/run/values/format";
import { formatRunCost } from "@/run/values/run-totals";
import { TEXTS } from "@/shell/texts";
import { useWorkspace } from "@/workspace/context";

/** What varies between many runs of a flow: a row for each output, a column for each run, a letter for each different value. */
export function MatrixDialog() {
  const { matrices } = useWorkspace();
  const { request, settle } = useStore(matrices.store);
  return (
    <Dialog
      open={request !== undefined}
      onClose={() => settle()}
      testId="matrix-dialog"
      className="flex max-h-[86vh] w-[860px] flex-col"
    >
      {request ? <Matrix matrix={request} onDone={() => settle()} /> : null}
    </Dialog>
  );
}

function Matrix({ matrix: { runs, rows }, onDone }: { matrix: RunMatrix; onDone: () => void }) {
  const workspace = useWorkspace();
  const varying = rows.filter(({ varies }) => varies);
  const [all, setAll] = useState(varying.length === 0);
  const shown = all ? rows : varying;
  const open = (run: string) => {
    onDone();
    void workspace.runs.open(run);
  };
  return (
    <>
      <div className="flex items-end gap-4 px-5 pt-4 pb-3">
        <div className="min-w-0 flex-1">
          <DialogTitle>{TEXTS.matrixTitle(runs.length)}</DialogTitle>
          <DialogText className="mt-1 text-fg-2 text-sm">{TEXTS.matrixHint}</DialogText>
        </div>
        <span className="flex shrink-0 items-center gap-2 text-sm">
          <Switch label={TEXTS.matrixAll(rows.length)} checked={all} onChange={setAll} />
          <span aria-hidden>{TEXTS.matrixAll(rows.length)}</span>
        </span>
      </div>
      <div className="min-h-0 flex-1 overflow-auto border-line border-t" data-testid="matrix">
        <table className="w-full text-sm tabular-nums">
          <thead className="sticky top-0 z-10 bg-bg-1 text-fg-2 text-xs">
            <tr>
              <th scope="col" className="border-line border-b py-1.5 pl-5 text-left font-normal">
                {TEXTS.matrixOutput}
              </th>
              {runs.map(({ run, tokens, cost, durationMs, status }, index) => (
                <th key={run} scope="col" className="border-line border-b px-1 py-1.5 font-normal last:pr-5">
                  <button
                    type="button"
                    className="rounded px-1.5 hover:bg-bg-3 hover:text-fg"
                    title={[
                      status,
                      durationMs === undefined ? "" : formatDuration(durationMs),
                      TEXTS.tokensOfRun(formatCount(tokens.input + tokens.output)),
                      formatRunCost(cost, false),
                    ]
                      .filter(Boolean)
                      .join(", ")}
                    aria-label={TEXTS.openRunNumber(index + 1)}
                    onClick={() => open(run)}
                  >
                    {index + 1}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <Row key={JSON.stringify([row.path, row.node, row.port])} row={row} />
            ))}
          </tbody>
        </table>
        {varying.length === 0 ? <p className="px-5 py-3 text-fg-2 text-sm">{TEXTS.nothingVaries}</p> : null}
      </div>
      <div className="border-line border-t px-5 py-3">
        <DialogButtons actions={[]} cancelLabel={TEXTS.close} onCancel={onDone} />
      </div>
    </>
  );
}

/** An output by run; its values below it when it is unfolded. */
function Row({ row: { path = [], node, port, values, cells, varies } }: { row: MatrixRow }) {
  const { nodeNames } = useWorkspace();
  const [isOpen, setOpen] = useState(false);
  // Only the nodes of the open flow have names here: those of sub-flows go by their ids.
  const names = [...path, node].map((id, depth) => (depth === 0 ? nodeNames.nameOf(id) : id));
  const name = [...names, port ?? TEXTS.matrixError].join(" › ");
  return (
    <Fragment>
      <tr className="hover:bg-bg-3/60">
        <th scope="row" className="max-w-[300px] py-1 pl-5 text-left font-normal">
          <button
            type="button"
            className={`block max-w-full truncate rounded text-left hover:text-accent ${varies ? "font-medium" : "text-fg-2"}`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {name}
          </button>
        </th>
        {cells.map((cell, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is a run
          <td key={index} className="px-1 text-center last:pr-5">
            {cell === null ? (
              <span className="text-fg-3">{TEXTS.notInRun}</span>
            ) : (
              <span
                className={`inline-block min-w-6 rounded px-1 text-xs ${cell === 0 ? "bg-bg-3 text-fg-2" : "bg-wait/15 font-semibold text-wait"}`}
                title={values[cell]}
              >
                {letter(cell)}
              </span>
            )}
          </td>
        ))}
      </tr>
      {isOpen ? (
        <tr>
          <td colSpan={cells.length + 1} className="px-5 pb-2">
            <ul className="flex flex-col gap-1">
              {values.map((value, place) => (
                <li key={value} className="flex gap-2 text-xs">
                  <b className="shrink-0 font-semibold">{letter(place)}</b>
                  <span className="shrink-0 text-fg-3">
                    {TEXTS.matrixCount(cells.filter((cell) => cell === place).length, cells.length)}
                  </span>
                  <span className="max-h-[120px] min-w-0 overflow-y-auto whitespace-pre-wrap break-words">{value}</span>
                </li>
              ))}
            </ul>
          </td>
        </tr>
      ) : null}
    </Fragment>
  );
}

/** `A` to `Z`, then numbers. */
function letter(place: number): string {
  return place < 26 ? String.fromCharCode(65 + place) : String(place + 1);
}
