import { describe, expect, it, vi } from "vitest";
import type { CheckedFlow, Flow, NodeDescriptor, PortKind, PortType } from "@/bindings";
import nodes from "@/bindings/nodes.json";
import { EMPTY_FLOW, UNCHECKED } from "@/flow/document/flow-state";
import { indexNodeTypes } from "@/flow/node-types/node-types";
import { edgeBetween, fittingPort, partners, refusal } from "./connection";
import { drawnPorts, type End, feeds } from "./ports";

const out = (node: string, port: string): End => ({ node, side: "out", port });
const into = (node: string, port: string): End => ({ node, side: "in", port });

const flow: Flow = {
  ...EMPTY_FLOW,
  nodes: {
    start: { type: "contextStart" },
    ask: { type: "userInput", title: "Ask" },
    tools: { type: "tools" },
    strange: { type: "fromTheFuture" },
  },
  edges: { e: { source: "start", sourceOutput: "context", target: "ask", targetInput: "context" } },
};

const types = indexNodeTypes(nodes as unknown as NodeDescriptor[]);

describe("a connection", () => {
  it("goes from an output to an input, in either order of the ends", () => {
    const edge = { source: "ask", sourceOutput: "message", target: "ask", targetInput: "in" };
    expect(edgeBetween(out("ask", "message"), into("ask", "in"))).toEqual(edge);
    expect(edgeBetween(into("ask", "in"), out("ask", "message"))).toEqual(edge);
    expect(refusal(types, flow, UNCHECKED, out("ask", "message"), out("start", "context"))).toMatch("Both are outputs");
    expect(refusal(types, flow, UNCHECKED, into("ask", "in"), into("ask", "context"))).toMatch("Both are inputs");
  });

  it("is refused between strands, with the reason", () => {
    expect(refusal(types, flow, UNCHECKED, out("tools", "tools"), into("ask", "context"))).toBe(
      "“tools” provides tools, but “context” accepts a context.",
    );
  });

  it("is refused between types that do not feed each other", () => {
    const checked: CheckedFlow = {
      ...UNCHECKED,
      ports: {
        ask: {
          inputs: [{ name: "n", kind: "data", type: "number", required: false, many: false, description: "" }],
          outputs: [],
        },
      },
    };
    expect(refusal(types, flow, checked, out("tools", "names"), into("ask", "n"))).toBe(
      "“names” provides a list, but “n” accepts a number.",
    );
  });

  it("is refused if it exists, but may be moved onto itself", () => {
    expect(refusal(types, flow, UNCHECKED, out("start", "context"), into("ask", "context"))).toBe(
      "These ports are already connected.",
    );
    expect(refusal(types, flow, UNCHECKED, out("start", "context"), into("ask", "context"), "e")).toBeUndefined();
  });

  it("is validated without building a string for each edge", () => {
    const texts = vi.spyOn(JSON, "stringify");
    refusal(types, flow, UNCHECKED, out("start", "context"), into("ask", "context"));
    expect(texts).not.toHaveBeenCalled();
  });

  it("is refused to a node of unknown type", () => {
    expect(refusal(types, flow, UNCHECKED, out("ask", "message"), into("strange", "in"))).toMatch("fromTheFuture");
  });

  it("prefers the ports of the check to those of the type", () => {
    expect(refusal(types, flow, UNCHECKED, out("ask", "message"), into("ask", "topic"))).toMatch("no input “topic”");
  });

  it("offers exactly the compatible ends", () => {
    for (const end of [out("start", "context"), out("ask", "message"), into("ask", "in"), out("tools", "tools")]) {
      const offered = new Set(partners(types, flow, UNCHECKED, end).map((other) => JSON.stringify(other)));
      for (const [id, node] of Object.entries(flow.nodes)) {
        const ports = types.byType.get(node.type)?.ports;
        const ends = [
          ...(ports?.inputs ?? []).map((port) => into(id, port.name)),
          ...(ports?.outputs ?? []).map((port) => out(id, port.name)),
        ];
        for (const other of ends) {
          expect(offered.has(JSON.stringify(other))).toBe(refusal(types, flow, UNCHECKED, end, other) === undefined);
        }
      }
    }
  });
});

describe("types", () => {
  const all: PortType[] = ["any", "text", "number", "boolean", "list", "object"];

  it("are compatible by the engine's rule", () => {
    const pairs = all.flatMap((from) => all.filter((to) => feeds(from, to)).map((to) => `${from}>${to}`));
    expect(pairs).toEqual([
      ...all.map((to) => `any>${to}`),
      "text>any",
      "text>text",
      "number>any",
      "number>text",
      "number>number",
      "boolean>any",
      "boolean>text",
      "boolean>boolean",
      "list>any",
      "list>list",
      "object>any",
      "object>object",
    ]);
  });

  it("choose a required input first, and never an error output", () => {
    const port = (kind: PortKind, type: PortType, side: "in" | "out", name: string) => {
      const found = types.byType.get(name);
      return found && fittingPort(found, kind, type, side)?.name;
    };
    expect(port("context", "any", "out", "userInput")).toBe("context");
    expect(port("data", "object", "in", "contextStart")).toBeUndefined();
    expect(port("tools", "any", "out", "text")).toBeUndefined();
  });
});

describe("a node of an unknown type", () => {
  it("has the ports its edges imply, with strands guessed from their names", () => {
    const ports = drawnPorts(
      EMPTY_FLOW,
      undefined,
      [
        { source: "a", sourceOutput: "x", target: "strange", targetInput: "context" },
        { source: "strange", sourceOutput: "tools", target: "b", targetInput: "y" },
      ],
      "strange",
    );
    expect(ports.inputs).toMatchObject([{ name: "context", kind: "context" }]);
    expect(ports.outputs).toMatchObject([{ name: "tools", kind: "tools" }]);
  });
});
