import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { useFlow } from "@/workspace/context";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { LimitsSection } from "./LimitsSection";

afterEach(cleanup);

function Limits() {
  const node = useFlow((state) => state.flow.nodes.n);
  return node ? <LimitsSection nodeId="n" node={node} findings={[]} readOnly={false} /> : null;
}

test("the limits stay open when the only limit is cleared", async () => {
  const workspace = createTestWorkspace();
  const nodes = { n: { type: "text", limits: { maxEpochs: 5 } } };
  workspace.editor.open(documentState({ ...EMPTY_FLOW, nodes }));
  renderInWorkspace(<Limits />, { workspace });
  const user = userEvent.setup();
  await user.clear(screen.getByLabelText(/^Max iterations/));
  expect(workspace.editor.state.flow.nodes.n).toEqual({ type: "text" });
  expect(document.querySelector("details")?.open).toBe(true);
});

test("the limits are collapsed when none is set", () => {
  const workspace = createTestWorkspace();
  workspace.editor.open(documentState({ ...EMPTY_FLOW, nodes: { n: { type: "text" } } }));
  renderInWorkspace(<Limits />, { workspace });
  expect(document.querySelector("details")?.open).toBe(false);
});
