import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { ReactFlowProvider } from "@xyflow/react";
import { type ComponentProps, createElement } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { documentState, EMPTY_FLOW, flowStore } from "@/flow/store";
import { CardTitle } from "./CardTitle";
import { canvasStore } from "./canvas-store";
import { NoteCard } from "./NoteCard";

const note = { type: "note", config: { text: "Plan" } };

beforeEach(() => {
  flowStore.setState(documentState({ ...EMPTY_FLOW, nodes: { n: note } }), true);
  canvasStore.setState({ renaming: "n" });
});
afterEach(cleanup);

/** The keys that reach the window while typing in the field. */
function keysReaching(field: HTMLElement): string[] {
  const listener = vi.fn();
  document.addEventListener("keydown", listener);
  for (const key of ["s", "Shift", "Enter"]) fireEvent.keyDown(field, { key, ctrlKey: key === "s" });
  document.removeEventListener("keydown", listener);
  return listener.mock.calls.map(([event]) => event.key);
}

describe("a field on a card", () => {
  it("keeps window shortcuts working while a note is edited", () => {
    const props = { id: "n", data: { node: note }, selected: false } as unknown as ComponentProps<typeof NoteCard>;
    render(<ReactFlowProvider>{createElement(NoteCard, props)}</ReactFlowProvider>);
    expect(keysReaching(screen.getByTestId("note-text-n"))).toEqual(["s"]);
  });

  it("returns the focus to the note on Escape", () => {
    const props = { id: "n", data: { node: note }, selected: false } as unknown as ComponentProps<typeof NoteCard>;
    render(
      <div className="react-flow__node" tabIndex={-1} data-testid="around">
        <ReactFlowProvider>{createElement(NoteCard, props)}</ReactFlowProvider>
      </div>,
    );
    fireEvent.keyDown(screen.getByTestId("note-text-n"), { key: "Escape" });
    expect(document.activeElement).toBe(screen.getByTestId("around"));
    expect(canvasStore.getState().renaming).toBeUndefined();
  });

  it("keeps window shortcuts working while a node is renamed", () => {
    render(<CardTitle id="n" node={note} />);
    expect(keysReaching(screen.getByTestId("rename-n"))).toEqual(["s"]);
  });
});
