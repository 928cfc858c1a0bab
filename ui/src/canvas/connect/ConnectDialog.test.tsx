import { act, cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { NodeDescriptor } from "@/bindings";
import nodes from "@/bindings/nodes.json";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { ConnectDialog } from "./ConnectDialog";

const edge = { source: "start", sourceOutput: "context", target: "ask", targetInput: "context" };

let workspace: Workspace;

beforeEach(() => {
  workspace = createTestWorkspace();
  workspace.nodeTypes.set(nodes as unknown as NodeDescriptor[]);
  workspace.editor.open(
    documentState({
      ...EMPTY_FLOW,
      nodes: { start: { type: "contextStart" }, ask: { type: "userInput", title: "Ask" } },
      edges: { e: edge },
    }),
  );
  renderInWorkspace(<ConnectDialog />, { workspace });
  act(() => workspace.canvas.set({ connecting: "ask" }));
});
afterEach(cleanup);

const edges = () => Object.keys(workspace.editor.state.flow.edges);

test("Enter in the list of ports removes no edge, whatever was typed", async () => {
  await userEvent.type(screen.getByTestId("menu-field"), "context start{Enter}");
  expect(edges()).toEqual(["e"]);
});

test("an edge is removed in a list of its own", async () => {
  await userEvent.click(screen.getByTestId("connect-disconnect"));
  await userEvent.click(screen.getByTestId("disconnect-e"));
  expect(edges()).toEqual([]);
  expect(workspace.canvas.state.connecting).toBeUndefined();
});

test("a node that is named in the list of ports is connected to the first output", async () => {
  await userEvent.type(screen.getByTestId("menu-field"), "chat{Enter}");
  const { flow } = workspace.editor.state;
  expect(Object.values(flow.edges).map((one) => `${one.source} ${one.sourceOutput} ${one.target}`)).toEqual([
    "start context ask",
    "ask context chat",
  ]);
  expect(workspace.canvas.state.connecting).toBeUndefined();
});

test("a port comes before a node of the same name", async () => {
  await userEvent.type(screen.getByTestId("menu-field"), "context{Enter}");
  expect(await screen.findByText("Connect “context” to")).toBeTruthy();
});
