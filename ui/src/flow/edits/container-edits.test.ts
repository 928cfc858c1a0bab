import { describe, expect, it } from "vitest";
import type { Edge, Flow } from "@/bindings";
import { BODY_INSET, growLoops } from "@/flow/containers/container-box";
import { cornerOf } from "@/flow/containers/containers";
import { FlowEditor } from "@/flow/document/editor";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { appendTo, moveInto, moveOut, routeThroughNext, setFolded, ungroup, wrap } from "./container-edits";
import * as edits from "./edits";

const SIZE = { width: 200, height: 80 };
const sizeOf = (flow: Flow, id: string) => {
  const { width = SIZE.width, height = SIZE.height } = flow.layout[id] ?? {};
  return { width, height };
};
const isContext = (edge: Edge) => edge.sourceOutput === "context";

const edge = (source: string, sourceOutput: string, target: string, targetInput: string): Edge => ({
  source,
  sourceOutput,
  target,
  targetInput,
});

const flow: Flow = {
  ...EMPTY_FLOW,
  nodes: {
    start: { type: "contextStart" },
    a: { type: "chat" },
    b: { type: "chat" },
    end: { type: "output" },
    loop: { type: "loop" },
    inner: { type: "loop", parent: "loop" },
    x: { type: "text", parent: "inner" },
  },
  edges: {
    1: edge("start", "context", "a", "context"),
    2: edge("a", "context", "b", "context"),
    3: edge("a", "response", "b", "message"),
    4: edge("b", "response", "end", "value"),
    5: edge("b", "context", "end", "context"),
  },
  layout: {
    start: { x: -300, y: 0 },
    a: { x: 0, y: 0 },
    b: { x: 300, y: 40 },
    end: { x: 700, y: 0 },
    loop: { x: 0, y: 1000, width: 900, height: 600 },
    inner: { x: 200, y: 100, width: 500, height: 300 },
    x: { x: 150, y: 80 },
  },
};
const edgesOf = (of: Flow) =>
  Object.values(of.edges)
    .map((one) => `${one.source}.${one.sourceOutput} -> ${one.target}.${one.targetInput}`)
    .sort();

describe("moving between containers", () => {
  it("keeps each node where it is on the canvas", () => {
    for (const container of ["loop", "inner", undefined]) {
      const moved = moveInto(flow, ["a", "x"], container);
      expect(moved.nodes.a?.parent).toBe(container);
      expect(cornerOf(moved, "a")).toEqual(cornerOf(flow, "a"));
      expect(cornerOf(moved, "x")).toEqual(cornerOf(flow, "x"));
    }
  });

  it("leaves no empty field behind", () => {
    expect(Object.hasOwn(moveInto(flow, ["x"], undefined).nodes.x ?? {}, "parent")).toBe(false);
  });

  it("takes a body along, and puts no loop into itself", () => {
    const out = moveInto(flow, ["inner", "x"], undefined);
    expect(out.nodes.x?.parent).toBe("inner");
    expect(out.layout.x).toBe(flow.layout.x);
    expect(moveInto(flow, ["loop"], "inner")).toBe(flow);
    expect(moveInto(flow, ["loop"], "loop")).toBe(flow);
  });

  it("by command puts nodes below what is in the loop, or below the loop", () => {
    const into = appendTo(flow, ["a", "b"], "inner", sizeOf);
    expect(into.layout.a).toMatchObject({ x: BODY_INSET.left, y: 80 + SIZE.height + 28 });
    expect(into.layout.b).toMatchObject({ x: BODY_INSET.left + 300, y: 80 + SIZE.height + 28 + 40 });
    const out = moveOut(flow, ["x"], sizeOf);
    expect(out.nodes.x?.parent).toBe("loop");
    expect(out.layout.x?.y).toBe(100 + 300 + 28);
  });
});

describe("loops", () => {
  it("grow around what is put into them, and everything else stays where it is", () => {
    const placed = edits.place(flow, new Map([["x", { x: -40, y: 500 }]]));
    const grown = growLoops(flow, placed, sizeOf);
    expect(cornerOf(grown, "x")).toEqual(cornerOf(placed, "x"));
    expect(grown.layout.x?.x).toBe(BODY_INSET.left);
    expect(grown.layout.inner?.width).toBe(500 + 40 + BODY_INSET.left);
    expect(grown.layout.inner?.height).toBe(500 + SIZE.height + BODY_INSET.bottom);
    expect(grown.layout.loop?.height).toBeGreaterThanOrEqual(
      (grown.layout.inner?.height ?? 0) + 100 + BODY_INSET.bottom,
    );
    expect(growLoops(flow, edits.setTitle(flow, "x", "T"), sizeOf).layout).toBe(flow.layout);
  });

  it("fold and open without a trace", () => {
    const folded = setFolded(flow, ["loop"], true);
    expect(folded.layout.loop).toEqual({ ...flow.layout.loop, folded: true });
    expect(setFolded(folded, ["loop"], false).layout).toEqual(flow.layout);
    expect(setFolded(flow, ["loop"], false)).toBe(flow);
  });

  it("are deleted and copied with their bodies", () => {
    const without = edits.remove(flow, { nodes: new Set(["loop"]), edges: new Set() });
    expect(Object.keys(without.nodes)).toEqual(["start", "a", "b", "end"]);
    expect(Object.keys(without.layout)).toEqual(["start", "a", "b", "end"]);
    const part = edits.fragment(flow, new Set(["inner"]));
    expect(part.nodes).toEqual({ inner: { type: "loop" }, x: flow.nodes.x });
    expect(part.layout).toEqual({ inner: { ...flow.layout.inner, x: 200, y: 1100 }, x: flow.layout.x });
    const pasted = edits.addFragment(flow, part, { x: 10, y: 20 }, () => "loop").flow;
    expect(pasted.nodes["inner-2"]?.parent).toBe("loop");
    expect(pasted.nodes["x-2"]?.parent).toBe("inner-2");
    expect(pasted.layout["inner-2"]).toMatchObject({ x: 210, y: 120 });
    expect(pasted.layout["x-2"]).toEqual(flow.layout.x);
  });
});

