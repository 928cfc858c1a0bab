import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Edge, Flow, Node, NodeDescriptor } from "@/bindings";
import descriptors from "@/bindings/nodes.json";
import { indexNodeTypes } from "@/flow/node-types/node-types";
import { convertToSubflow } from "@/flow/subflows/convert-to-subflow";
import { dissolveSubflow } from "@/flow/subflows/dissolve-subflow";
import type { Outcome, SubflowParts } from "@/flow/subflows/subflow-border";
import { checkFlow } from "./check";

const types = indexNodeTypes(descriptors as unknown as NodeDescriptor[]);
const partsFor = (flow: Flow): SubflowParts => ({
  types,
  checked: checkFlow(flow, types.byType),
  sizeOf: () => ({ width: 208, height: 80 }),
  nameOf: (one, id) => one.nodes[id]?.title ?? id,
});
const convert = (flow: Flow, ids: string[]) => convertToSubflow(flow, ids, partsFor(flow));
const dissolve = (flow: Flow, id: string) => dissolveSubflow(flow, id, partsFor(flow));

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

const problems = (flow: Flow) => checkFlow(flow, types.byType).diagnostics.map((one) => one.message);
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

describe("convertToSubflow", () => {
  it("makes ports of what crosses the border, with the names of the other ends", () => {
    const { flow, nodes } = done(convert(CHAIN, ["clean", "draft"]));
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
    expect(problems(flow)).toEqual([]);
  });
});

describe("dissolveSubflow", () => {
  it("gives nodes whose IDs are taken other ones, also where configs name them", () => {
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
    const { flow: after } = done(dissolve(flow, "sub"));
    expect(Object.keys(after.nodes).sort()).toEqual(["child", "text", "text-2"]);
    expect(after.nodes.child?.config?.sourceNodeId).toBe("text-2");
  });

  it("gives back the flow that was converted", () => {
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
    fc.assert(
      fc.property(graph, ({ kinds, sources, more, chosen }) => {
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
        const outcome = convert(
          flow,
          chosen.map((at) => `n${at + 1}`),
        );
        if ("refused" in outcome) return;
        converted += 1;
        expect(problems(outcome.flow)).toEqual(problems(flow));
        const [sub = ""] = outcome.nodes;
        const back = done(dissolve(outcome.flow, sub)).flow;
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
