import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import type { Grade, ResultRow } from "@/bindings";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { ResultsDialog } from "./ResultsDialog";

afterEach(cleanup);

function row(number: number, more: Partial<ResultRow> = {}): ResultRow {
  return {
    case: `cities/${number}`,
    repeat: 0,
    dataset: "cities",
    columns: { city: `City ${number}` },
    result: {
      failures: number === 2 ? [{ check: "contains", message: "`tea` is missing." }] : [],
      outputs: { "out.value": `You said ${number}` },
      tokens: { input: 2, output: 1 },
      cost: { nanoUsd: 0 },
      durationMs: 3,
    },
    ...more,
  };
}

async function open(rows: ResultRow[]) {
  const graded: { mark?: unknown; note?: unknown; case: string }[] = [];
  const call = async (name: string, args: never) => {
    if (name === "suite.table") return { columns: ["city"], outputs: ["out.value"], rows };
    const { mark, note, case: of } = args as { mark?: Grade["mark"]; note?: string; case: string };
    graded.push({ case: of, mark, note });
    return mark === undefined ? null : { mark, note, at: 1 };
  };
  const workspace = createTestWorkspace({ call: call as never });
  renderInWorkspace(<ResultsDialog />, { workspace });
  act(() => void workspace.results.ask({ file: "/a.tests.yaml", dataset: "cities" }));
  await waitFor(() => expect(screen.getByTestId("results-dialog").textContent).toContain("passed"));
  return { graded, dialog: within(screen.getByTestId("results-dialog")) };
}

it("says what came of all rows", async () => {
  const notRun = row(3);
  delete notRun.result;
  const { dialog } = await open([row(1), row(2), notRun]);
  expect(dialog.getByText(/1 passed, 1 failed, 1 not run · 6 tokens/)).toBeDefined();
});

it("keeps a note that is written before the grade is given by its key", async () => {
  const { graded, dialog } = await open([row(1)]);
  dialog.getByTestId("results-table").focus();
  await userEvent.keyboard("{Home}");
  await userEvent.type(dialog.getByTestId("grade-note"), "wrong river");
  dialog.getByTestId("results-table").focus();
  await userEvent.keyboard("f");
  await waitFor(() => expect(graded.at(-1)).toEqual({ case: "cities/1", mark: "fail", note: "wrong river" }));
});

it("keeps a note that is written after the grade, and takes a grade back", async () => {
  const earlier = [{ grade: { mark: 2, note: "before", at: 0 }, result: row(1).result as never, hasSameOutputs: true }];
  const { graded, dialog } = await open([row(1, { earlier, grade: { mark: "fail", at: 0 } })]);
  // Rows have no size here, so that none is drawn: the grid is used by its keys.
  dialog.getByTestId("results-table").focus();
  await userEvent.keyboard("{Home}");
  expect(dialog.getByTestId("earlier-grade").textContent).toContain("2");
  await userEvent.keyboard("p");
  await waitFor(() => expect(graded).toEqual([{ case: "cities/1", mark: "pass", note: undefined }]));
  await userEvent.type(dialog.getByTestId("grade-note"), "well said");
  await userEvent.tab();
  await waitFor(() => expect(graded.at(-1)).toEqual({ case: "cities/1", mark: "pass", note: "well said" }));
  await userEvent.type(dialog.getByTestId("grade-number"), "4.5{Enter}");
  await waitFor(() => expect(graded.at(-1)).toEqual({ case: "cities/1", mark: 4.5, note: "well said" }));
  await userEvent.click(dialog.getByTestId("grade-clear"));
  await waitFor(() => expect(graded.at(-1)).toEqual({ case: "cities/1", mark: undefined, note: undefined }));
  expect(dialog.queryByTestId("grade-clear")).toBeNull();
});
