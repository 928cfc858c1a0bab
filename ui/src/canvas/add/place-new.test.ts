import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Flow, NodeDescriptor, NodeId } from "@/bindings";
import nodes from "@/bindings/nodes.json";
import { duplicateSelection, pasteFromClipboard } from "@/canvas/commands/clipboard";
import { sizesOf } from "@/canvas/measure/boxes";
import { portY } from "@/canvas/measure/geometry";
import type { Box } from "@/flow/align/align";
import { cornerOf } from "@/flow/containers/containers";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { toText } from "@/flow/edits/clipboard";
import { createTestWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { addNodeFor, addNodeOf } from "./add-node";

const PANE = { x: 0, y: 0, left: 0, top: 0, width: 1000, height: 640 };

const TEXT_OUT = { end: { node: "n0", side: "out", port: "text" }, kind: "data", type: "text" } as never;

let workspace: Workspace;
let viewport: { x: number; y: number; zoom: number };

beforeEach(() => {
  workspace = createTestWorkspace();
  workspace.nodeTypes.set(nodes as unknown as NodeDescriptor[]);
  const instance = {
    getNodes: () => [],
    getViewport: () => viewport,
    setViewport: async (next: typeof viewport) => {
      viewport = next;
    },
    screenToFlowPosition: ({ x, y }: { x: number; y: number }) => ({
      x: (x - viewport.x) / viewport.zoom,
      y: (y - viewport.y) / viewport.zoom,
    }),
  };
  workspace.canvas.set({ instance: instance as never });
  document.body.innerHTML = '<div class="canvas"></div>';
  const canvas = document.querySelector(".canvas") as HTMLElement;
  vi.spyOn(canvas, "getBoundingClientRect").mockReturnValue(PANE as DOMRect);
});
afterEach(() => vi.restoreAllMocks());

const layout = fc.array(
  fc.record({
    type: fc.constantFrom("text", "chat", "note", "loop"),
    x: fc.integer({ min: -600, max: 1200 }),
    y: fc.integer({ min: -400, max: 800 }),
  }),
  { minLength: 1, maxLength: 14 },
);
const view = fc.record({
  x: fc.integer({ min: -400, max: 400 }),
  y: fc.integer({ min: -400, max: 400 }),
  zoom: fc.constantFrom(0.4, 1, 1.6),
});

function flowOf(placed: readonly { type: string; x: number; y: number }[]): Flow {
  return {
    ...EMPTY_FLOW,
    nodes: Object.fromEntries(placed.map(({ type }, at) => [`n${at}`, { type }])),
    layout: Object.fromEntries(placed.map(({ x, y }, at) => [`n${at}`, { x, y }])),
  };
}

function boxOf(id: NodeId): Box {
  const { flow } = workspace.editor.state;
  return { ...cornerOf(flow, id), ...sizesOf(workspace)(flow, id) };
}

function isOn(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function isInView(box: Box): boolean {
  const left = box.x * viewport.zoom + viewport.x;
  const top = box.y * viewport.zoom + viewport.y;
  return (
    left >= 0 &&
    top >= 0 &&
    left + box.width * viewport.zoom <= PANE.width &&
    top + box.height * viewport.zoom <= PANE.height
  );
}

/** Adds nodes in random layouts and views, and checks where they land. */
async function landsWell(add: () => unknown): Promise<void> {
  await fc.assert(
    fc.asyncProperty(layout, view, async (placed, from) => {
      viewport = from;
      workspace.editor.open(documentState(flowOf(placed)));
      const before = Object.keys(workspace.editor.state.flow.nodes);
      await add();
      const after = Object.keys(workspace.editor.state.flow.nodes);
      const added = after.filter((id) => !before.includes(id));
      expect(added.length).toBeGreaterThan(0);
      for (const id of added) {
        expect(before.filter((other) => isOn(boxOf(id), boxOf(other)))).toEqual([]);
        expect(isInView(boxOf(id))).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
}

test("a new node lands in view and on nothing", () => landsWell(() => addNodeOf(workspace, "chat")));

test("a new node at a chosen place lands in view and on nothing", () =>
  landsWell(() => addNodeOf(workspace, "loop", { x: 100, y: 100 })));

test("a quick-added node lands in view and on nothing", () =>
  landsWell(() =>
    addNodeFor(
      workspace,
      { end: { node: "n0", side: "out", port: "text" }, kind: "data", type: "text" } as never,
      "output",
      { x: 300, y: 200 },
    ),
  ));

test("duplicated nodes land in view and on nothing", () =>
  landsWell(() => {
    workspace.editor.selectOnly({ nodes: ["n0", "n1"] });
    duplicateSelection(workspace);
  }));

test("pasted nodes land in view and on nothing", () =>
  landsWell(() => {
    workspace.canvas.copiedText = toText(flowOf([{ type: "chat", x: 90, y: 40 }]), new Set(["n0"]), sizesOf(workspace));
    return pasteFromClipboard(workspace);
  }));

test("a node dropped by mouse stays where it was dropped", () => {
  viewport = { x: 0, y: 0, zoom: 1 };
  workspace.editor.open(documentState(flowOf([{ type: "text", x: 0, y: 0 }])));
  const id = addNodeOf(workspace, "text", { x: 150, y: 40 }, true) ?? "";
  const { x, width } = boxOf(id);
  expect(x + width / 2).toBe(150);
  expect(isOn(boxOf(id), boxOf("n0"))).toBe(true);
});

test("pasted nodes with more ports than their type keep their distance", async () => {
  viewport = { x: 0, y: 0, zoom: 1 };
  workspace.editor.open(documentState(flowOf([{ type: "text", x: 100, y: 260 }])));
  const tall = { width: 208, height: 240 };
  workspace.canvas.copiedText = toText(flowOf([{ type: "switch", x: 0, y: 0 }]), new Set(["n0"]), () => tall);
  workspace.canvas.pointer = { x: 204, y: 130 };
  await pasteFromClipboard(workspace);
  const [pasted] = Object.entries(workspace.editor.state.flow.layout).filter(([id]) => id !== "n0");
  expect(isOn({ ...boxOf("n0") }, { x: pasted?.[1].x ?? 0, y: pasted?.[1].y ?? 0, ...tall })).toBe(false);
});

test("a node for a loop whose body is out of view goes into the body, and the loop stays as it is", () => {
  const loop = { type: "loop" };
  const flow: Flow = {
    ...EMPTY_FLOW,
    nodes: { loop, inside: { type: "text", parent: "loop" } },
    layout: { loop: { x: 0, y: 0, width: 900, height: 600 }, inside: { x: 160, y: 80 } },
  };
  // Only a strip at the loop's left border is in view.
  viewport = { x: 960, y: 0, zoom: 1 };
  workspace.editor.open(documentState(flow));
  workspace.editor.selectOnly({ nodes: ["inside"] });
  duplicateSelection(workspace);
  const { layout: after, nodes: all } = workspace.editor.state.flow;
  expect(after.loop).toEqual(flow.layout.loop);
  const [copy] = Object.keys(all).filter((id) => all[id]?.parent === "loop" && id !== "inside");
  expect(after[copy ?? ""]?.x).toBeGreaterThanOrEqual(100);
  expect(isOn(boxOf(copy ?? ""), boxOf("inside"))).toBe(false);
});

function coverPane(covered: Box): void {
  document.body.innerHTML = '<div class="canvas"><div class="react-flow__panel"></div></div>';
  const [canvas, control] = [".canvas", ".react-flow__panel"].map((of) => document.querySelector(of) as HTMLElement);
  vi.spyOn(canvas as HTMLElement, "getBoundingClientRect").mockReturnValue(PANE as DOMRect);
  vi.spyOn(control as HTMLElement, "getBoundingClientRect").mockReturnValue(covered as DOMRect);
}

test("the view moves until no control covers a new node", () => {
  viewport = { x: 0, y: 0, zoom: 1 };
  const covered = { x: 440, y: 280, width: 140, height: 90 };
  coverPane(covered);
  workspace.editor.open(documentState(EMPTY_FLOW));
  const box = boxOf(addNodeOf(workspace, "text") ?? "");
  expect(isOn(box, covered)).toBe(true);
  expect(isOn({ ...box, x: box.x + viewport.x, y: box.y + viewport.y }, covered)).toBe(false);
  expect(isInView(box)).toBe(true);
});

test("a view that is moved for a new node shows it above the controls", () => {
  viewport = { x: 0, y: 0, zoom: 1 };
  coverPane({ x: 0, y: 535, width: 1000, height: 90 });
  // The view is full, and so is all around it but below.
  const full = Array.from({ length: 150 }, (_, at) => ({
    type: "text",
    x: (at % 10) * 215 - 600,
    y: Math.floor(at / 10) * 90 - 700,
  }));
  workspace.editor.open(documentState(flowOf(full)));
  const { y, height } = boxOf(addNodeOf(workspace, "text") ?? "");
  expect(viewport.y).not.toBe(0);
  expect((y + height) * viewport.zoom + viewport.y).toBeLessThanOrEqual(535);
});

test("a node that is connected by keyboard lands beside its source, and the view follows", () => {
  viewport = { x: 0, y: 0, zoom: 1 };
  workspace.editor.open(documentState(flowOf([{ type: "text", x: 700, y: 200 }])));
  const source = boxOf("n0");
  const wanted = { x: source.x + source.width + 90, y: source.y + portY(0) };
  const box = boxOf(addNodeFor(workspace, TEXT_OUT, "output", wanted, { follows: true }) ?? "");
  expect(box).toMatchObject({ x: wanted.x, y: source.y });
  expect(viewport.x).toBeLessThan(0);
  expect(isInView(box)).toBe(true);
});

test("a node for an edge dropped into a gap stays in it, however little room it has", () => {
  viewport = { x: 0, y: 0, zoom: 1 };
  const [above, below] = [80, 330].map((y) => ({ type: "text", x: 400, y }));
  workspace.editor.open(
    documentState(flowOf([{ type: "text", x: 0, y: 0 }, above, below].flatMap((one) => one ?? []))),
  );
  // A little too low for the gap of 20 that new nodes keep.
  const dropped = { x: 400, y: 240 + portY(0) };
  const box = boxOf(addNodeFor(workspace, TEXT_OUT, "output", dropped) ?? "");
  expect(box).toMatchObject({ x: 400, y: 330 - 20 - box.height });
});

test("a node that is connected by keyboard lands beside its source beyond the border of their loop", () => {
  viewport = { x: 0, y: 0, zoom: 1 };
  const flow: Flow = {
    ...EMPTY_FLOW,
    nodes: { loop: { type: "loop" }, n0: { type: "text", parent: "loop" } },
    layout: { loop: { x: 100, y: 100, width: 760, height: 460 }, n0: { x: 500, y: 120 } },
  };
  workspace.editor.open(documentState(flow));
  const { x, y, width } = boxOf("n0");
  const wanted = { x: x + width + 90, y: y + portY(0) };
  const added = addNodeFor(workspace, TEXT_OUT, "output", wanted, { loop: "loop", follows: true }) ?? "";
  expect(boxOf(added)).toMatchObject({ x: wanted.x, y });
  expect(wanted.x).toBeGreaterThan(100 + 760);
});
