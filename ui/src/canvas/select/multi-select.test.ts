import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { createTestWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { focusNext } from "./keyboard-navigation";
import { selectFocused, toggleFocused } from "./multi-select";

const IDS = ["a", "b", "c"];

/** Puts a node into the page. */
function drawn(id: string): HTMLElement {
  const element = document.createElement("div");
  element.className = "react-flow__node";
  element.tabIndex = 0;
  element.dataset.id = id;
  element.addEventListener("focus", () => selectFocused(workspace, element));
  document.body.append(element);
  return element;
}

let workspace: Workspace;

beforeEach(() => {
  workspace = createTestWorkspace();
  document.body.replaceChildren();
  const nodes = Object.fromEntries(IDS.map((id) => [id, { type: "text" }]));
  workspace.editor.open(documentState({ ...EMPTY_FLOW, nodes }));
  const getNodes = () => IDS.map((id, at) => ({ id, position: { x: 100 * at, y: 0 } }));
  workspace.canvas.set({ instance: { getNodes, getViewport: () => ({ zoom: 1 }), setCenter: vi.fn() } as never });
});
afterEach(() => document.body.replaceChildren());

const focus = (id: string) => document.querySelector<HTMLElement>(`[data-id=${id}]`)?.focus();
const selected = () => [...workspace.editor.state.selection.nodes].sort().join("");

describe("keyboard navigation", () => {
  beforeEach(() => {
    for (const id of IDS) drawn(id);
  });

  it("selects the focused node", () => {
    for (const id of IDS) {
      focus(id);
      expect(selected()).toBe(id);
    }
  });

  it("keeps a multi-selection", () => {
    workspace.editor.selectOnly({ nodes: ["a", "b"] });
    focus("c");
    expect(selected()).toBe("ab");
  });

  it("adds nodes to the selection and removes them", () => {
    focus("a");
    toggleFocused(workspace);
    expect(selected()).toBe("a");
    focus("b");
    focus("c");
    expect(selected()).toBe("a");
    toggleFocused(workspace);
    expect(selected()).toBe("ac");
    focus("a");
    toggleFocused(workspace);
    focus("b");
    expect(selected()).toBe("c");
  });

  it("selects the focused node again after another selection", () => {
    focus("a");
    toggleFocused(workspace);
    workspace.editor.selectOnly({ nodes: ["b"] });
    focus("c");
    expect(selected()).toBe("c");
  });

  it("keeps a multi-selection when moving by position", async () => {
    focus("a");
    toggleFocused(workspace);
    focusNext(workspace, "right");
    await vi.waitFor(() => expect(document.activeElement?.getAttribute("data-id")).toBe("b"));
    focusNext(workspace, "right");
    await vi.waitFor(() => expect(document.activeElement?.getAttribute("data-id")).toBe("c"));
    expect(selected()).toBe("a");
  });
});

it("focuses a node that is rendered only when the view reaches it", async () => {
  drawn("a").focus();
  focusNext(workspace, "right");
  setTimeout(() => drawn("b"), 100);
  await vi.waitFor(() => expect(document.activeElement?.getAttribute("data-id")).toBe("b"));
});
