import { act, cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunSummary } from "@/bindings";
import { InputsOutputs } from "@/inspector/run/InputsOutputs";
import { RunRow } from "@/panels/runs/RunRow";
import { showRun } from "@/run/live/test-run";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { RunTotals } from "./RunTotals";

let workspace: Workspace;

beforeEach(() => {
  workspace = createTestWorkspace();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

describe("a run whose calls are in its sub-flows", () => {
  it("shows a lower bound in the top bar until their sums are known", () => {
    workspace = createTestWorkspace({ call: (() => new Promise(() => {})) as never });
    showRun(workspace.activeRun, [{ type: "child.started", node: "chat", epoch: [], run: "child" }]);
    renderInWorkspace(<RunTotals />, { workspace });
    expect(screen.getByTestId("run-tokens").textContent).toBe("≥ 0 tokens");
    expect(screen.getByTestId("run-cost").textContent).toBe("≥ $0");
  });

  it("shows what they have used so far while it runs", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    let output = 0;
    const call = async (name: string) => {
      if (name !== "runs.list") return {};
      output += 12;
      return [{ run: "child", tokens: { input: 30, output }, cost: { nanoUsd: 0 } }];
    };
    workspace = createTestWorkspace({ call: call as never });
    showRun(workspace.activeRun, [{ type: "child.started", node: "chat", epoch: [], run: "child" }]);
    renderInWorkspace(<RunTotals />, { workspace });
    expect((await screen.findByText("42 tokens")).dataset.testid).toBe("run-tokens");
    await act(() => vi.advanceTimersByTimeAsync(1000));
    expect(screen.getByTestId("run-tokens").textContent).toBe("54 tokens");
  });

  it("shows what they used once it has ended", async () => {
    const child = { run: "child", tokens: { input: 30, output: 12 }, cost: { nanoUsd: 2_000_000_000 } };
    workspace = createTestWorkspace({
      call: (async (name: string) => (name === "runs.list" ? [child] : {})) as never,
    });
    showRun(workspace.activeRun, [
      { type: "child.started", node: "chat", epoch: [], run: "child" },
      { type: "run.finished", outputs: {} },
    ]);
    renderInWorkspace(<RunTotals />, { workspace });
    expect((await screen.findByText("42 tokens")).dataset.testid).toBe("run-tokens");
    expect(screen.getByTestId("run-cost").textContent).toBe("$2.00");
  });

  it("shows the sum that the host lists", () => {
    const run = {
      run: "r",
      flowName: "",
      status: "finished",
      startedAt: 0,
      children: 1,
      tokens: { input: 40, output: 2 },
    };
    const rest = { nodes: { done: 1, failed: 0, skipped: 0 }, cost: { nanoUsd: 1_000_000_000 } };
    renderInWorkspace(<RunRow run={{ ...run, ...rest } as RunSummary} now={0} />, { workspace });
    expect(screen.getByTestId("run-row-r").textContent).toContain("Finished · 42 tokens · $1.00");
  });
});

it("counts no time after the last event of a run whose process died", () => {
  const session = showRun(workspace.activeRun, [
    { type: "run.started", run: "run", flow: { name: "", hash: "" } },
    { type: "node.started", node: "chat", epoch: [], attempt: 1, at: 5_000 },
  ]);
  session.interrupted = true;
  renderInWorkspace(<RunTotals />, { workspace });
  expect(screen.getByTestId("run-elapsed").textContent).toBe("5.0 s");
});

describe("a run whose only call failed", () => {
  it("has no known cost where the call may be on the bill", () => {
    showRun(workspace.activeRun, [
      { type: "node.ready", node: "chat", epoch: [] },
      {
        type: "model.failed",
        node: "chat",
        epoch: [],
        step: 0,
        contextId: "main",
        model: "openai/m",
        code: "provider.cut_short",
      },
    ]);
    renderInWorkspace(<RunTotals />, { workspace });
    expect(screen.getByTestId("run-cost").textContent).toBe("—");
  });
});

describe("a node with several iterations", () => {
  it("shows their total usage", () => {
    const iteration = (epoch: number[], input: number) => [
      { type: "node.ready", node: "chat", epoch },
      { type: "model.replied", node: "chat", epoch, step: 0, ...reply(input) },
    ];
    const reply = (input: number) => ({
      reply: { text: "", usage: { input, output: 1 } },
      account: { contextId: "main", model: "m", costNanoUsd: 1_000_000_000 },
    });
    showRun(workspace.activeRun, [...iteration([0], 10), ...iteration([1], 20)]);
    renderInWorkspace(<InputsOutputs nodeId="chat" />, { workspace });
    expect(screen.getByTestId("io-state").textContent).toContain("20 tokens in");
    expect(screen.getByTestId("io-total").textContent).toBe("All 2 iterations: 30 tokens in, 2 out · $2.00");
  });
});
