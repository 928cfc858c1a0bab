import { cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import type { Breakpoint, Flow, FoundPlace, FoundRuns } from "@/bindings";
import { documentState } from "@/flow/document/flow-state";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { EarlierRuns } from "./EarlierRuns";

afterEach(cleanup);

const FLOW: Flow = { version: 1, name: "f", nodes: { judge: { type: "text" } }, edges: {}, layout: {} };
const AT: Breakpoint = { id: "judge:after", node: "judge", side: "after", when: "value.score < 0.5" };
const PLACE: FoundPlace = { run: "r1", point: { node: "judge", epoch: [2], attempt: 1, side: "after" } };
const FOUND: FoundRuns = {
  runs: 10_000,
  withoutNode: 0,
  stoppedRuns: 2,
  stops: 3,
  errors: 0,
  found: [
    { run: "r1", flowName: "f", startedAt: 0, stops: 2, places: [PLACE, PLACE] },
    { run: "r2", flowName: "f", startedAt: 0, stops: 1, places: [{ ...PLACE, run: "r2" }] },
  ],
  unreadableRuns: 0,
  unreadable: [],
};

function show(found: FoundRuns, path: string | undefined = "/flows/f.flow.json") {
  const call = vi.fn(async (name: string, _args?: unknown) => (name === "runs.find" ? found : {}));
  const workspace = createTestWorkspace({ call: call as never });
  workspace.editor.open({ ...documentState(FLOW), ...(path === "" ? {} : { path }) });
  renderInWorkspace(<EarlierRuns breakpoint={AT} />, { workspace });
  return { workspace, call };
}

const ask = () => userEvent.click(screen.getByRole("button", { name: "Ask earlier runs" }));

it("says how often the breakpoint would have stopped, and opens a run at the node", async () => {
  const { workspace, call } = show(FOUND);
  const open = vi.spyOn(workspace.runs, "open").mockResolvedValue();
  const reveal = vi.spyOn(workspace.canvas, "reveal").mockImplementation(() => {});
  await ask();
  await screen.findByText("Would have stopped 3 times in 2 of 10,000 runs.");
  expect(call).toHaveBeenCalledWith("runs.find", {
    node: "judge",
    side: "after",
    when: "value.score < 0.5",
    flowPath: "/flows/f.flow.json",
  });
  const rows = screen.getByRole("list", { name: "Earlier runs that would have stopped" }).querySelectorAll("button");
  expect([...rows].map((row) => row.lastElementChild?.textContent)).toEqual(["2 times", "once"]);
  await userEvent.click(rows[0] as HTMLElement);
  await waitFor(() => expect(reveal).toHaveBeenCalledWith({ node: "judge" }));
  expect(open).toHaveBeenCalledWith("r1");
  expect(workspace.epochChoice.of("judge")).toEqual([2]);
});

it("says what could not be asked", async () => {
  const error = { code: "switch.condition", message: "No such key: score." };
  show({ ...FOUND, errors: 1, firstError: { ...PLACE, error: error as never }, unreadableRuns: 1 });
  await ask();
  const status = await screen.findByText(/Would have stopped 3 times/);
  expect(status.textContent).toContain("could not be evaluated: No such key: score.");
  expect(status.textContent).toContain("1 run could not be read to its end.");
});

it("is not there for a flow without a file, which has no runs of its own", () => {
  show(FOUND, "");
  expect(screen.queryByRole("button")).toBeNull();
});
