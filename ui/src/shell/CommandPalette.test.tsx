import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { documentState, EMPTY_FLOW, flowStore } from "@/flow/store";
import { renderInWorkspace } from "@/workspace/test-workspace";
import { createWorkspace } from "@/workspace/workspace";
import { CommandPalette } from "./CommandPalette";

afterEach(cleanup);

test("the command palette finds every node of a large flow", () => {
  const nodes = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`n-${at}`, { type: "text" }]));
  flowStore.setState(documentState({ ...EMPTY_FLOW, nodes: { ...nodes, last: { type: "text", title: "Farewell" } } }));
  const workspace = createWorkspace();
  renderInWorkspace(<CommandPalette />, { workspace });
  act(() => workspace.overlays.showPalette());
  expect(screen.queryByTestId("command-go-last")).toBeNull();
  fireEvent.change(screen.getByTestId("menu-field"), { target: { value: "farewell" } });
  expect(screen.getByTestId("command-go-last").textContent).toContain("Farewell");
  expect(screen.queryByTestId("command-go-n-0")).toBeNull();
}, 20_000);
