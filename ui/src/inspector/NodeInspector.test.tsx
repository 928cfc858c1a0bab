import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { NodeDescriptor } from "@/bindings";
import nodes from "@/bindings/nodes.json";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { NodeInspector } from "./NodeInspector";

afterEach(cleanup);

test.each([
  ["text", ["Config", "Input / Output"]],
  ["userInput", ["Config", "Input / Output", "Context"]],
  ["chat", ["Config", "Input / Output", "Prompt", "Context"]],
  ["note", ["Config"]],
])("a node of type %s has only tabs that it can fill", (type, tabs) => {
  const workspace = createTestWorkspace();
  workspace.nodeTypes.set(nodes as unknown as NodeDescriptor[]);
  workspace.editor.open(documentState({ ...EMPTY_FLOW, nodes: { n: { type } } }));
  renderInWorkspace(<NodeInspector nodeId="n" />, { workspace });
  expect(screen.getAllByRole("tab").map((tab) => tab.textContent)).toEqual(tabs);
});
