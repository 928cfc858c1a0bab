import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Flow } from "@/bindings";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { createTestWorkspace, withWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { useFitNewDocuments } from "./useFitNewDocuments";

const flow: Flow = { ...EMPTY_FLOW, nodes: { a: { type: "text" } }, layout: { a: { x: 0, y: 0 } } };
const MOVED = { x: 7, y: 8, zoom: 2 };

/** How wide the node is. */
let width = 100;
/** Where the canvas is. */
let viewport: { x: number; y: number; zoom: number };

/** Whether titles of tiles can be read. */
let isReadable = true;
let workspace: Workspace;

beforeEach(() => {
  workspace = createTestWorkspace();
  viewport = { x: 0, y: 0, zoom: 1 };
  const instance = {
    getNodes: () => [{ id: "a", position: { x: 0, y: 0 }, measured: { width, height: 50 } }],
    getViewport: () => viewport,
    setViewport: async (next: typeof viewport) => {
      viewport = next;
    },
  };
  workspace.canvas.set({ instance: instance as never });
  document.body.innerHTML = '<div class="canvas"></div>';
  workspace.editor.open(documentState(flow));
  renderHook(() => useFitNewDocuments(1, () => isReadable), withWorkspace({ workspace }));
});
afterEach(cleanup);

/** Does something, and lets the canvas follow. */
async function then(work: () => void): Promise<void> {
  act(work);
  await act(() => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined))));
}
const look = (run: string) => workspace.editor.viewFlow({ run, label: run, flow });

test("a document keeps its viewport and selection while a run is viewed", async () => {
  await then(() => workspace.editor.selectOnly({ nodes: ["a"] }));
  viewport = MOVED;
  await then(() => look("one"));
  expect(viewport).not.toEqual(MOVED);
  expect(workspace.editor.state.selection.nodes.size).toBe(0);
  await then(() => look("two"));
  await then(() => workspace.editor.leaveView());
  expect(viewport).toEqual(MOVED);
  expect([...workspace.editor.state.selection.nodes]).toEqual(["a"]);
});

test("a document opened behind a viewed run is fitted into view", async () => {
  await then(() => undefined);
  viewport = MOVED;
  await then(() => look("one"));
  await then(() => workspace.editor.open({ ...documentState(flow), viewing: workspace.editor.state.viewing }));
  await then(() => workspace.editor.leaveView());
  expect(viewport).not.toEqual(MOVED);
  expect(workspace.editor.state.selection.nodes.size).toBe(0);
});

test("a flow whose titles tiles would cut begins at its start, with cards", async () => {
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(0, 0, 1000, 500));
  const open = async () => {
    await then(() => workspace.editor.open(documentState(flow)));
    return viewport;
  };
  width = 1800;
  isReadable = true;
  const whole = await open();
  isReadable = false;
  const start = await open();
  width = 100;
  isReadable = true;
  vi.restoreAllMocks();
  expect(whole.zoom).toBeLessThan(0.6);
  expect(start.zoom).toBe(0.65);
  // Its left border is in view.
  expect(start.x).toBeGreaterThan(0);
});
