import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { NodeDescriptor } from "@/bindings";
import nodes from "@/bindings/nodes.json";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { COMMANDS } from "@/shell/commands";
import { useShortcuts } from "@/shell/shortcuts/useShortcuts";
import type { Command } from "@/workspace/commands/command";
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

test("commands chosen last come first until something is typed", async () => {
  const workspace = createTestWorkspace();
  const ran: string[] = [];
  const command = (id: string): Command => ({ id, title: `Do ${id}`, group: "Edit", run: () => ran.push(id) });
  renderInWorkspace(<CommandPalette />, { workspace, commands: ["one", "two", "three"].map(command) });
  for (const id of ["three", "two"]) {
    act(() => workspace.overlays.showPalette());
    fireEvent.click(screen.getByTestId(`command-${id}`));
    await waitFor(() => expect(ran).toContain(id));
  }
  act(() => workspace.overlays.showPalette());
  expect(listed()?.slice(0, 2)).toEqual(["command-recent-two", "command-recent-three"]);
  search("do t");
  expect(listed()).toEqual(["command-two", "command-three"]);
});

test("the search in a flow lists its nodes alone", () => {
  const workspace = createTestWorkspace();
  workspace.editor.open(documentState({ ...EMPTY_FLOW, nodes: { last: { type: "text", title: "Farewell" } } }));
  renderInWorkspace(<CommandPalette />, { workspace, commands: [...COMMANDS] });
  act(() => workspace.overlays.showNodeSearch());
  expect(listed()).toEqual(["command-go-last"]);
});

const host = {
  call: (async (name: string) =>
    name === "flow.recent"
      ? [
          { path: "/flows/tea.flow.json", name: "Tea time", openedAt: 1, missing: false },
          { path: "/flows/gone.flow.json", name: "Tea gone", openedAt: 1, missing: true },
        ]
      : name === "flow.examples"
        ? [{ id: "triage", title: "Support triage", description: "Sorts **mail**." }]
        : {}) as never,
};
const listed = () => [...document.querySelectorAll("[cmdk-item]")].map((item) => item.getAttribute("data-testid"));
const search = (text: string) => fireEvent.change(screen.getByTestId("menu-field"), { target: { value: text } });

test("the command palette finds flows opened lately and examples", async () => {
  const workspace = createTestWorkspace(host);
  renderInWorkspace(<CommandPalette />, { workspace });
  act(() => workspace.overlays.showPalette());
  await screen.findByTestId("command-example-triage");
  search("tea");
  expect(listed()).toEqual(["command-recent-/flows/tea.flow.json"]);
  search("triage");
  expect(listed()).toEqual(["command-example-triage"]);
});

test("node types come first for words that name one", async () => {
  const workspace = createTestWorkspace(host);
  workspace.nodeTypes.set(nodes as unknown as NodeDescriptor[]);
  const command = (id: string, title: string): Command => ({ id, title, group: "Edit", run: () => undefined });
  const commands = [command("wrap", "Loop around selection"), command("chat", "Chat settings")];
  renderInWorkspace(<CommandPalette />, { workspace, commands });
  act(() => workspace.overlays.showPalette());
  await screen.findByTestId("command-example-triage");
  search("loop");
  expect(listed()[0]).toBe("command-add-loop");
  expect(listed()).toContain("command-wrap");
  search("chat");
  expect(listed()[0]).toBe("command-add-chat");
  search("chat settings");
  expect(listed()[0]).toBe("command-chat");
});

function Window() {
  useShortcuts();
  return <CommandPalette />;
}

/** Presses keys one after the other, with no time in between for anything to be drawn. */
const press = (...keys: string[]) => {
  for (const key of keys) {
    const event = { key, bubbles: true, cancelable: true, ctrlKey: key === "k" };
    (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keydown", event));
  }
};

test("the command palette takes what is typed before its field has the focus", async () => {
  const fitView = vi.fn();
  const palette = COMMANDS.filter(({ id }) => id === "help.palette");
  const commands: Command[] = [...palette, { id: "fit", title: "Fit", group: "View", keys: ["F"], run: fitView }];
  renderInWorkspace(<Window />, { workspace: createTestWorkspace(host), commands });
  act(() => press("k", "f", "i", "x", "Backspace", "t"));
  const field = await screen.findByTestId<HTMLInputElement>("menu-field");
  await waitFor(() => expect(field.value).toBe("fit"));
  expect(listed()).toEqual(["command-fit"]);
  expect(fitView).not.toHaveBeenCalled();
});

test("Escape closes the command palette before its field has the focus", () => {
  const workspace = createTestWorkspace(host);
  const commands = COMMANDS.filter(({ id }) => id === "help.palette");
  renderInWorkspace(<Window />, { workspace, commands });
  act(() => press("k", "f", "Escape"));
  expect(screen.queryByTestId("command-palette")).toBeNull();
  expect(workspace.overlays.typeAhead.take()).toBe("");
});
