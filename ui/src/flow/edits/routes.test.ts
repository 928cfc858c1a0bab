import { describe, expect, it } from "vitest";
import type { Flow } from "@/bindings";
import { EMPTY_FLOW } from "@/flow/document/flow-state";
import { moveInto } from "./container-edits";
import { place, remove } from "./edits";
import { clearRoutes, followNodes, routeOf, setRoute, withPoint } from "./routes";

const FLOW: Flow = {
  ...EMPTY_FLOW,
  nodes: { a: { type: "text" }, b: { type: "output" }, loop: { type: "loop" } },
  edges: { e: { source: "a", sourceOutput: "text", target: "b", targetInput: "value" } },
  layout: { a: { x: 0, y: 0 }, b: { x: 400, y: 0 }, loop: { x: 1000, y: 100, width: 560, height: 260 } },
};
const ROUTED = setRoute(FLOW, "e", [{ x: 200.4, y: 90 }]);
const edited = (change: (flow: Flow) => Flow) => followNodes(ROUTED, change(ROUTED));

describe("routes", () => {
  it("have whole units, and are no part of the file without points", () => {
    expect(ROUTED.routes).toEqual({ e: [{ x: 200, y: 90 }] });
    expect(setRoute(ROUTED, "e", [])).not.toHaveProperty("routes");
    expect(setRoute(FLOW, "e", [])).toBe(FLOW);
    expect(setRoute(FLOW, "gone", [{ x: 0, y: 0 }])).toBe(FLOW);
  });

  it("move where both ends do, and stay where one does", () => {
    const both = new Map([
      ["a", { x: 10, y: 20 }],
      ["b", { x: 410, y: 20 }],
    ]);
    expect(
      routeOf(
        edited((flow) => place(flow, both)),
        "e",
      ),
    ).toEqual([{ x: 210, y: 110 }]);
    expect(
      routeOf(
        edited((flow) => place(flow, new Map([["a", { x: 9, y: 9 }]]))),
        "e",
      ),
    ).toEqual([{ x: 200, y: 90 }]);
  });

  it("stay in place on the canvas when their nodes get into a loop, and move with it", () => {
    const inside = edited((flow) => moveInto(flow, ["a", "b"], "loop"));
    expect(inside.routes?.e).toEqual([{ x: -800, y: -10 }]);
    expect(routeOf(inside, "e")).toEqual([{ x: 200, y: 90 }]);
    const moved = followNodes(inside, place(inside, new Map([["loop", { x: 1100, y: 100 }]])));
    expect(routeOf(moved, "e")).toEqual([{ x: 300, y: 90 }]);
  });

  it("go with their edge, and when the layout is made anew", () => {
    expect(edited((flow) => remove(flow, { nodes: new Set(["a"]), edges: new Set() }))).not.toHaveProperty("routes");
    expect(clearRoutes(ROUTED, new Set(["b"]))).not.toHaveProperty("routes");
    expect(clearRoutes(ROUTED, new Set(["loop"]))).toBe(ROUTED);
  });

  it("get a new point where it makes the least detour", () => {
    const [from, to] = [
      { x: 0, y: 0 },
      { x: 100, y: 0 },
    ];
    const points = [{ x: 50, y: 0 }];
    expect(withPoint(points, from, to, { x: 80, y: 5 })[1]).toEqual({ x: 80, y: 5 });
    expect(withPoint(points, from, to, { x: 20, y: 5 })[0]).toEqual({ x: 20, y: 5 });
  });
});
