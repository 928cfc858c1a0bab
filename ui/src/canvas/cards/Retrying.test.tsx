import { act, cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { showRun } from "@/run/live/test-run";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { RunLines } from "./RunLines";

let workspace: Workspace;

beforeEach(() => {
  workspace = createTestWorkspace();
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"], now: 100_000 });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const here = { node: "chat", epoch: [], at: 100_000 };
const failedFor = (delayMs: number) =>
  showRun(workspace.activeRun, [
    { type: "node.started", ...here, attempt: 1 },
    { type: "node.retrying", ...here, attempt: 1, delayMs, error: { code: "x.y", message: "No." } },
  ]);

it("counts down to the next attempt", () => {
  failedFor(2_500);
  renderInWorkspace(<RunLines node="chat" />, { workspace });
  const says = (text: string) => expect(screen.getByText(text)).toBeDefined();
  says("Attempt 1 failed, retrying in 3 s");
  act(() => void vi.advanceTimersByTime(1000));
  says("Attempt 1 failed, retrying in 2 s");
  act(() => void vi.advanceTimersByTime(2000));
  says("Attempt 1 failed, retrying");
  expect(vi.getTimerCount()).toBe(0);
});

it("shows longer times in minutes", () => {
  failedFor(125_000);
  renderInWorkspace(<RunLines node="chat" />, { workspace });
  expect(screen.getByText("Attempt 1 failed, retrying in 2 m 05 s")).toBeDefined();
});
