import { afterEach, expect, test, vi } from "vitest";
import { createTestWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { inView, zoomBy } from "./view";

afterEach(() => vi.restoreAllMocks());

const SIZE = { width: 208, height: 80 };
const NODES = [
  { id: "beside", position: { x: 100, y: 100 }, measured: SIZE },
  { id: "below", position: { x: 700, y: 500 }, measured: SIZE },
];
const OUT_OF_VIEW = { id: "far", position: { x: 2000, y: 100 }, measured: SIZE };

/** A canvas of 1000 × 640 with these nodes and a control of this class over the one that is `below`. */
function canvasWith(nodes: typeof NODES, control: string): Workspace {
  const workspace = createTestWorkspace();
  const instance = { getNodes: () => nodes, getViewport: () => ({ x: 0, y: 0, zoom: 1 }) };
  workspace.canvas.set({ instance: instance as never });
  document.body.innerHTML = `<div class="canvas"><div class="react-flow__panel ${control}"></div></div>`;
  const place = (of: string, box: object) =>
    vi.spyOn(document.querySelector(of) as HTMLElement, "getBoundingClientRect").mockReturnValue(box as DOMRect);
  place(".canvas", { x: 0, y: 0, width: 1000, height: 640 });
  place(".react-flow__panel", { x: 740, y: 500, width: 140, height: 90 });
  return workspace;
}

/** Puts a part of the window over the canvas. */
function float(part: string, box: object): void {
  const floating = document.createElement("section");
  floating.dataset.floating = part;
  floating.getBoundingClientRect = () => box as DOMRect;
  document.body.append(floating);
}

test("a node in view below a control is not in view", () => {
  const workspace = canvasWith(NODES, "buttons");
  expect(inView(workspace, ["beside"])).toBe(true);
  expect(inView(workspace, ["below"])).toBe(false);
});

test.each([
  ["dock", { x: 0, y: 150, width: 1000, height: 490 }],
  ["right", { x: 250, y: 0, width: 750, height: 640 }],
])("a node below the floating %s is not in view", (part, box) => {
  const workspace = canvasWith(NODES, "buttons");
  float(part, box);
  expect(inView(workspace, ["beside"])).toBe(false);
});

test("the minimap covers nodes if a part of the flow is out of view, else it is not there", () => {
  expect(inView(canvasWith([...NODES, OUT_OF_VIEW], "minimap"), ["below"])).toBe(false);
  expect(inView(canvasWith(NODES, "minimap"), ["below"])).toBe(true);
});

test.each([
  ["a place", { x: 300, y: 200 }, { x: -75, y: -50 }],
  ["the middle of the view while the pointer is elsewhere", undefined, { x: -125, y: -80 }],
])("zoomBy zooms about %s", (_, about, corner) => {
  const workspace = canvasWith(NODES, "buttons");
  const { instance } = workspace.canvas;
  const setViewport = vi.fn();
  workspace.canvas.set({ instance: { ...instance, setViewport } as never });
  zoomBy(workspace, 1.25, about);
  expect(setViewport.mock.calls[0]?.[0]).toEqual({ ...corner, zoom: 1.25 });
});
