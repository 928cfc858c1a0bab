import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { documentState, EMPTY_FLOW } from "@/flow/flow-state";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { CommandPalette } from "./CommandPalette";

afterEach(cleanup);

test("the command palette finds every node of a large flow", () => {
  const workspace = createTestWorkspace();
  const nodes = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`n-${at}`, { type: "text" }]));
  workspace.editor.open(
    documentState({ ...EMPTY_FLOW, nodes: { ...nodes, last: { type: "text", title: "Farewell" } } }),
  );
  renderInWorkspace(<CommandPalette />, { workspace });
  act(() => workspace.overlays.showPalette());
  expect(screen.queryByTestId("command-go-last")).toBeNull();
  fireEvent.change(screen.getByTestId("menu-field"), { target: { value: "farewell" } });
  expect(screen.getByTestId("command-go-last").textContent).toContain("Farewell");
  expect(screen.queryByTestId("command-go-n-0")).toBeNull();
}, 20_000);
