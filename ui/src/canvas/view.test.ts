import { afterEach, expect, test, vi } from "vitest";
import { createTestWorkspace } from "@/workspace/test-workspace";
import { inView } from "./view";

afterEach(() => vi.restoreAllMocks());

test("a node in view below the minimap is not in view", () => {
  const workspace = createTestWorkspace();
  const measured = { width: 208, height: 80 };
  const nodes = [
    { id: "beside", position: { x: 100, y: 100 }, measured },
    { id: "below", position: { x: 700, y: 500 }, measured },
  ];
  const instance = { getNodes: () => nodes, getViewport: () => ({ x: 0, y: 0, zoom: 1 }) };
  workspace.canvas.set({ instance: instance as never });
  document.body.innerHTML = '<div class="canvas"><div class="react-flow__panel"></div></div>';
  const place = (of: string, box: object) =>
    vi.spyOn(document.querySelector(of) as HTMLElement, "getBoundingClientRect").mockReturnValue(box as DOMRect);
  place(".canvas", { x: 0, y: 0, width: 1000, height: 640 });
  place(".react-flow__panel", { x: 740, y: 500, width: 140, height: 90 });
  expect(inView(workspace, ["beside"])).toBe(true);
  expect(inView(workspace, ["below"])).toBe(false);
});
