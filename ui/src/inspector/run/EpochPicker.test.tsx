import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Entry } from "@/bindings";
import * as epochs from "@/run/fold/epoch";
import { showRun } from "@/run/live/test-run";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { EpochPicker } from "./EpochPicker";

let workspace: Workspace;

beforeEach(() => {
  workspace = createTestWorkspace();
});
afterEach(cleanup);

const ITERATIONS = Array.from({ length: 9 }, (_, round) => ({
  type: "node.started",
  node: "chat",
  epoch: [round],
  attempt: 1,
}));

it("lists the iterations while open and does not rebuild them for stream deltas", async () => {
  const session = showRun(workspace.activeRun, ITERATIONS);
  renderInWorkspace(<EpochPicker nodeId="chat" />, { workspace });
  const picker = screen.getByTestId("epoch-picker");
  const count = () => picker.querySelectorAll("option").length;
  expect(count()).toBe(1);
  fireEvent.focus(picker);
  expect(count()).toBe(10);

  const named = vi.spyOn(epochs, "formatIteration");
  const tell = (event: object) =>
    act(async () => {
      workspace.activeRun.publish(
        session,
        session.fold.apply([{ at: 0, node: "chat", epoch: [8], ...event } as Entry]),
      );
      await new Promise((resolve) => setTimeout(resolve, 100));
    });
  await tell({ type: "node.delta", text: "Hello" });
  expect(named.mock.calls.length).toBeLessThan(5);
  await tell({ seq: 9, type: "node.skipped", reason: "deadInput" });
  expect(picker.textContent).toContain("Iteration 9 · skipped");

  fireEvent.blur(picker);
  expect(count()).toBe(1);
});
