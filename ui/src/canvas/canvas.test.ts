import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CheckedFlow, Flow, InputPort, NodeDescriptor, OutputPort } from "@/bindings";
import nodes from "@/bindings/nodes.json";
import { type Alignment, align, bounds, distribute } from "@/flow/align/align";
import { contextColor, contextIndexes } from "@/flow/document/context-colors";
import { EMPTY_FLOW, NOTHING, UNCHECKED } from "@/flow/document/flow-state";
import { indexNodeTypes } from "@/flow/node-types/node-types";
import { nodeSummary } from "./cards/node-summary";
import { canvasEdges, canvasNodes } from "./elements/elements";
import { canvasFrames } from "./elements/frame-elements";
import { cardHeight, handleBox, isQuiet, portY } from "./measure/geometry";
import { backCurve, forwardCurve } from "./measure/paths";
import { nearest } from "./select/keyboard-navigation";

const descriptors = nodes as unknown as NodeDescriptor[];
const types = indexNodeTypes(descriptors);

const flow: Flow = {
  ...EMPTY_FLOW,
  nodes: { start: { type: "contextStart" }, ask: { type: "userInput" }, odd: { type: "fromTheFuture" } },
  edges: {
    a: { source: "start", sourceOutput: "context", target: "ask", targetInput: "context" },
    lost: { source: "ask", sourceOutput: "message", target: "gone", targetInput: "x" },
    odd: { source: "ask", sourceOutput: "message", target: "odd", targetInput: "whatever" },
  },
  layout: { start: { x: 0, y: 0 }, ask: { x: 300, y: 0 } },
};
const byId = <T extends { id: string }>(list: T[]) => new Map(list.map((one) => [one.id, one]));

