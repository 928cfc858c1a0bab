/** Sub-flows are made of nodes and dissolved, by what the host says of their ports. Without a page. */
import fc from "fast-check";
import type { Edge, Flow, Node } from "../../src/bindings";
import { indexNodeTypes } from "../../src/flow/node-types/node-types";
import { convertToSubflow } from "../../src/flow/subflows/convert-to-subflow";
import { dissolveSubflow } from "../../src/flow/subflows/dissolve-subflow";
import type { Outcome, SubflowParts } from "../../src/flow/subflows/subflow-border";
import { expect, type TestHost, test } from "./fixture";

let types: ReturnType<typeof indexNodeTypes>;
test.beforeEach(async ({ host }) => {
  types = indexNodeTypes(await host.call("nodes.list", {}));
});

async function partsFor(host: TestHost, flow: Flow): Promise<SubflowParts> {
  return {
    types,
    checked: await host.call("flow.check", { flow }),
    sizeOf: () => ({ width: 208, height: 80 }),
    nameOf: (one, id) => one.nodes[id]?.title ?? id,
  };
}
const convert = async (host: TestHost, flow: Flow, ids: string[]) =>
  convertToSubflow(flow, ids, await partsFor(host, flow));
const dissolve = async (host: TestHost, flow: Flow, id: string) =>
  dissolveSubflow(flow, id, await partsFor(host, flow));

function flowOf(nodes: Record<string, Node>, edges: readonly string[]): Flow {
  const parsed = edges.map((text) => {
    const [source = "", sourceOutput = "", target = "", targetInput = ""] = text.split(/[.>]/);
    return [text, { source, sourceOutput, target, targetInput }] as const;
  });
  const layout = Object.fromEntries(
    Object.keys(nodes).map((id, index) => [id, { x: 300 * index, y: (index % 3) * 90 }]),
  );
  return { version: 1, name: "", nodes, edges: Object.fromEntries(parsed), layout };
}

function done(outcome: Outcome): { flow: Flow; nodes: string[] } {
  if ("refused" in outcome) throw new Error(outcome.refused);
  return outcome;
}

async function problems(host: TestHost, flow: Flow): Promise<string[]> {
  const { diagnostics } = await host.call("flow.check", { flow });
  return diagnostics.map((one) => one.message);
}
const ends = (flow: Flow) =>
  Object.values(flow.edges)
    .map((edge: Edge) => Object.values(edge).join(" "))
    .sort();

const CHAIN = flowOf(
  {
    ticket: { type: "text", title: "Ticket" },
    clean: { type: "json", config: { query: "." } },
    draft: { type: "text", title: "Draft", config: { template: "{{ticket}} {{raw}}" } },
    result: { type: "output" },
  },
  ["ticket.text>clean.value", "clean.result>draft.ticket", "ticket.text>draft.raw", "draft.text>result.value"],
);

test.describe("convertToSubflow", () => {
  test("makes ports of what crosses the border, with the names of the other ends", async ({ host }) => {
    const { flow, nodes } = done(await convert(host, CHAIN, ["clean", "draft"]));
    expect(nodes).toEqual(["subflow"]);
    expect(flow.nodes.subflow?.config).toMatchObject({
      inputSource: "mapping",
      mapping: [
        { from: "ticket", to: "clean.value" },
        { from: "ticket", to: "draft.raw" },
      ],
      flow: { nodes: { output: { type: "output", title: "Draft" } } },
    });
    expect(ends(flow)).toEqual(["json result result value", "subflow result json value", "ticket text subflow ticket"]);
    expect(await problems(host, flow)).toEqual([]);
  });
});

test.describe("dissolveSubflow", () => {
  test("gives nodes whose IDs are taken other ones, also where configs name them", async ({ host }) => {
    const inner = flowOf(
      {
        text: { type: "text" },
        child: { type: "subflow", config: { inputSource: "nodeOutput", sourceNodeId: "text" } },
      },
      [],
    );
    const flow = flowOf(
      { text: { type: "text" }, sub: { type: "subflow", config: { flow: inner, inputSource: "mapping" } } },
      [],
    );
    const { flow: after } = done(await dissolve(host, flow, "sub"));
    expect(Object.keys(after.nodes).sort()).toEqual(["child", "text", "text-2"]);
    expect(after.nodes.child?.config?.sourceNodeId).toBe("text-2");
  });

  test("gives back the flow that was converted", async ({ host }) => {
    const graph = fc.integer({ min: 2, max: 9 }).chain((count) =>
      fc.record({
        kinds: fc.array(fc.constantFrom("json", "text", "delay", "join"), { minLength: count, maxLength: count }),
        sources: fc.array(fc.nat(), { minLength: count, maxLength: count }),
        more: fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 4 }),
        chosen: fc.uniqueArray(fc.nat(count - 1), { minLength: 1 }),
      }),
    );
    const INPUT = { json: "value", text: "x", delay: "in", join: "values" } as const;
    const OUT = { json: "result", text: "text", delay: "out", join: "list" } as const;
    let converted = 0;
    await fc.assert(
      fc.asyncProperty(graph, async ({ kinds, sources, more, chosen }) => {
        const all = (["text", ...kinds] as (keyof typeof INPUT)[]).map((type, at) => ({ type, id: `n${at}`, at }));
        const nodes = Object.fromEntries(
          all.map(({ id, type, at }): [string, Node] => [
            id,
            { type, title: `N ${at}`, ...(type === "text" && at > 0 ? { config: { template: "{{x}}" } } : {}) },
          ]),
        );
        const edges = new Set<string>();
        const wire = (from: number, to: number) => {
          const [a, b] = [all[from], all[to]];
          if (a && b && from < to) edges.add(`${a.id}.${OUT[a.type]}>${b.id}.${INPUT[b.type]}`);
        };
        for (const { at } of all.slice(1)) wire((sources[at - 1] ?? 0) % at, at);
        for (const [from, to] of more) if (kinds[to] === "join") wire(from, to + 1);
        const flow = flowOf(nodes, [...edges]);
        const outcome = await convert(
          host,
          flow,
          chosen.map((at) => `n${at + 1}`),
        );
        if ("refused" in outcome) return;
        converted += 1;
        expect(await problems(host, outcome.flow)).toEqual(await problems(host, flow));
        const [sub = ""] = outcome.nodes;
        const back = done(await dissolve(host, outcome.flow, sub)).flow;
        expect(back.nodes).toEqual(flow.nodes);
        expect(ends(back)).toEqual(ends(flow));
        for (const [id, at] of Object.entries(flow.layout)) {
          expect(Math.abs((back.layout[id]?.x ?? 0) - at.x)).toBeLessThanOrEqual(20);
        }
      }),
    );
    expect(converted).toBeGreaterThan(20);
  });
});
