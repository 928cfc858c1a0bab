import { describe, expect, it } from "vitest";
import type { Flow, Node } from "@/bindings";
import { convertToSubflow } from "./convert-to-subflow";
import { dissolveSubflow } from "./dissolve-subflow";
import { flowOf, SUBFLOW_PARTS } from "./subflow-test-parts";

const dissolve = (flow: Flow) => dissolveSubflow(flow, "sub", SUBFLOW_PARTS);
const sub = (inner: Flow, more: Partial<Node> = {}): Node => ({
  type: "subflow",
  ...more,
  config: { flow: inner, inputSource: "mapping", ...more.config },
});
const TEXT = flowOf({ a: { type: "text" } });
const TWO_RESULTS = flowOf({ a: { type: "text" }, one: { type: "output" }, two: { type: "output" } });

describe("what the nodes alone would not be is refused:", () => {
  it.each<[string, RegExp, Flow]>([
    ["a file", /runs a file/, flowOf({ sub: { type: "subflow", config: { file: "a.flow.json" } } })],
    ["an unreadable flow", /can’t be read/, flowOf({ sub: { type: "subflow", config: { flow: 7 } } })],
    [
      "a conversation",
      /adds its result to a conversation/,
      flowOf({ start: { type: "contextStart" }, sub: sub(TEXT) }, ["start.context>sub.context"]),
    ],
    [
      "retries",
      /tried again or limited/,
      flowOf({ sub: sub(TEXT, { retry: { attempts: 2, backoffMs: 1, maxBackoffMs: 1, jitter: 0 } }) }),
    ],
    ["limits", /tried again or limited/, flowOf({ sub: sub(TEXT, { limits: { timeoutMs: 1000 } }) })],
    ["the text that it is given", /“a” takes the text/, flowOf({ sub: sub(flowOf({ a: { type: "manualInput" } })) })],
    ["settings of its own", /settings of its own/, flowOf({ sub: sub({ ...TEXT, settings: { maxConcurrency: 2 } }) })],
    [
      "a value for a node that is not there",
      /passes a value to “gone”/,
      flowOf({ sub: sub(TEXT, { config: { mapping: [{ from: "x", to: "gone.value" }] } }) }),
    ],
    [
      "a reader of its ID",
      /“reader” takes more than one result/,
      flowOf({ sub: sub(TEXT), reader: { type: "subflow", config: { sourceNodeId: "sub" } } }),
    ],
    [
      "its failure",
      /“taker” takes the failure/,
      flowOf({ sub: sub(TEXT), taker: { type: "json" } }, ["sub.error>taker.value"]),
    ],
    [
      "all of its results at once",
      /“taker” takes more than one result/,
      flowOf({ sub: sub(TWO_RESULTS), taker: { type: "json", config: { query: "." } } }, ["sub.result>taker.value"]),
    ],
    [
      "the text of several results",
      /“taker” takes more than one result/,
      flowOf({ sub: sub(TWO_RESULTS), taker: { type: "json", config: { query: "." } } }, ["sub.text>taker.value"]),
    ],
  ])("%s", (_, reason, flow) => {
    expect(dissolve(flow)).toEqual({ refused: expect.stringMatching(reason) });
  });
});