describe("canvas elements", () => {
  const drawn = canvasNodes(types, flow, UNCHECKED, NOTHING, new Map());

  it("include nodes without a position or a known type", () => {
    expect(drawn.map((node) => node.id)).toEqual(["start", "ask", "odd"]);
    expect(drawn[2]?.data).toMatchObject({ known: false, ports: { inputs: [{ name: "whatever" }] } });
  });

  it("include every edge with two ends", () => {
    expect(canvasEdges(types, flow, UNCHECKED, NOTHING, new Map()).map((edge) => edge.id)).toEqual(["a", "odd"]);
  });

  it("draw one edge between two folded frames, as the one that says most", () => {
    const ends = (sourceOutput: string, target: string, targetInput: string) => ({
      source: "made",
      sourceOutput,
      target,
      targetInput,
    });
    const framed: Flow = {
      ...EMPTY_FLOW,
      nodes: {
        made: { type: "manualInput" },
        one: { type: "delay" },
        two: { type: "delay" },
        alone: { type: "delay" },
      },
      edges: {
        "1": ends("value", "one", "after"),
        "2": ends("value", "two", "in"),
        "3": ends("value", "alone", "in"),
        inside: { source: "one", sourceOutput: "out", target: "two", targetInput: "after" },
      },
      frames: {
        from: { title: "From", nodes: ["made"], x: 0, y: 0, width: 1, height: 1, folded: true },
        to: { title: "To", nodes: ["one", "two"], main: "two", x: 0, y: 0, width: 1, height: 1, folded: true },
      },
    };
    const after = { name: "after", kind: "data", type: "any", orderOnly: true } as unknown as InputPort;
    const checked = { ...UNCHECKED, ports: { one: { inputs: [after], outputs: [] } } };
    const edges = canvasEdges(types, framed, checked, NOTHING, new Map());
    expect(edges.map(({ id, source, target, data }) => [id, source, target, data?.bundle])).toEqual([
      ["2", "frame:from", "frame:to", ["1"]],
      ["3", "frame:from", "alone", undefined],
    ]);
    expect(canvasEdges(types, framed, checked, NOTHING, byId(edges))[0]).toBe(edges[0]);
    const [from, to] = canvasFrames(framed, NOTHING, new Map());
    expect([from?.data.main, to?.data.main]).toEqual([undefined, framed.nodes.two]);
  });

  it("keep their identity while nothing changes", () => {
    const checked: CheckedFlow = structuredClone({
      ...UNCHECKED,
      ports: { ask: descriptors.find((type) => type.type === "userInput")?.ports ?? { inputs: [], outputs: [] } },
    });
    const again = canvasNodes(types, flow, checked, NOTHING, byId(drawn));
    expect(again.every((node, index) => node === drawn[index])).toBe(true);
  });

  it("stay under the pointer during a drag", () => {
    const dragging = drawn.map((node) =>
      node.id === "ask" ? { ...node, position: { x: 500, y: 9 }, dragging: true } : node,
    );
    const again = canvasNodes(types, { ...flow }, UNCHECKED, { ...NOTHING, nodes: new Set(["ask"]) }, byId(dragging));
    expect(again[1]).toMatchObject({ position: { x: 500, y: 9 }, selected: true });
  });

  it("have room for an error output only if it is connected", () => {
    const ports = descriptors.find((type) => type.type === "contextStart")?.ports ?? { inputs: [], outputs: [] };
    expect(cardHeight(ports, "none")).toBeGreaterThan(cardHeight(ports, "both"));
    const error: OutputPort = { name: "error", kind: "data", type: "object", description: "" };
    const box = handleBox("out", 1, error, ports, "none");
    expect(box.y + box.height / 2).toBe(portY(1));
  });

  it("have room for the input that only orders once an edge leads to it", () => {
    const taken = { name: "after", kind: "data", type: "any", description: "" } as const;
    const after: InputPort = { ...taken, required: false, many: true, orderOnly: true };
    const value = descriptors.find((type) => type.type === "value")?.ports ?? { inputs: [], outputs: [] };
    const ports = { ...value, inputs: [...value.inputs, after] };
    const checked = { ...UNCHECKED, ports: { first: ports, second: ports } };
    const nodes = { first: { type: "value" }, second: { type: "value" } };
    const cards = (edges: Flow["edges"]) =>
      canvasNodes(types, { version: 1, name: "", nodes, edges, layout: {} }, checked, NOTHING, new Map());
    const edge = { source: "first", sourceOutput: "value", target: "second", targetInput: "after" };
    expect(cards({}).map((card) => isQuiet("in", after, card.data.unwired))).toEqual([true, true]);
    expect(cards({ edge }).map((card) => isQuiet("in", after, card.data.unwired))).toEqual([true, false]);
  });
});

describe("contexts", () => {
  it("keep their colors when another is added", () => {
    const makers = { ...flow, nodes: { ...flow.nodes, aaa: { type: "newContext" } } };
    const contexts = { ...UNCHECKED, contexts: { start: "start", ask: "start", aaa: "aaa" } };
    expect(contextIndexes(types, makers, contexts).get("ask")).toBe(0);
    expect(contextIndexes(types, makers, contexts).get("aaa")).toBe(1);
  });

  it("have distinct colors, away from those of the other strands", () => {
    const shades = Array.from({ length: 24 }, (_, index) => contextColor(index));
    expect(new Set(shades.slice(0, 12)).size).toBe(12);
    const hues = shades.flatMap((shade) => [Number(/ (\d+)\)$/.exec(shade)?.[1])]).filter(Number.isFinite);
    expect(hues.filter((hue) => (hue >= 55 && hue < 100) || (hue >= 160 && hue < 205))).toEqual([]);
  });
});

describe("curves", () => {
  const point = fc.record({ x: fc.integer({ min: -5000, max: 5000 }), y: fc.integer({ min: -5000, max: 5000 }) });

  it("start and end at their ports", () => {
    fc.assert(
      fc.property(point, point, (from, to) => {
        for (const { d } of [forwardCurve(from, to), backCurve(from, to, Math.min(from.y, to.y))]) {
          expect(d.startsWith(`M${from.x} ${from.y} `)).toBe(true);
          expect(d.endsWith(` ${to.x} ${to.y}`)).toBe(true);
          expect(d).not.toMatch(/NaN|Infinity/);
        }
      }),
    );
  });

  it("go back above the cards between", () => {
    expect(backCurve({ x: 800, y: 100 }, { x: 0, y: 100 }, -200).label.y).toBeLessThan(-200);
  });
});

