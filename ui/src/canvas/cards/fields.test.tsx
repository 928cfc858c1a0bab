import { cleanup, fireEvent, screen } from "@testing-library/react";
import { ReactFlowProvider } from "@xyflow/react";
import { type ComponentProps, createElement } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { CardTitle } from "./CardTitle";
import { CommentCard } from "./CommentCard";

const note = { type: "note", config: { text: "Plan" } };

let workspace: Workspace;

beforeEach(() => {
  workspace = createTestWorkspace();
  workspace.editor.open(documentState({ ...EMPTY_FLOW, nodes: { n: note } }));
  workspace.canvas.set({ renaming: "n" });
});
afterEach(cleanup);

/** The keys that reach the window while typing in the field; those with Ctrl are marked. */
function keysReaching(field: HTMLElement): string[] {
  const listener = vi.fn();
  document.addEventListener("keydown", listener);
  fireEvent.keyDown(field, { key: "s", ctrlKey: true });
  fireEvent.keyDown(field, { key: "Shift" });
  fireEvent.keyDown(field, { key: "Enter", ctrlKey: true });
  fireEvent.keyDown(field, { key: "Enter" });
  document.removeEventListener("keydown", listener);
  return listener.mock.calls.map(([event]) => `${event.ctrlKey ? "Ctrl+" : ""}${event.key}`);
}

describe("a field on a card", () => {
  it("keeps window shortcuts working while a comment is edited", () => {
    const props = { id: "n", data: { node: note }, selected: false } as unknown as ComponentProps<typeof CommentCard>;
    renderInWorkspace(<ReactFlowProvider>{createElement(CommentCard, props)}</ReactFlowProvider>, { workspace });
    expect(keysReaching(screen.getByTestId("comment-text-n"))).toEqual(["Ctrl+s", "Ctrl+Enter"]);
  });

  it("returns the focus to the comment on Escape", () => {
    const props = { id: "n", data: { node: note }, selected: false } as unknown as ComponentProps<typeof CommentCard>;
    renderInWorkspace(
      <div className="react-flow__node" tabIndex={-1} data-testid="around">
        <ReactFlowProvider>{createElement(CommentCard, props)}</ReactFlowProvider>
      </div>,
      { workspace },
    );
    fireEvent.keyDown(screen.getByTestId("comment-text-n"), { key: "Escape" });
    expect(document.activeElement).toBe(screen.getByTestId("around"));
    expect(workspace.canvas.state.renaming).toBeUndefined();
  });

  it("keeps window shortcuts working while a node is renamed", () => {
    renderInWorkspace(<CardTitle id="n" node={note} />, { workspace });
    expect(keysReaching(screen.getByTestId("rename-n"))).toEqual(["Ctrl+s", "Ctrl+Enter"]);
  });
});
