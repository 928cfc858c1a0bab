import { describe, expect, it } from "vitest";
import type { Flow, Node } from "@/bindings";
import { innerFlowOf } from "@/flow/document/inner-flow";
import { convertToSubflow } from "./convert-to-subflow";
import { flowOf, SUBFLOW_PARTS } from "./subflow-test-parts";

const convert = (flow: Flow, ids: string[]) => convertToSubflow(flow, ids, SUBFLOW_PARTS);
const inLoop = (loop: Node, ...nodes: [string, Node][]) =>
  Object.fromEntries([
    ["loop", { title: "Loop", ...loop }],
    ...nodes.map(([id, node]) => [id, { ...node, parent: "loop" }]),
  ]);

describe("what a sub-flow would change is refused:", () => {
  it.each<[string, RegExp, Flow, string[]]>([
    [
      "nodes of different loops",
      /same loop/,
      flowOf({ a: { type: "text" }, ...inLoop({ type: "loop" }, ["b", { type: "text" }]) }),
      ["a", "b"],
    ],
    ["notes alone", /at least one node that runs/, flowOf({ a: { type: "note" } }), ["a"]],
    [
      "a workflow memory",
      /workflow memory/,
      { ...flowOf({ a: { type: "text" } }), settings: { memory: { mode: "read" } } },
      ["a"],
    ],
    ["an unknown type", /type of “a” is not known/, flowOf({ a: { type: "nobodyKnowsIt" } }), ["a"]],
    ["a result", /“a” is a result/, flowOf({ a: { type: "output" } }), ["a"]],
    ["the input of the run", /“a” takes the input of the run/, flowOf({ a: { type: "manualInput" } }), ["a"]],
    [
      "answers given in a loop",
      /“a” reads the answers/,
      flowOf(inLoop({ type: "loop" }, ["a", { type: "text", config: { template: "{{hitl_history}}" } }])),
      ["a"],
    ],
    [
      "the conversation of a loop",
      /“a” takes part in the conversation of “Loop”/,
      flowOf(inLoop({ type: "loop", config: { conversation: true } }, ["a", { type: "chat" }])),
      ["a"],
    ],
    [
      "a value read by ID",
      /“b” reads a value of “a”/,
      flowOf({ a: { type: "text" }, b: { type: "subflow", config: { sourceNodeId: "a" } } }),
      ["b"],
    ],
    [
      "portals apart",
      /channel “mail”/,
      flowOf({
        a: { type: "portalIn", config: { channel: "mail" } },
        b: { type: "portalOut", config: { channel: "mail" } },
      }),
      ["a"],
    ],
    [
      "a context across",
      /conversation goes on from “a” to “b”/,
      flowOf({ a: { type: "contextStart" }, b: { type: "chat" } }, ["a.context>b.context"]),
      ["b"],
    ],
    [
      "tools across",
      /“b” gets its tools from “a”/,
      flowOf({ a: { type: "tools" }, b: { type: "chat" } }, ["a.tools>b.tools"]),
      ["b"],
    ],
    [
      "an edge that leaves a loop by its side",
      /edge from “a” leaves the loop “Loop”/,
      flowOf({ ...inLoop({ type: "loop" }, ["a", { type: "text" }]), b: { type: "json" } }, ["a.text>b.value"]),
      ["loop"],
    ],
    [
      "values gathered from outside",
      /“c” gathers/,
      flowOf({ a: { type: "text" }, b: { type: "text" }, c: { type: "join" } }, ["a.text>c.values", "b.text>c.values"]),
      ["b", "c"],
    ],
    [
      "a way out and back in",
      /“b” is between/,
      flowOf({ a: { type: "json" }, b: { type: "json" }, c: { type: "json" } }, [
        "a.result>b.value",
        "b.result>c.value",
      ]),
      ["a", "c"],
    ],
  ])("%s", (_, reason, flow, ids) => {
    expect(convert(flow, ids)).toEqual({ refused: expect.stringMatching(reason) });
  });
});

describe("a selection that becomes a sub-flow", () => {
  const CHAIN = flowOf({ a: { type: "text" }, b: { type: "json" }, c: { type: "json" }, d: { type: "json" } }, [
    "a.text>b.value",
    "b.result>c.value",
    "c.result>d.value",
  ]);
  const converted = (flow: Flow, ids: string[]) => {
    const outcome = convert(flow, ids);
    if ("refused" in outcome) throw new Error(outcome.refused);
    return { outer: outcome.flow, inner: innerFlowOf(outcome.flow.nodes[outcome.nodes[0] ?? ""]) };
  };

  it("takes the frames and the points of edges that are in it along", () => {
    const frame = { title: "Parse", nodes: ["b", "c"], x: 280, y: 40, width: 600, height: 300 };
    const flow: Flow = { ...CHAIN, frames: { frame }, routes: { "b.result>c.value": [{ x: 520, y: 10 }] } };
    const { outer, inner } = converted(flow, ["b", "c"]);
    const { x, y } = inner?.layout.b ?? { x: Number.NaN, y: Number.NaN };
    const by = { x: x - (flow.layout.b?.x ?? 0), y: y - (flow.layout.b?.y ?? 0) };
    expect(inner?.frames).toEqual({ frame: { ...frame, x: frame.x + by.x, y: frame.y + by.y } });
    expect(inner?.routes).toEqual({ "b.result>c.value": [{ x: 520 + by.x, y: 10 + by.y }] });
    expect(outer.frames).toBeUndefined();
    expect(outer.routes ?? {}).toEqual({});
  });

  it("keeps the frame of a loop’s body where it is in the loop", () => {
    const frame = { title: "Body", nodes: ["a"], x: 30, y: 40, width: 240, height: 140 };
    const flow = { ...flowOf(inLoop({ type: "loop" }, ["a", { type: "text" }])), frames: { frame } };
    flow.layout.loop = { x: 500, y: 300 };
    expect(converted(flow, ["loop"]).inner?.frames).toEqual({ frame });
  });

  it("takes its place in the frame that has other nodes as well", () => {
    const frame = { title: "Parse", nodes: ["b", "c"], x: 280, y: 40, width: 600, height: 300 };
    const { outer, inner } = converted({ ...CHAIN, frames: { frame } }, ["c"]);
    expect(outer.frames?.frame?.nodes).toEqual(["b", "subflow", "json"]);
    expect(inner?.frames).toBeUndefined();
  });
});