describe("a dissolved sub-flow", () => {
  const done = (flow: Flow) => {
    const outcome = dissolve(flow);
    if ("refused" in outcome) throw new Error(outcome.refused);
    return outcome.flow;
  };

  it("passes its values to a node whose ID has a dot", () => {
    const config = { mapping: [{ from: "x", to: "a.b.value" }] };
    const flow = flowOf({ s: { type: "text" }, sub: sub(flowOf({ "a.b": { type: "json" } }), { config }) }, [
      "s.text>sub.x",
    ]);
    expect(Object.values(done(flow).edges)).toEqual([
      { source: "s", sourceOutput: "text", target: "a.b", targetInput: "value" },
    ]);
  });

  it("gives back the frames and the points of edges that were in it", () => {
    const before: Flow = {
      ...flowOf({ a: { type: "text" }, b: { type: "json" }, c: { type: "json" } }, [
        "a.text>b.value",
        "b.result>c.value",
      ]),
      frames: { frame: { title: "Parse", nodes: ["b", "c"], x: 280, y: 40, width: 600, height: 300 } },
      routes: { "b.result>c.value": [{ x: 520, y: 10 }] },
    };
    const converted = convertToSubflow(before, ["b", "c"], SUBFLOW_PARTS);
    if ("refused" in converted) throw new Error(converted.refused);
    const outcome = dissolveSubflow(converted.flow, converted.nodes[0] ?? "", SUBFLOW_PARTS);
    if ("refused" in outcome) throw new Error(outcome.refused);
    const { frames = {}, routes, layout } = outcome.flow;
    const by = { x: (layout.b?.x ?? 0) - 300, y: (layout.b?.y ?? 0) - 90 };
    expect(Object.values(frames)).toEqual([{ ...before.frames?.frame, x: 280 + by.x, y: 40 + by.y }]);
    expect(Object.values(routes ?? {})).toEqual([[{ x: 520 + by.x, y: 10 + by.y }]]);
  });

  it("keeps an inner frame without the results in it", () => {
    const inner = flowOf({ a: { type: "text" }, result: { type: "output" } }, ["a.text>result.value"]);
    const frame = { title: "Reply", nodes: ["a", "result"], x: -20, y: 40, width: 600, height: 200 };
    const frames = Object.values(done(flowOf({ sub: sub({ ...inner, frames: { frame } }) })).frames ?? {});
    expect(frames).toMatchObject([{ title: "Reply", nodes: ["a"] }]);
  });

  it("keeps the points of edges that are outside of its nodes", () => {
    const route = [
      { x: 240, y: 300 },
      { x: 240, y: -60 },
    ];
    const before: Flow = {
      ...flowOf({ a: { type: "text" }, b: { type: "json" }, c: { type: "json" }, d: { type: "json" } }, [
        "a.text>b.value",
        "b.result>c.value",
        "c.result>d.value",
      ]),
      routes: {
        // The last point of the first edge and the first of the last are beside the nodes that are converted.
        "a.text>b.value": [...route, { x: 540, y: 100 }],
        "c.result>d.value": [{ x: 560, y: 120 }, ...route.map(({ x, y }) => ({ x: x + 620, y }))],
      },
    };
    const converted = convertToSubflow(before, ["b", "c"], SUBFLOW_PARTS);
    if ("refused" in converted) throw new Error(converted.refused);
    const routes = (flow: Flow) => Object.values(flow.routes ?? {});
    expect(routes(converted.flow)).toEqual([route, route.map(({ x, y }) => ({ x: x + 620, y }))]);
    const outcome = dissolveSubflow(converted.flow, converted.nodes[0] ?? "", SUBFLOW_PARTS);
    if ("refused" in outcome) throw new Error(outcome.refused);
    expect(routes(outcome.flow)).toEqual([route, route.map(({ x, y }) => ({ x: x + 620, y }))]);
  });

  it("keeps ids that are free, and edges and reads where one is taken", () => {
    const inner = flowOf(
      { "b-2": { type: "text" }, a: { type: "json" }, reader: { type: "subflow", config: { sourceNodeId: "a" } } },
      ["b-2.text>a.value"],
    );
    const flow = done(flowOf({ a: { type: "text" }, "a-2": { type: "text" }, sub: sub(inner) }));
    expect(Object.keys(flow.nodes)).toEqual(["a", "a-2", "b-2", "a-3", "reader"]);
    expect(Object.values(flow.edges)).toMatchObject([{ source: "b-2", target: "a-3" }]);
    expect(flow.nodes.reader?.config?.sourceNodeId).toBe("a-3");
    const free = done(flowOf({ sub: sub(inner) }));
    expect(Object.keys(free.edges)).toEqual(["b-2.text>a.value"]);
  });

  it("renames the agent that summarizes for a loop where its id is taken", () => {
    const loop: Node = { type: "loop", config: { history_management: { summarizer_agent: "a" } } };
    const flow = done(flowOf({ a: { type: "text" }, sub: sub(flowOf({ a: { type: "chat" }, loop })) }));
    expect(flow.nodes.loop?.config?.history_management).toEqual({ summarizer_agent: "a-2" });
  });

  it("keeps its portals and its contexts apart from those of the same names around it", () => {
    const portal = (type: string, channel?: string): Node => ({ type, config: channel ? { channel } : {} });
    const start = (contextId?: string): Node => ({ type: "contextStart", config: contextId ? { contextId } : {} });
    const inner = flowOf({
      in: portal("portalIn"),
      out: portal("portalOut", "portal"),
      mine: portal("portalOut", "mine"),
      start: start(),
      add: { type: "injectMessages", config: { contextId: "main" } },
    });
    const around = { portal: portal("portalIn"), second: portal("portalOut", "portal-2"), begin: start("main") };
    const { nodes } = done(flowOf({ ...around, sub: sub(inner) }));
    const configs = ["in", "out", "mine", "start", "add", "portal", "begin"].map((id) => nodes[id]?.config);
    expect(configs).toEqual([
      { channel: "portal-3" },
      { channel: "portal-3" },
      { channel: "mine" },
      { contextId: "main-2" },
      { contextId: "main-2" },
      {},
      { contextId: "main" },
    ]);
  });

  it("puts its nodes into the frame that it was in", () => {
    const frame = { title: "Reply", nodes: ["sub"], x: -20, y: 40, width: 300, height: 200 };
    const inBody = flowOf({ loop: { type: "loop" }, sub: sub(TEXT, { parent: "loop" }) });
    for (const flow of [flowOf({ sub: sub(TEXT) }), inBody])
      expect(done({ ...flow, frames: { frame } }).frames?.frame?.nodes).toEqual(["a"]);
  });
});
