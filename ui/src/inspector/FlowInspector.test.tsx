import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { FlowInspector } from "./FlowInspector";

afterEach(cleanup);

test("limits of a run are set in the flow, and removed with their field", async () => {
  const workspace = createTestWorkspace();
  workspace.editor.open(documentState({ ...EMPTY_FLOW, settings: { maxConcurrency: 2 } }));
  renderInWorkspace(<FlowInspector />, { workspace });
  const user = userEvent.setup();
  await user.type(screen.getByLabelText(/^Max model calls/), "5");
  await user.type(screen.getByLabelText(/^Max runs/), "7");
  expect(workspace.editor.state.flow.settings).toEqual({
    maxConcurrency: 2,
    limits: { maxModelCalls: 5, maxRuns: 7 },
  });
  await user.clear(screen.getByLabelText(/^Max model calls/));
  await user.clear(screen.getByLabelText(/^Max runs/));
  expect(workspace.editor.state.flow.settings).toEqual({ maxConcurrency: 2 });
});
