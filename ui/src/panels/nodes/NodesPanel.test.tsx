import { act, cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { NodeDescriptor } from "@/bindings";
import nodes from "@/bindings/nodes.json";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { NodesPanel } from "./NodesPanel";

let workspace: Workspace;

beforeEach(() => {
  workspace = createTestWorkspace();
  workspace.canvas.register({
    reveal: () => undefined,
    focusNode: () => undefined,
    showDropTarget: () => undefined,
    addNode: (type) => workspace.editor.addNode({ type }, { x: 0, y: 0 }),
  });
  workspace.nodeTypes.set(nodes as unknown as NodeDescriptor[]);
  workspace.editor.open(documentState(EMPTY_FLOW));
  renderInWorkspace(<NodesPanel />, { workspace });
});
afterEach(cleanup);

const added = () => Object.keys(workspace.editor.state.flow.nodes);

test("a node type is added by a keyboard or screen reader click", async () => {
  const item = screen.getByTestId("palette-text");
  act(() => item.click());
  expect(added()).toEqual(["text"]);
  item.focus();
  await userEvent.keyboard("{Enter}");
  expect(added()).toEqual(["text", "text-2"]);
  await userEvent.keyboard(" ");
  expect(added()).toEqual(["text", "text-2", "text-3"]);
});

test("a single pointer click adds nothing, because it may start a drag", async () => {
  await userEvent.click(screen.getByTestId("palette-text"));
  expect(added()).toEqual([]);
  await userEvent.dblClick(screen.getByTestId("palette-text"));
  expect(added()).toEqual(["text"]);
});

test("the search is forgotten once a node was placed", async () => {
  const field = screen.getByTestId<HTMLInputElement>("palette-search");
  await userEvent.type(field, "template{Enter}");
  expect(added()).toHaveLength(1);
  expect(field.value).toBe("");
  expect(screen.getByTestId("palette-chat")).toBeDefined();
});
