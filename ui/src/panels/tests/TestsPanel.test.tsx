import { cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { TestsPanel } from "./TestsPanel";

afterEach(cleanup);

const FILE = "/a.tests.yaml";

function caseOf(name: string, mayBuy: boolean) {
  return { name, variant: {}, live: mayBuy, mayBuy, repeats: 1, checks: ["maxTokens"] };
}

function outcomeOf(name: string, failure?: string) {
  const failures = failure === undefined ? [] : [{ check: "contains", message: failure }];
  const result = { failures, tokens: { input: 0, output: 0 }, cost: { nanoUsd: 0 }, durationMs: 5 };
  const passed = failure === undefined;
  return { case: name, passed, rate: { passed: passed ? 1 : 0, runs: 1, low: 0, high: 1 }, results: [result] };
}

function open(cases: unknown[], replies: Record<string, unknown>) {
  const requests: { name: string; args: unknown }[] = [];
  const call = async (name: string, args: { case?: string }) => {
    requests.push({ name, args });
    if (name === "suite.find") return [FILE];
    if (name === "suite.open") return { file: FILE, flow: "/a.flow.json", cases };
    const reply = replies[name];
    return typeof reply === "function" ? reply(args) : (reply ?? []);
  };
  const workspace = createTestWorkspace({ call: call as never });
  workspace.editor.open(documentState(EMPTY_FLOW, { path: "/a.flow.json" }));
  renderInWorkspace(<TestsPanel />, { workspace });
  return { workspace, requests, of: (name: string) => requests.filter((request) => request.name === name) };
}

it("runs all cases and says why one failed", async () => {
  const { of } = open([caseOf("a", false), caseOf("b", false)], {
    "suite.run": ({ case: name }: { case: string }) =>
      outcomeOf(name, name === "b" ? "`tea` is not in “milk”." : undefined),
  });
  await userEvent.click(await screen.findByTestId("tests-run-all"));
  await waitFor(() => expect(screen.getByTestId("tests-summary").textContent).toBe("1 passed, 1 failed"));
  expect(screen.getByTestId("test-failures").textContent).toContain("tea is not in “milk”.");
  expect(of("suite.bill")).toEqual([]);
  expect(of("suite.forget").map(({ args }) => args)).toEqual([{ file: FILE, cases: ["a", "b"] }]);
});

it("asks before anything is bought, and runs nothing without a yes", async () => {
  const bill = { liveRuns: 1, judgments: 0, atMostNanoUsd: 40_000_000, hasUnknown: false, actsOutside: false };
  const { workspace, of } = open([caseOf("a", true)], { "suite.bill": bill, "suite.run": outcomeOf("a") });
  await userEvent.click(await screen.findByTestId("tests-run-all"));
  await waitFor(() => expect(workspace.questions.store.getState().question?.text).toContain("at most $0.0400"));
  workspace.questions.store.getState().settle();
  await waitFor(() => expect(of("suite.run")).toEqual([]));
  await userEvent.click(screen.getByTestId("tests-run-all"));
  await waitFor(() => expect(workspace.questions.store.getState().question).toBeDefined());
  workspace.questions.store.getState().settle("run");
  await waitFor(() => expect(of("suite.run")).toHaveLength(1));
});

it("shows a dataset as one item that leads to its results", async () => {
  const row = (number: number) => ({
    ...caseOf(`cities/${number}`, false),
    row: { dataset: "cities", number, columns: {} },
  });
  const { workspace, of } = open([caseOf("a", false), row(1), row(2), row(3)], {
    "suite.run": ({ case: name }: { case: string }) => outcomeOf(name, name === "cities/2" ? "no" : undefined),
  });
  const item = await screen.findByTestId("test-dataset-cities");
  expect(item.textContent).toContain("3 rows");
  expect(screen.getAllByTestId(/^test-case-/)).toHaveLength(1);
  await userEvent.click(screen.getByTestId("dataset-run"));
  await waitFor(() => expect(item.textContent).toContain("2 passed, 1 failed"));
  expect(of("suite.run").map(({ args }) => (args as { case: string }).case)).toEqual([
    "cities/1",
    "cities/2",
    "cities/3",
  ]);
  await userEvent.click(screen.getByTestId("dataset-results"));
  expect(workspace.results.store.getState().request).toEqual({ file: FILE, dataset: "cities" });
});
