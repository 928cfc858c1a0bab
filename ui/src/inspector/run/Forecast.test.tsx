import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { FlowForecast } from "@/bindings";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { createTestWorkspace, withWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { Prompt } from "./Prompt";

const FORECAST: FlowForecast = {
  nodes: [
    {
      node: "chat",
      provider: "p",
      model: "m",
      window: 1000,
      reserve: 100,
      outlook: { kind: "overflows", iteration: "9", fails: false, before: { iteration: "8", percent: 94 } },
      growth: 100,
      points: [
        { epoch: [0], tokens: 50, shares: [], sent: true },
        { epoch: [1], tokens: 150, shares: [] },
      ],
      reply: { tokens: 80, source: "measured" },
      executions: { atMost: 20, isExact: false },
      iterationLimit: 20,
    },
  ],
  cost: { atMostNanoUsd: 0, unknown: [] },
};

const call = vi.fn(async (_name: string, _args: unknown) => FORECAST as never);
let workspace: Workspace;
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  call.mockClear();
  workspace = createTestWorkspace({ call: call as never });
  workspace.editor.open(documentState({ ...EMPTY_FLOW, nodes: { chat: { type: "chat" } } }, { path: "/a.flow.json" }));
  stop = workspace.forecasts.follow();
});
afterEach(() => {
  stop();
  cleanup();
  vi.useRealTimers();
});

/** The check of the flow that is displayed has ended. */
async function checked(severity?: "error" | "warning") {
  const { flow, checked } = workspace.editor.state;
  const diagnostics = severity ? [{ code: "flow.empty", severity, message: "", pointer: "" } as never] : [];
  workspace.editor.store.setState({ checked: { ...checked, diagnostics }, checkedFlow: flow });
  await vi.advanceTimersByTimeAsync(1000);
}

it("shows the forecast of a node before it has run", async () => {
  await checked();
  expect(call).toHaveBeenCalledExactlyOnceWith("flow.forecast", {
    flow: workspace.editor.state.flow,
    path: "/a.flow.json",
  });
  render(<Prompt nodeId="chat" />, withWorkspace({ workspace }));
  const shown = screen.getByTestId("forecast").textContent;
  expect(shown).toContain("94 % at iteration 8, overflow near 9");
  expect(shown).toContain("100 tokens an iteration · limit 20");
  expect(shown).toContain("replies of 80 tokens (as measured)");
});

it("forecasts no flow with errors, and drops what it said before", async () => {
  await checked();
  workspace.editor.store.setState({ flow: { ...workspace.editor.state.flow } });
  await checked("error");
  expect(call).toHaveBeenCalledTimes(1);
  expect(workspace.forecasts.store.getState().forecast).toBeUndefined();
  workspace.editor.store.setState({ flow: { ...workspace.editor.state.flow } });
  await checked("warning");
  expect(call).toHaveBeenCalledTimes(2);
});

it("asks once for the same flow", async () => {
  await checked();
  workspace.editor.store.setState({ checkedFlow: undefined });
  await checked();
  expect(call).toHaveBeenCalledTimes(1);
});
