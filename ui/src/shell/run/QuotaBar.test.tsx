import { cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it } from "vitest";
import { showRun } from "@/run/live/test-run";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { QuotaBar } from "./QuotaBar";

let workspace: Workspace;

beforeEach(() => {
  workspace = createTestWorkspace();
});
afterEach(cleanup);

const NONE = { tokens: 0, nanoUsd: 0 };

function quota(scope: string, limit: object, spent: object, reserved: object = NONE) {
  return { scope, limit, spent: { ...NONE, ...spent }, reserved: { ...NONE, ...reserved } };
}

function call(type: string, quotas: object[]) {
  return { type, node: "chat", epoch: [], step: 0, attempt: 1, amount: NONE, quotas };
}

it("shows nothing without a quota", () => {
  showRun(workspace.activeRun, []);
  renderInWorkspace(<QuotaBar />, { workspace });
  expect(screen.queryByTestId("quota-bar")).toBeNull();
});

it("shows the fullest quota with what is reserved, and all of them in words", () => {
  const day = quota("day", { nanoUsd: 2_000_000_000 }, { nanoUsd: 500_000_000 });
  const run = quota("run", { tokens: 1000 }, { tokens: 300 }, { tokens: 200 });
  showRun(workspace.activeRun, [call("quota.reserved", [day, run])]);
  renderInWorkspace(<QuotaBar />, { workspace });
  const bar = screen.getByTestId("quota-bar");
  expect(screen.getByRole("meter", { name: "Used of the quotas" }).getAttribute("value")).toBe("50");
  expect(bar.textContent).toContain("50 %of 1,000 tokens");
  expect(bar.title).toBe("Day: $0.5000 of $2.00\nRun: 300 of 1,000 tokens, 200 reserved");
});

it("follows what the calls did use", () => {
  const run = (spent: number, reserved: number) =>
    quota("run", { tokens: 1000 }, { tokens: spent }, { tokens: reserved });
  showRun(workspace.activeRun, [call("quota.reserved", [run(0, 900)]), call("quota.reconciled", [run(120, 0)])]);
  renderInWorkspace(<QuotaBar />, { workspace });
  expect(screen.getByTestId("quota-bar").textContent).toContain("12 %");
});