describe("arranging", () => {
  const box = fc.record({
    x: fc.integer(),
    y: fc.integer(),
    width: fc.integer({ min: 1, max: 400 }),
    height: fc.integer({ min: 1, max: 400 }),
  });
  const boxes = fc
    .array(box, { minLength: 2, maxLength: 8 })
    .map((list) => new Map(list.map((one, index) => [`n${index}`, one])));

  it("aligns within the bounds of the boxes", () => {
    fc.assert(
      fc.property(
        boxes,
        fc.constantFrom<Alignment>("left", "center", "right", "top", "middle", "bottom"),
        (all, to) => {
          const around = bounds(all);
          const after = new Map(
            [...align(all, to)].map(([id, corner]) => [id, { ...(all.get(id) ?? around), ...corner }]),
          );
          const edge = [...after.values()].map(
            (one) =>
              ({
                left: one.x,
                center: one.x + one.width / 2,
                right: one.x + one.width,
                top: one.y,
                middle: one.y + one.height / 2,
                bottom: one.y + one.height,
              })[to],
          );
          expect(Math.max(...edge) - Math.min(...edge)).toBeLessThan(1e-6);
          const now = bounds(after);
          expect(
            now.x >= around.x &&
              now.y >= around.y &&
              now.x + now.width <= around.x + around.width &&
              now.y + now.height <= around.y + around.height,
          ).toBe(true);
        },
      ),
    );
  });

  it("distributes with equal gaps and keeps the outermost boxes", () => {
    const all = new Map([
      ["a", { x: 0, y: 0, width: 10, height: 10 }],
      ["b", { x: 14, y: 50, width: 20, height: 10 }],
      ["c", { x: 100, y: 5, width: 10, height: 10 }],
    ]);
    expect(Object.fromEntries(distribute(all, "horizontal"))).toEqual({
      a: { x: 0, y: 0 },
      b: { x: 45, y: 50 },
      c: { x: 100, y: 5 },
    });
  });

  it("finds the nearest node in a direction", () => {
    const spots = [
      { id: "here", x: 0, y: 0 },
      { id: "near", x: 100, y: 20 },
      { id: "sideways", x: 90, y: 300 },
      { id: "behind", x: -50, y: 0 },
    ];
    const [here] = spots;
    if (!here) throw new Error("There it is.");
    expect(nearest(here, spots, "right")?.id).toBe("near");
    expect(nearest(here, spots, "left")?.id).toBe("behind");
    expect(nearest(here, spots, "down")?.id).toBe("near");
    expect(nearest(here, spots, "up")).toBeUndefined();
  });
});

describe("nodeSummary", () => {
  const type = (name: string) => descriptors.find((one) => one.type === name);

  it("describes a node by its config, or by its type", () => {
    expect(nodeSummary({ type: "userInput", config: { prompt: "Who?\nWhy?" } }, type("userInput"))).toBe("“Who?”");
    expect(nodeSummary({ type: "contextStart" }, type("contextStart"))).toBe("offline · echo");
    expect(nodeSummary({ type: "delay", config: { ms: 1500 } }, type("delay"))).toBe("1.5 s");
    const shown = (value: unknown) => nodeSummary({ type: "value", config: { value } }, type("value"));
    expect([shown("Hi"), shown(42), shown(false), shown({ a: [1] })]).toEqual(["Hi", "42", "false", '{"a":[1]}']);
    const maker = { type: "contextStart", config: { model: "gpt-5" } };
    expect(nodeSummary({ type: "chat" }, type("chat"), { node: maker, type: type("contextStart") })).toBe(
      "offline · gpt-5",
    );
    expect(
      nodeSummary({ type: "chat", config: { prompt: "Sum up" } }, type("chat"), {
        node: maker,
        type: type("contextStart"),
      }),
    ).toBe("“Sum up”");
    expect(nodeSummary({ type: "nothing" }, undefined)).toBe("Unknown type “nothing”");
  });
});
