import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Flow } from "@/bindings";
import { EMPTY_FLOW } from "@/flow/document/flow-state";
import {
  containerOf,
  containersAround,
  cornerOf,
  innerEnds,
  isInConversation,
  outermost,
  outermostFirst,
  sideExit,
  withBodies,
} from "./containers";
import { foldedAround } from "./folding";

const flow: Flow = {
  ...EMPTY_FLOW,
  nodes: {
    leaf: { type: "text", parent: "inner" },
    inner: { type: "loop", parent: "outer" },
    outer: { type: "loop" },
    beside: { type: "text", parent: "outer" },
    free: { type: "text" },
  },
  layout: { leaf: { x: 5, y: 6 }, inner: { x: 100, y: 50 }, outer: { x: 1000, y: 2000 } },
};
const edge = (source: string, target: string) => ({ source, sourceOutput: "x", target, targetInput: "y" });

describe("containers", () => {
  it("nest, and add up to places on the canvas", () => {
    expect(containersAround(flow, "leaf")).toEqual(["inner", "outer"]);
    expect(cornerOf(flow, "leaf")).toEqual({ x: 1105, y: 2056 });
    expect([...withBodies(flow, ["outer"])].sort()).toEqual(["beside", "inner", "leaf", "outer"]);
    expect(outermost(flow, ["leaf", "inner", "free"])).toEqual(["inner", "free"]);
  });

  it("come before their bodies", () => {
    const order = outermostFirst(flow);
    expect(order).toHaveLength(5);
    expect(order.indexOf("outer")).toBeLessThan(order.indexOf("inner"));
    expect(order.indexOf("inner")).toBeLessThan(order.indexOf("leaf"));
  });

  it("are none where a parent is missing or would be inside of itself", () => {
    const odd: Flow = {
      ...EMPTY_FLOW,
      nodes: {
        lost: { type: "text", parent: "gone" },
        self: { type: "loop", parent: "self" },
        a: { type: "loop", parent: "b" },
        b: { type: "loop", parent: "a" },
        below: { type: "text", parent: "a" },
      },
    };
    expect(["lost", "self", "a", "b"].map((id) => containerOf(odd, id))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(containerOf(odd, "below")).toBe("a");
    expect([...outermostFirst(odd)].sort()).toEqual(["a", "b", "below", "lost", "self"]);
  });

  it("always end, and name each node once", () => {
    const ids = ["a", "b", "c", "d", "e", "f"];
    const parents = fc.array(fc.option(fc.constantFrom(...ids)), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(parents, (list) => {
        const nodes = Object.fromEntries(
          ids.map((id, index) => [id, { type: "loop", parent: list[index] ?? undefined }]),
        );
        const random = { ...EMPTY_FLOW, nodes };
        expect([...outermostFirst(random)].sort()).toEqual(ids);
        for (const id of ids) expect(containersAround(random, id)).not.toContain(id);
      }),
    );
  });

  it("stay linear with ten thousand levels", () => {
    const nodes = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [
        `n${index}`,
        { type: "loop", ...(index > 0 ? { parent: `n${index - 1}` } : {}) },
      ]),
    );
    expect(containersAround({ ...EMPTY_FLOW, nodes }, "n9999")).toHaveLength(9_999);
  });

  it("tell inner ends from outer ones by the other end", () => {
    expect(innerEnds(flow, edge("outer", "leaf"))).toEqual({ source: true, target: false });
    expect(innerEnds(flow, edge("leaf", "inner"))).toEqual({ source: false, target: true });
    expect(innerEnds(flow, edge("inner", "beside"))).toEqual({ source: false, target: false });
    expect(innerEnds(flow, edge("free", "outer"))).toEqual({ source: false, target: false });
  });

  it("are left only by their own border", () => {
    expect(sideExit(flow, edge("leaf", "inner"))).toBeUndefined();
    expect(sideExit(flow, edge("leaf", "outer"))).toBe("inner");
    expect(sideExit(flow, edge("inner", "beside"))).toBeUndefined();
    expect(sideExit(flow, edge("beside", "free"))).toBe("outer");
    expect(sideExit(flow, edge("free", "leaf"))).toBeUndefined();
  });

  it("hide their bodies when folded, the outermost first", () => {
    const folded = {
      ...flow,
      layout: { ...flow.layout, inner: { x: 0, y: 0, folded: true }, outer: { x: 0, y: 0, folded: true } },
    };
    expect(foldedAround(folded, "leaf")).toEqual({ loop: "outer" });
    expect(foldedAround(folded, "outer")).toBeUndefined();
  });
});

it("a node is in a conversation while a loop around it has one", () => {
  const nodes = { loop: { type: "loop", config: { conversation: true } }, chat: { type: "chat", parent: "loop" } };
  const flow = { version: 1, name: "", nodes: { ...nodes, free: { type: "chat" } }, edges: {}, layout: {} };
  expect(["chat", "free"].map((id) => isInConversation(flow, id))).toEqual([true, false]);
});
