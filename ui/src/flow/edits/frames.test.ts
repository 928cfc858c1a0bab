import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Flow, NodeId } from "@/bindings";
import { growLoops, type SizeOf } from "@/flow/containers/container-box";
import { containerOf } from "@/flow/containers/containers";
import { frameCorner, frameOf } from "@/flow/containers/frame-box";
import { EMPTY_FLOW } from "@/flow/document/flow-state";
import { fromText, toText } from "./clipboard";
import { moveInto } from "./container-edits";
import { addFragment, fragment, place, remove } from "./edits";
import {
  addFrame,
  completeFrames,
  moveFrames,
  removeFrames,
  resizeFrame,
  setFrameColor,
  setFramesFolded,
  setFrameTitle,
  takeIn,
  takeOut,
} from "./frames";
import { followNodes, setRoute } from "./routes";

const SIZE = { width: 200, height: 100 };
const sizeOf: SizeOf = (flow, id) => {
  const { width = SIZE.width, height = SIZE.height } = flow.layout[id] ?? {};
  return { width, height };
};
const FLOW: Flow = {
  ...EMPTY_FLOW,
  nodes: {
    a: { type: "text" },
    b: { type: "text" },
    c: { type: "text" },
    loop: { type: "loop" },
    inner: { type: "text", parent: "loop" },
  },
  edges: { e: { source: "a", sourceOutput: "text", target: "b", targetInput: "value" } },
  layout: {
    a: { x: 0, y: 0 },
    b: { x: 300, y: 50 },
    c: { x: 700, y: 0 },
    loop: { x: 1000, y: 100, width: 560, height: 260 },
    inner: { x: 160, y: 80 },
  },
};
const framed = (flow: Flow, ids: NodeId[], title = "Intake") => addFrame(flow, ids, { title }, sizeOf)?.flow ?? flow;
const AB = framed(FLOW, ["a", "b"]);
const completed = (before: Flow, after: Flow) =>
  followNodes(before, completeFrames(before, growLoops(before, after, sizeOf), sizeOf));
const edited = (change: (flow: Flow) => Flow, before = AB) => completed(before, change(before));

