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
  expect(shown).toContain("Iteration 2");
  expect(shown).toContain("They met.");
  expect(shown).toContain("Hm.");
  expect(shown).not.toContain("Hello.");
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
