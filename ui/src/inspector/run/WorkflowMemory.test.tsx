import { cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it } from "vitest";
import { showRun } from "@/run/live/test-run";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { WorkflowMemory } from "./WorkflowMemory";

let workspace: Workspace;

beforeEach(() => {
  workspace = createTestWorkspace();
});
afterEach(cleanup);

const turn = (label: string | undefined, text: string) => ({ ...(label && { label }), text, tokens: 2 });

it("shows summary, recent turns and iteration", () => {
  const change = {
    turns: [turn("Ada", "Hello."), turn(undefined, "Hm.")],
    summary: { text: "They met.", tokens: 3 },
    dropped: 1,
  };
  showRun(workspace.activeRun, [{ type: "memory.appended", node: "bob", epoch: [1], change }]);
  renderInWorkspace(<WorkflowMemory />, { workspace });
  const shown = screen.getByTestId("workflow-memory").textContent;
  expect(shown).toContain("So far in this run, iteration 2");
  expect(shown).toContain("They met.");
  expect(shown).toContain("Hm.");
  expect(shown).not.toContain("Hello.");
});

it("shows what the journal had when the chosen iteration ended, and says so", () => {
  const appended = (node: string, epoch: number, text: string) => ({
    type: "memory.appended",
    node,
    epoch: [epoch],
    change: { turns: [turn("Ada", text)] },
  });
  const finished = (node: string, epoch: number) => ({
    type: "node.finished",
    node,
    epoch: [epoch],
    outputs: {},
    metadata: { durationMs: 1 },
  });
  const events = [
    appended("ada", 0, "First."),
    finished("ada", 0),
    appended("bob", 0, "Second."),
    finished("bob", 0),
    appended("ada", 1, "Third."),
    finished("ada", 1),
    { type: "run.finished", outputs: {} },
  ];
  showRun(workspace.activeRun, events);
  const { rerender } = renderInWorkspace(<WorkflowMemory after={{ node: "bob", epoch: [0] }} />, { workspace });
  const shown = () => screen.getByTestId("workflow-memory").textContent;
  expect(shown()).toContain("After bob, iteration 1, changed since");
  expect(shown()).toContain("Second.");
  expect(shown()).not.toContain("Third.");
  rerender(<WorkflowMemory after={{ node: "ada", epoch: [1] }} />);
  expect(shown()).toContain("After ada, iteration 2");
  expect(shown()).not.toContain("changed since");
  expect(shown()).toContain("Third.");
  rerender(<WorkflowMemory />);
  expect(shown()).toContain("At the end of this run, iteration 2");
});

it("says why a summary is missing", () => {
  const error = { code: "memory.no_summary", message: "It replied with nothing." };
  const change = { turns: [turn("Ada", "Hello.")], error };
  showRun(workspace.activeRun, [{ type: "memory.appended", node: "bob", epoch: [], change }]);
  renderInWorkspace(<WorkflowMemory />, { workspace });
  expect(screen.getByTestId("workflow-memory").textContent).toContain("It replied with nothing.");
});

it("is absent in a run without a memory", () => {
  showRun(workspace.activeRun, []);
  renderInWorkspace(<WorkflowMemory />, { workspace });
  expect(screen.queryByTestId("workflow-memory")).toBeNull();
});
