import { act, cleanup, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { MatrixRun, RunMatrix } from "@/bindings";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { MatrixDialog } from "./MatrixDialog";

const run = (id: string): MatrixRun => ({
  run: id,
  status: "finished",
  tokens: { input: 1, output: 2 },
  cost: { nanoUsd: 0 },
});

const MATRIX: RunMatrix = {
  runs: [run("r1"), run("r2"), run("r3")],
  rows: [
    { node: "topic", port: "text", values: ["tea"], cells: [0, 0, 0], varies: false },
    { node: "say", port: "response", values: ["Good.", "Bad."], cells: [0, 1, 0], varies: true },
    { path: ["say"], node: "ask", port: "text", values: ["Why?", "How?"], cells: [0, 0, 1], varies: true },
    { node: "send", values: ["It failed [x]"], cells: [null, 0, null], varies: true },
  ],
};

let workspace: Workspace;
beforeEach(() => {
  workspace = createTestWorkspace({});
  renderInWorkspace(<MatrixDialog />, { workspace });
  act(() => void workspace.matrices.ask(MATRIX));
});
afterEach(cleanup);

const rows = () => within(screen.getByTestId("matrix")).getAllByRole("rowheader");
const cellsOf = (row: HTMLElement) =>
  [...(row.closest("tr")?.querySelectorAll("td") ?? [])].map((cell) => cell.textContent);

test("shows what varies first, and everything on request", async () => {
  expect(rows().map((row) => row.textContent)).toEqual(["say › response", "say › ask › text", "send › error"]);
  expect(rows().map(cellsOf)).toEqual([
    ["A", "B", "A"],
    ["A", "A", "B"],
    ["–", "A", "–"],
  ]);
  await userEvent.click(screen.getByRole("switch", { name: "All 4 outputs" }));
  expect(rows()).toHaveLength(4);
});

test("unfolds the values of an output with how many runs have each", async () => {
  await userEvent.click(screen.getByRole("button", { name: "say › response" }));
  expect(screen.getAllByRole("listitem").map((item) => item.textContent)).toEqual(["A2 of 3Good.", "B1 of 3Bad."]);
});
