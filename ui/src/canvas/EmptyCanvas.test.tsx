import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { EmptyCanvas } from "./EmptyCanvas";

afterEach(cleanup);

function hintWith(search: string[], quick: string[]): string | null {
  const workspace = createTestWorkspace();
  workspace.editor.open(documentState(EMPTY_FLOW));
  const command = { title: "", group: "View", run: () => undefined } as const;
  const commands = [
    { ...command, id: "view.searchNodes", keys: search },
    { ...command, id: "help.quick", keys: quick },
  ];
  renderInWorkspace(<EmptyCanvas />, { workspace, commands });
  return screen.getByTestId("empty-canvas-hint").textContent;
}

it.each([
  [["F2"], ["A"], "Press F2 to search node types or A to add a node. Drag from"],
  [["F2"], [], "Press F2 to search node types. Drag from"],
  [[], ["A"], "Press A to add a node. Drag from"],
  [[], [], "Drag from"],
])("names the keys %j and %j of its commands", (search, quick, hint) => {
  expect(hintWith(search, quick)?.trim().slice(0, hint.length)).toBe(hint);
});