describe("frames", () => {
  it("keep their size while folded, and nothing of it afterwards", () => {
    const fold = (flow: Flow, folded: boolean) => edited((one) => setFramesFolded(one, ["frame"], folded), flow);
    const folded = fold(AB, true);
    expect(folded.frames?.frame).toEqual({ ...AB.frames?.frame, folded: true });
    const moved = edited((flow) => place(flow, new Map([["c", { x: 900, y: 0 }]])), folded);
    expect(moved.frames?.frame).toEqual(folded.frames?.frame);
    expect(fold(folded, false)).toEqual(AB);
    expect(setFramesFolded(AB, ["frame"], false)).toBe(AB);
  });

  it("are added around nodes of one body", () => {
    expect(AB.frames).toEqual({
      frame: { title: "Intake", nodes: ["a", "b"], x: -16, y: -36, width: 532, height: 202 },
    });
    expect(addFrame(FLOW, ["a", "inner"], { title: "No" }, sizeOf)).toBeUndefined();
    expect(addFrame(FLOW, [], { title: "No" }, sizeOf)).toBeUndefined();
    const inLoop = framed(FLOW, ["inner"]).frames?.frame;
    expect(inLoop).toMatchObject({ x: 144, y: 44 });
    expect(inLoop && frameCorner(FLOW, inLoop)).toEqual({ x: 1144, y: 144 });
  });

  it("take a node from the frame it was in, which goes when it has none left", () => {
    const two = framed(AB, ["b", "c"], "Second");
    expect([frameOf(two, "a"), frameOf(two, "b")]).toEqual(["frame", "frame-2"]);
    expect(Object.keys(framed(two, ["a"], "Third").frames ?? {})).toEqual(["frame-2", "frame-3"]);
  });

  it("are renamed, colored and removed; nodes stay", () => {
    expect(setFrameTitle(AB, "frame", " Input ").frames?.frame?.title).toBe("Input");
    expect(setFrameTitle(AB, "frame", " ")).toBe(AB);
    const blue = setFrameColor(AB, ["frame"], "blue");
    expect(blue.frames?.frame?.color).toBe("blue");
    expect(setFrameColor(blue, ["frame"], undefined)).toEqual(AB);
    expect(removeFrames(AB, new Set(["frame"]))).toEqual(FLOW);
    expect(removeFrames(AB, new Set(["other"]))).toBe(AB);
  });

  it("move with their nodes, except for those that are placed already", () => {
    const moved = moveFrames(AB, new Map([["frame", { x: 10, y: 20 }]]));
    expect([moved.layout.a, moved.layout.b]).toEqual([
      { x: 10, y: 20 },
      { x: 310, y: 70 },
    ]);
    expect(moved.frames?.frame).toMatchObject({ x: -6, y: -16 });
    expect(moveFrames(AB, new Map([["frame", { x: 10, y: 20 }]]), new Set(["a"])).layout.a).toEqual({ x: 0, y: 0 });
  });

  it("are resized down to what their nodes need", () => {
    const large = resizeFrame(AB, "frame", { x: -100, y: -100, width: 900, height: 600 }, sizeOf);
    expect(large.frames?.frame).toMatchObject({ x: -100, y: -100, width: 900, height: 600 });
    const small = resizeFrame(large, "frame", { x: 100, y: 0, width: 40, height: 40 }, sizeOf);
    expect(small.frames?.frame).toMatchObject({ x: -16, y: -36, width: 532, height: 202 });
  });

  it("take nodes in and let them out", () => {
    const three = edited((flow) => takeIn(flow, ["c", "inner"], "frame"));
    expect(three.frames?.frame).toMatchObject({ nodes: ["a", "b", "c"], width: 932 });
    expect(takeOut(three, ["a"]).frames?.frame?.nodes).toEqual(["b", "c"]);
    expect(takeOut(AB, ["a", "b"])).not.toHaveProperty("frames");
  });

  it("grow around a node that moves, and move where all of their nodes do", () => {
    const grown = edited((flow) => place(flow, new Map([["b", { x: 500, y: 50 }]])));
    expect(grown.frames?.frame).toMatchObject({ x: -16, width: 732 });
    const both = new Map([
      ["a", { x: 5, y: 7 }],
      ["b", { x: 305, y: 57 }],
    ]);
    expect(edited((flow) => place(flow, both)).frames?.frame).toMatchObject({ x: -11, y: -29, width: 532 });
  });

  it("lose nodes that are gone or went into a loop, and follow all of them there", () => {
    expect(edited((flow) => remove(flow, { nodes: new Set(["a"]), edges: new Set() })).frames?.frame?.nodes).toEqual([
      "b",
    ]);
    const none = edited((flow) => remove(flow, { nodes: new Set(["a", "b"]), edges: new Set() }));
    expect(none).not.toHaveProperty("frames");
    expect(edited((flow) => moveInto(flow, ["a"], "loop")).frames?.frame?.nodes).toEqual(["b"]);
    const inside = edited((flow) => moveInto(flow, ["a", "b"], "loop"));
    const { frame } = inside.frames ?? {};
    expect(frame?.nodes).toEqual(["a", "b"]);
    expect(frame && frameCorner(inside, frame)).toEqual({ x: -16, y: -36 });
  });

  it("are copied with all of their nodes, and so are the points of edges", () => {
    const routed = setRoute(AB, "e", [{ x: 250, y: 30 }]);
    expect(fragment(routed, new Set(["a"]))).toMatchObject({ frames: {}, routes: {} });
    const text = toText(routed, new Set(["a", "b"]), sizeOf);
    const part = fromText(text);
    if (!part) throw new Error("Nothing was copied.");
    const pasted = addFragment(routed, part, { x: 0, y: 1000 }).flow;
    expect(pasted.frames?.["frame-2"]).toMatchObject({ title: "Intake", nodes: ["a-2", "b-2"], x: -16, y: 964 });
    expect(Object.values(pasted.routes ?? {})).toEqual([[{ x: 250, y: 30 }], [{ x: 250, y: 1030 }]]);
  });

  it("hold their nodes after any edits", () => {
    const ids = Object.keys(FLOW.nodes);
    const number = fc.integer({ min: -2000, max: 2000 });
    const nodes = fc.subarray(ids, { minLength: 1 });
    const frame = fc.constantFrom("frame", "frame-2", "frame-3");
    const edit: fc.Arbitrary<(flow: Flow) => Flow> = fc.oneof(
      nodes.map((chosen) => (flow: Flow) => framed(flow, chosen)),
      frame.map((id) => (flow: Flow) => removeFrames(flow, new Set([id]))),
      fc.tuple(frame, number, number).map(
        ([id, x, y]) =>
          (flow: Flow) =>
            moveFrames(flow, new Map([[id, { x, y }]])),
      ),
      fc.tuple(frame, number, number).map(
        ([id, x, y]) =>
          (flow: Flow) =>
            resizeFrame(flow, id, { x, y, width: 50, height: 50 }, sizeOf),
      ),
      fc.tuple(frame, nodes).map(
        ([id, chosen]) =>
          (flow: Flow) =>
            takeIn(flow, chosen, id),
      ),
      nodes.map((chosen) => (flow: Flow) => takeOut(flow, chosen)),
      nodes.map((chosen) => (flow: Flow) => remove(flow, { nodes: new Set(chosen.slice(0, 1)), edges: new Set() })),
      fc.tuple(nodes, number, number).map(([chosen, x, y]) => {
        return (flow: Flow) => place(flow, new Map(chosen.map((id, index) => [id, { x: x + 70 * index, y }])));
      }),
      fc.tuple(nodes, fc.boolean()).map(([chosen, into]) => {
        return (flow: Flow) => moveInto(flow, chosen, into && flow.nodes.loop ? "loop" : undefined);
      }),
      nodes.map((chosen) => (flow: Flow) => {
        return addFragment(flow, fragment(flow, new Set(chosen)), { x: 30, y: 40 }).flow;
      }),
    );
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 8 }), (all) => {
        let flow = FLOW;
        for (const change of all) flow = completed(flow, change(flow));
        const seen = new Set<NodeId>();
        for (const { nodes: members, x, y, width, height } of Object.values(flow.frames ?? {})) {
          expect(members.length).toBeGreaterThan(0);
          expect(new Set(members.map((id) => containerOf(flow, id))).size).toBe(1);
          for (const id of members) {
            expect(seen.has(id)).toBe(false);
            seen.add(id);
            const at = flow.layout[id] ?? { x: Number.NaN, y: Number.NaN };
            const size = sizeOf(flow, id);
            expect(Object.hasOwn(flow.nodes, id)).toBe(true);
            expect(at.x).toBeGreaterThanOrEqual(x);
            expect(at.y).toBeGreaterThanOrEqual(y);
            expect(at.x + size.width).toBeLessThanOrEqual(x + width);
            expect(at.y + size.height).toBeLessThanOrEqual(y + height);
          }
        }
      }),
    );
  });
});
