import { expect, it } from "vitest";
import type { Flow, NodeDescriptor } from "@/bindings";
import nodeTypes from "@/bindings/nodes.json";
import { canvasEdges, canvasNodes } from "@/canvas/elements/elements";
import { canvasFrames } from "@/canvas/elements/frame-elements";
import { EMPTY_FLOW, UNCHECKED } from "@/flow/document/flow-state";
import { createTestWorkspace } from "@/workspace/test-workspace";
import { flowSvg } from "./flow-svg";

const NONE = { nodes: new Set<string>(), edges: new Set<string>() };
const FLOW: Flow = {
  ...EMPTY_FLOW,
  name: "A & B <flow>",
  nodes: {
    ask: { type: "userInput", title: "Ask \u0007 <you>" },
    answer: { type: "chat", title: "A title that is far too long for the card that it stands on" },
    note: { type: "note", config: { text: "First line\nsecond" } },
    loop: { type: "loop", title: "Repeat" },
  },
  edges: { e: { source: "ask", sourceOutput: "message", target: "answer", targetInput: "message" } },
  layout: {
    ask: { x: 0, y: 0 },
    answer: { x: 300, y: 40 },
    note: { x: 0, y: 300, width: 200, height: 80 },
    loop: { x: 600, y: 0, width: 560, height: 260 },
  },
};

function draw(flow: Flow) {
  const { nodeTypes: registry } = createTestWorkspace();
  registry.set(nodeTypes as unknown as NodeDescriptor[]);
  const types = registry.all;
  const nodes = canvasNodes(types, flow, UNCHECKED, NONE, new Map());
  const edges = canvasEdges(types, flow, UNCHECKED, NONE, new Map());
  return flowSvg({
    name: flow.name,
    nodes,
    frames: canvasFrames(flow, NONE, new Map()),
    edges,
    types,
    color: (css) => `rgb(${css.length}, 0, 0)`,
  });
}

it("draws frames behind the nodes, with their titles", () => {
  const frame = {
    title: "Intake <1>",
    color: "blue" as const,
    nodes: ["start"],
    x: -900,
    y: -36,
    width: 240,
    height: 160,
  };
  const image = draw({ ...FLOW, nodes: { ...FLOW.nodes, start: { type: "text" } }, frames: { frame } });
  const page = new DOMParser().parseFromString(image?.svg ?? "", "image/svg+xml");
  const drawn = page.querySelector("[data-frame=frame]");
  expect(drawn?.textContent).toContain("Intake <1>");
  expect(drawn?.nextElementSibling).not.toBeNull();
  expect(image?.width).toBeGreaterThan(900);
});

it("draws every node, edge and port, with nothing of the page in it", () => {
  const image = draw(FLOW);
  const page = new DOMParser().parseFromString(image?.svg ?? "", "image/svg+xml");
  expect(page.querySelector("parsererror")).toBeNull();
  expect(page.querySelector("title")?.textContent).toBe("A & B <flow>");
  expect([...page.querySelectorAll("g[data-node]")].map((one) => one.getAttribute("data-node")).sort()).toEqual(
    Object.keys(FLOW.nodes).sort(),
  );
  expect(page.querySelectorAll("path")).toHaveLength(1);
  const texts = [...page.querySelectorAll("text")].map((one) => one.textContent ?? "");
  expect(texts).toContain("Ask  <you>");
  expect(texts).toContain("message");
  expect(texts).toContain("second");
  expect(texts.some((one) => one.startsWith("A title that is") && one.endsWith("…"))).toBe(true);
  expect(image?.svg).not.toMatch(/foreignObject|var\(|class=/);
});

it("contains all of its nodes, and nothing without nodes", () => {
  const image = draw(FLOW);
  expect(image?.width).toBeGreaterThan(1160);
  expect(image?.height).toBeGreaterThan(380);
  expect(draw(EMPTY_FLOW)).toBeUndefined();
});
