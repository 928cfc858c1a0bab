import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { documentState, EMPTY_FLOW, flowStore } from "@/flow/store";
import { hidePalette, showPalette } from "@/workbench/overlays";
import { CommandPalette } from "./CommandPalette";

afterEach(() => {
  act(hidePalette);
  cleanup();
});

test("the command palette finds every node of a large flow", () => {
  const nodes = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`n-${at}`, { type: "text" }]));
  flowStore.setState(documentState({ ...EMPTY_FLOW, nodes: { ...nodes, last: { type: "text", title: "Farewell" } } }));
  render(<CommandPalette />);
  act(() => showPalette());
  expect(screen.queryByTestId("command-go-last")).toBeNull();
  fireEvent.change(screen.getByTestId("menu-field"), { target: { value: "farewell" } });
  expect(screen.getByTestId("command-go-last").textContent).toContain("Farewell");
  expect(screen.queryByTestId("command-go-n-0")).toBeNull();
}, 20_000);
