import { act, cleanup, renderHook } from "@testing-library/react";
import { ReactFlowProvider } from "@xyflow/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { rename, selectOnly } from "@/flow/actions";
import { documentState, EMPTY_FLOW, flowStore } from "@/flow/store";
import { renderInWorkspace } from "@/workspace/test-workspace";
import { canvasNodes } from "./elements";
import { Minimap } from "./Minimap";
import { useElements } from "./useElements";

vi.mock("./elements", async (load) => {
  const elements = await load<typeof import("./elements")>();
  return { ...elements, canvasNodes: vi.fn(elements.canvasNodes) };
});

const nodes = { a: { type: "text" }, b: { type: "text" } };
const edges = { e: { source: "a", sourceOutput: "text", target: "b", targetInput: "x" } };

beforeEach(() => flowStore.setState(documentState({ ...EMPTY_FLOW, nodes, edges }), true));
afterEach(cleanup);

test("a selection change updates only the affected nodes", () => {
  const { result } = renderHook(useElements);
  const before = result.current;
  vi.mocked(canvasNodes).mockClear();
  act(() => selectOnly({ nodes: ["b"], edges: ["e"] }));
  const after = result.current;
  expect(canvasNodes).not.toHaveBeenCalled();
  expect(after.nodes.map((node) => node.selected)).toEqual([false, true]);
  expect(after.edges[0]?.selected).toBe(true);
  expect(after.nodes[0]).toBe(before.nodes[0]);
  act(() => rename("a", "Other"));
  expect(result.current.nodes[0]?.data.node.title).toBe("Other");
  expect(result.current.nodes[1]).toBe(after.nodes[1]);
});

test("the minimap repaints on changes, but not for each step of a drag", async () => {
  const paint = vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null);
  const drawn = canvasNodes(
    { ...EMPTY_FLOW, nodes },
    flowStore.getState().checked,
    flowStore.getState().selection,
    new Map(),
  );
  const at = (x: number, dragging: boolean) => drawn.map((node) => ({ ...node, position: { x, y: 0 }, dragging }));
  const map = (displayed: typeof drawn) => (
    <ReactFlowProvider>
      <Minimap nodes={displayed} />
    </ReactFlowProvider>
  );
  const frame = () => act(() => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined))));
  const { rerender } = renderInWorkspace(map(drawn));
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
