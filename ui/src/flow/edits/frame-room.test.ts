import { describe, expect, it } from "vitest";
import type { Flow } from "@/bindings";
import { EMPTY_FLOW } from "@/flow/document/flow-state";
import { makeRoom } from "./frame-room";
import { setFramesFolded } from "./frames";

const text = { type: "text" };
const FRAMES = {
  first: { title: "First", nodes: ["a", "b"], x: 0, y: 0, width: 524, height: 150, folded: true },
  second: { title: "Second", nodes: ["c"], x: 0, y: 200, width: 240, height: 150, folded: true },
};
/** Two rows of a frame and a node, a comment behind the first frame, and a node above. */
const FLOW: Flow = {
  ...EMPTY_FLOW,
  nodes: { a: text, b: text, c: text, right: text, below: text, diagonal: text, above: text, note: { type: "note" } },
  layout: {
    a: { x: 16, y: 36 },
    b: { x: 300, y: 36 },
    c: { x: 16, y: 236 },
    right: { x: 300, y: 0 },
    below: { x: 0, y: 400 },
    diagonal: { x: 300, y: 200 },
    above: { x: 300, y: -300 },
    note: { x: -40, y: -40, width: 300, height: 200 },
  },
  frames: FRAMES,
};
const sizeOf = (flow: Flow, id: string) => ({ width: 208, height: 80, ...flow.layout[id] });
const fold = (flow: Flow, frame: string, folded: boolean) =>
  makeRoom(flow, setFramesFolded(flow, [frame], folded), sizeOf);
const corner = (flow: Flow, id: string) => [flow.layout[id]?.x, flow.layout[id]?.y];

describe("room for a frame that is unfolded", () => {
  const open = fold(FLOW, "first", false);

  it("moves what is right of its card to the right, so that rows stay rows and columns columns", () => {
    expect(corner(open, "right")).toEqual([300 + 524 - 208, 0]);
    expect(corner(open, "diagonal")).toEqual([300 + 524 - 208, 200]);
    expect(corner(open, "above")).toEqual([300 + 524 - 208, -300]);
    // Nothing is covered below.
    expect(corner(open, "below")).toEqual([0, 400]);
    expect(open.frames?.second).toEqual(FLOW.frames?.second);
  });

  it("moves what it would cover below down, and frames with their nodes", () => {
    const frames = { ...FRAMES, first: { ...FRAMES.first, height: 250 } };
    const high = fold({ ...FLOW, frames }, "first", false);
    expect(high.frames?.second?.y).toBe(200 + 150);
    expect(corner(high, "c")).toEqual([16, 236 + 150]);
    expect(corner(high, "diagonal")).toEqual([300 + 316, 200 + 150]);
    expect(corner(high, "right")).toEqual([300 + 316, 0]);
  });

  it("makes a comment behind it larger and moves its own nodes nowhere", () => {
    expect(open.layout.note).toEqual({ x: -40, y: -40, width: 300 + 316, height: 200 });
    expect(corner(open, "b")).toEqual([300, 36]);
  });

  it("is closed again with the frame, also after others were opened and folded", () => {
    expect(fold(open, "first", true)).toEqual(FLOW);
    const both = fold(open, "second", false);
    expect(fold(fold(both, "second", true), "first", true)).toEqual(FLOW);
  });

  it("stays where something was moved since", () => {
    const moved = { ...open, layout: { ...open.layout, right: { x: 900, y: 0 } } };
    expect(corner(fold(moved, "first", true), "right")).toEqual([900, 0]);
  });

  it("is not made where nothing would be covered", () => {
    const alone = { ...FLOW, layout: { ...FLOW.layout, right: { x: 600, y: 0 }, diagonal: { x: 600, y: 300 } } };
    expect(fold(alone, "first", false).layout).toBe(alone.layout);
  });
});