describe("wrapping", () => {
  const wrapped = wrap(flow, ["a", "b"], "loop", sizeOf, isContext).flow;

  it("leads contexts through the border and the value out by next", () => {
    expect(edgesOf(wrapped)).toEqual([
      "a.context -> b.context",
      "a.response -> b.message",
      "b.response -> loop-2.next",
      "loop-2.context -> a.context",
      "loop-2.context -> end.context",
      "loop-2.result -> end.value",
      "start.context -> loop-2.context",
    ]);
  });

  it("moves nothing, and ungrouping takes it all back", () => {
    for (const id of ["a", "b"]) expect(cornerOf(wrapped, id)).toEqual(cornerOf(flow, id));
    const back = ungroup(wrapped, "loop-2");
    expect(back.nodes).toEqual(flow.nodes);
    expect(back.layout).toEqual(flow.layout);
    expect(edgesOf(back)).toEqual([
      "a.context -> b.context",
      "a.response -> b.message",
      "b.response -> end.value",
      "start.context -> a.context",
    ]);
  });

  it("within a loop makes one in it", () => {
    const nested = wrap(flow, ["x"], "loop", sizeOf, isContext).flow;
    expect(nested.nodes["loop-2"]?.parent).toBe("inner");
    expect(nested.nodes.x?.parent).toBe("loop-2");
    expect(cornerOf(nested, "x")).toEqual(cornerOf(flow, "x"));
  });

  it("leaves several values that leave to the person", () => {
    const two = {
      ...flow,
      edges: { 1: edge("a", "response", "end", "value"), 2: edge("b", "response", "end", "other") },
    };
    expect(edgesOf(wrap(two, ["a", "b"], "loop", sizeOf, isContext).flow)).toEqual(edgesOf(two));
  });

  it("feeds everything that the one value led to", () => {
    const both = {
      ...flow,
      edges: { 1: edge("b", "response", "end", "value"), 2: edge("b", "response", "start", "other") },
    };
    expect(edgesOf(wrap(both, ["b"], "loop", sizeOf, isContext).flow)).toEqual([
      "b.response -> loop-2.next",
      "loop-2.result -> end.value",
      "loop-2.result -> start.other",
    ]);
  });
});

describe("an edge that leaves by the side", () => {
  it("is led through next of each loop that it leaves", () => {
    const side = { ...flow, edges: { 1: edge("x", "text", "end", "value") } };
    const fixed = routeThroughNext(side, "1", isContext);
    expect(fixed && edgesOf(fixed)).toEqual([
      "inner.result -> loop.next",
      "loop.result -> end.value",
      "x.text -> inner.next",
    ]);
  });

  it("is left alone where another value goes out by next, or nothing is wrong", () => {
    const taken = { ...flow, edges: { 1: edge("x", "text", "end", "value"), 2: edge("x", "other", "inner", "next") } };
    expect(routeThroughNext(taken, "1", isContext)).toBeUndefined();
    expect(routeThroughNext(flow, "4", isContext)).toBeUndefined();
    expect(routeThroughNext(flow, "gone", isContext)).toBeUndefined();
  });

  it("with a context is led through the border's own", () => {
    const nodes = { ...flow.nodes, a: { type: "chat", parent: "loop" } };
    const side = {
      ...flow,
      nodes,
      edges: { 1: edge("start", "context", "a", "context"), 2: edge("a", "context", "end", "context") },
    };
    const fixed = routeThroughNext(side, "2", isContext);
    expect(fixed && edgesOf(fixed)).toEqual([
      "loop.context -> a.context",
      "loop.context -> end.context",
      "start.context -> loop.context",
    ]);
  });
});

describe("the editor", () => {
  it("lets loops grow in the same undo step", () => {
    const editor = new FlowEditor();
    editor.open(documentState(flow));
    editor.completeEditsWith((before, after) => growLoops(before, after, sizeOf));
    editor.place("Move", new Map([["x", { x: 2000, y: 80 }]]));
    expect(editor.state.flow.layout.loop?.width).toBeGreaterThan(2000);
    editor.undo();
    expect(editor.state.flow).toBe(flow);
  });
});
