import { cleanup, screen } from "@testing-library/react";
import type { EdgeProps } from "@xyflow/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Flow } from "@/bindings";
import { documentState } from "@/flow/document/flow-state";
import { showRun } from "@/run/live/test-run";
import type { CanvasEdge } from "@/workspace/canvas-store";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { StrandEdge } from "./StrandEdge";

// Labels are drawn where they are, not in the canvas that is not there.
vi.mock("@xyflow/react", async (original) => ({
  ...(await original<object>()),
  EdgeLabelRenderer: ({ children }: { children: ReactNode }) => <foreignObject>{children}</foreignObject>,
}));

const EDGE = { source: "a", target: "b", targetInput: "in" };
const FLOW: Flow = {
  version: 1,
  name: "",
  nodes: { a: { type: "chat" }, b: { type: "chat" } },
  edges: {
    said: { ...EDGE, sourceOutput: "response" },
    context: { ...EDGE, sourceOutput: "context" },
    tools: { ...EDGE, sourceOutput: "tools" },
  },
  layout: {},
};
const OUTPUTS = { response: "Hello", context: { contextId: "main" }, tools: [{ name: "calculator" }] };
const EVENTS = [
  { type: "node.started", node: "a", epoch: [], attempt: 1 },
  { type: "node.finished", node: "a", epoch: [], outputs: OUTPUTS, metadata: { durationMs: 1 } },
];

let workspace: Workspace;

beforeEach(() => {
  workspace = createTestWorkspace();
  workspace.editor.open(documentState(FLOW));
  showRun(workspace.activeRun, EVENTS);
});
afterEach(cleanup);

function renderEdge(id: string, kind: string, length = 200): void {
  const props = { id, sourceX: 0, sourceY: 0, targetX: length, targetY: 0, selected: false, data: { kind } };
  renderInWorkspace(
    <svg>
      <title>An edge</title>
      <StrandEdge {...(props as unknown as EdgeProps<CanvasEdge>)} />
    </svg>,
    { workspace },
  );
}

it.each(["said", "context", "tools"])("shows the value on the edge %s, also if it is not selected", (id) => {
  const kind = id === "said" ? "data" : id;
  renderEdge(id, kind);
  expect(screen.getByTestId(`peek-${id}`).textContent).not.toBe("");
});

it("pulses as a line alone, and not while many nodes run", () => {
  const pulses: Keyframe[][] = [];
  const animate = (frames: Keyframe[]) => {
    pulses.push(frames);
    return { playState: "finished", finished: Promise.resolve() };
  };
  Object.assign(SVGElement.prototype, { animate });
  try {
    renderEdge("said", "data");
    expect(pulses).toHaveLength(1);
    // What only the compositor can do makes a layer of the edge, and of each card above it.
    for (const frame of pulses[0] ?? []) expect(frame).not.toHaveProperty("opacity");
    cleanup();
    document.documentElement.setAttribute("data-crowded", "");
    renderEdge("said", "data");
    expect(pulses).toHaveLength(1);
  } finally {
    document.documentElement.removeAttribute("data-crowded");
    Reflect.deleteProperty(SVGElement.prototype, "animate");
  }
});

it("shows no signs of Markdown", () => {
  showRun(workspace.activeRun, [
    { type: "node.started", node: "a", epoch: [], attempt: 1 },
    {
      type: "node.finished",
      node: "a",
      epoch: [],
      outputs: { response: "# It is at **Lyon**" },
      metadata: { durationMs: 1 },
    },
  ]);
  renderEdge("said", "data");
  expect(screen.getByTestId("peek-said").textContent).toBe("“It is at Lyon”");
});

it.each([
  [50, "true"],
  [90, null],
])("shows a dot where eight characters do not fit: %i pixels", (length, short) => {
  renderEdge("said", "data", length);
  const peek = screen.getByTestId("peek-said");
  expect(peek.getAttribute("data-short")).toBe(short);
  expect(peek.title).toContain("Hello");
});

it("marks the way that a person had the run take, and no other", () => {
  const point = { node: "a", epoch: [], attempt: 1, side: "after" };
  const rerouted = { type: "value.rerouted", point, from: "context", to: "response", was: {}, values: {} };
  showRun(workspace.activeRun, [...EVENTS, rerouted]);
  renderEdge("said", "data");
  renderEdge("tools", "tools");
  const forced = screen.getByTestId("edge-said");
  expect(forced.dataset.forced).toBe("true");
  expect(forced.querySelector("title")?.textContent).toContain("instead of “context”");
  expect(screen.getByTestId("edge-tools").dataset.forced).toBeUndefined();
});
