import { act, cleanup, renderHook } from "@testing-library/react";
import { ReactFlowProvider } from "@xyflow/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { NO_NODE_TYPES } from "@/flow/node-types/node-types";
import { createTestWorkspace, renderInWorkspace, withWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { canvasNodes } from "./elements/elements";
import { Minimap } from "./overview/Minimap";
import { useElements } from "./useElements";

vi.mock("./elements/elements", async (load) => {
  const elements = await load<typeof import("./elements/elements")>();
  return { ...elements, canvasNodes: vi.fn(elements.canvasNodes) };
});

const nodes = { a: { type: "text" }, b: { type: "text" } };
const edges = { e: { source: "a", sourceOutput: "text", target: "b", targetInput: "x" } };

let workspace: Workspace;

beforeEach(() => {
  workspace = createTestWorkspace();
  workspace.editor.open(documentState({ ...EMPTY_FLOW, nodes, edges }));
});
afterEach(cleanup);

test("a selection change updates only the affected nodes", () => {
  const { result } = renderHook(useElements, withWorkspace({ workspace }));
  const before = result.current;
  vi.mocked(canvasNodes).mockClear();
  act(() => workspace.editor.selectOnly({ nodes: ["b"], edges: ["e"] }));
  const after = result.current;
  expect(canvasNodes).not.toHaveBeenCalled();
  expect(after.nodes.map((node) => node.selected)).toEqual([false, true]);
  expect(after.edges[0]?.selected).toBe(true);
  expect(after.nodes[0]).toBe(before.nodes[0]);
  act(() => workspace.editor.rename("a", "Other"));
  expect(result.current.nodes[0]?.data.node.title).toBe("Other");
  expect(result.current.nodes[1]).toBe(after.nodes[1]);
});

test("the minimap repaints on changes, but not for each step of a drag", async () => {
  const paint = vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null);
  const drawn = canvasNodes(
    NO_NODE_TYPES,
    { ...EMPTY_FLOW, nodes },
    workspace.editor.state.checked,
    workspace.editor.state.selection,
    new Map(),
  );
  const at = (x: number, dragging: boolean) => drawn.map((node) => ({ ...node, position: { x, y: 0 }, dragging }));
  const NO_FRAMES: [] = [];
  const map = (displayed: typeof drawn) => (
    <ReactFlowProvider initialWidth={100} initialHeight={100}>
      <Minimap nodes={displayed} frames={NO_FRAMES} />
    </ReactFlowProvider>
  );
  const frame = () => act(() => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined))));
  const { rerender } = renderInWorkspace(map(drawn), { workspace });
  await frame();
  const painted = paint.mock.calls.length;
  expect(painted).toBeGreaterThan(0);
  for (const x of [10, 20, 30]) {
    rerender(map(at(x, true)));
    await frame();
  }
  expect(paint.mock.calls.length).toBe(painted);
  rerender(map(at(30, false)));
  await frame();
  expect(paint.mock.calls.length).toBeGreaterThan(painted);
});
