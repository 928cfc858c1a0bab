import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { RunsPanel } from "./RunsPanel";

afterEach(cleanup);

it("lists the runs of this flow and shows when there are more", async () => {
  const requests: unknown[] = [];
  const rest = { status: "finished", startedAt: 0, children: 0, tokens: { input: 0, output: 0 }, cost: { nanoUsd: 0 } };
  const found = Array.from({ length: 3 }, (_, index) => ({
    ...{ run: `r${index}`, flowName: "Triage", path: "/a.flow.json", nodes: { done: 0, failed: 0, skipped: 0 } },
    ...rest,
  }));
  const call = async (name: string, args: { flowPath?: string; limit: number }) => {
    if (name !== "runs.list") return name === "usage.byDay" ? { days: [] } : [];
    requests.push(args.flowPath);
    return found.slice(0, args.limit);
  };
  const workspace = createTestWorkspace({ call: call as never });
  workspace.editor.open(documentState(EMPTY_FLOW, { path: "/a.flow.json" }));
  workspace.runList.store.setState({ limit: 2 });
  renderInWorkspace(<RunsPanel />, { workspace });
  expect((await screen.findByTestId("runs-cut")).textContent).toContain("Showing the latest 2 runs");
  await userEvent.type(screen.getByTestId("runs-search"), "r1");
  expect(screen.getByTestId("runs-cut").textContent).toContain("Searched the latest 2 runs");
  await userEvent.click(screen.getByRole("button", { name: "Show older" }));
  expect(screen.queryByTestId("runs-cut")).toBeNull();
  await userEvent.selectOptions(screen.getByTestId("runs-scope"), "flow");
  expect(requests.at(-1)).toBe("/a.flow.json");
});
