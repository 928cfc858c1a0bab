import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { selectOnly } from "@/flow/actions";
import { documentState, EMPTY_FLOW, flowStore } from "@/flow/store";
import { canvasStore } from "./canvas-store";
import { walk } from "./keyboard-navigation";
import { gatherFocused, selectFocused } from "./multi-select";

const IDS = ["a", "b", "c"];

/** Puts a node into the page. */
function drawn(id: string): HTMLElement {
  const element = document.createElement("div");
  element.className = "react-flow__node";
  element.tabIndex = 0;
  element.dataset.id = id;
  element.addEventListener("focus", () => selectFocused(element));
  document.body.append(element);
  return element;
}

beforeEach(() => {
  document.body.replaceChildren();
  const nodes = Object.fromEntries(IDS.map((id) => [id, { type: "text" }]));
  flowStore.setState(documentState({ ...EMPTY_FLOW, nodes }), true);
  const getNodes = () => IDS.map((id, at) => ({ id, position: { x: 100 * at, y: 0 } }));
  canvasStore.setState({ instance: { getNodes, getViewport: () => ({ zoom: 1 }), setCenter: vi.fn() } as never });
});
afterEach(() => document.body.replaceChildren());

const focus = (id: string) => document.querySelector<HTMLElement>(`[data-id=${id}]`)?.focus();
const selected = () => [...flowStore.getState().selection.nodes].sort().join("");

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
    selectOnly({ nodes: ["a", "b"] });
    focus("c");
    expect(selected()).toBe("ab");
  });

  it("adds nodes to the selection and removes them", () => {
    focus("a");
    gatherFocused();
    expect(selected()).toBe("a");
    focus("b");
    focus("c");
    expect(selected()).toBe("a");
    gatherFocused();
    expect(selected()).toBe("ac");
    focus("a");
    gatherFocused();
    focus("b");
    expect(selected()).toBe("c");
  });

  it("selects the focused node again after another selection", () => {
    focus("a");
    gatherFocused();
    selectOnly({ nodes: ["b"] });
    focus("c");
    expect(selected()).toBe("c");
  });

  it("keeps a multi-selection when moving by position", async () => {
    focus("a");
    gatherFocused();
    walk("right");
    await vi.waitFor(() => expect(document.activeElement?.getAttribute("data-id")).toBe("b"));
    walk("right");
    await vi.waitFor(() => expect(document.activeElement?.getAttribute("data-id")).toBe("c"));
    expect(selected()).toBe("a");
  });
});

it("focuses a node that is rendered only when the view reaches it", async () => {
  drawn("a").focus();
  walk("right");
  setTimeout(() => drawn("b"), 100);
  await vi.waitFor(() => expect(document.activeElement?.getAttribute("data-id")).toBe("b"));
});
