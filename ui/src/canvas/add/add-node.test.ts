import { expect, test } from "vitest";
import type { NodeDescriptor } from "@/bindings";
import nodes from "@/bindings/nodes.json";
import { createTestWorkspace } from "@/workspace/test-workspace";
import { addNodeOf } from "./add-node";

test("a new node opens on its config, whatever was looked at before", () => {
  const workspace = createTestWorkspace();
  workspace.nodeTypes.set(nodes as unknown as NodeDescriptor[]);
  workspace.layout.showInspectorTab("context");
  addNodeOf(workspace, "text");
  expect(workspace.layout.store.getState().inspectorTab).toBe("config");
});
