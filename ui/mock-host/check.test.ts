import { expect, it } from "vitest";
import type { Flow, Node, NodeDescriptor } from "@/bindings";
import nodes from "@/bindings/nodes.json";
import { checkFlow } from "./check";

const TYPES = new Map((nodes as unknown as NodeDescriptor[]).map((type) => [type.type, type]));
const check = (source: string, sourceOutput?: string) => {
  const config = { file: "a.flow.json", inputSource: "nodeOutput", sourceNodeId: source, sourceOutput };
  const flow: Flow = {
    version: 1,
    name: "",
    nodes: {
      ask: { type: "userInput" },
      strange: { type: "nobody" },
      note: { type: "note" },
      child: { type: "subflow", config } as Node,
    },
    edges: {},
    layout: {},
  };
  const { reads, diagnostics } = checkFlow(flow, TYPES);
  const codes = diagnostics.filter(({ node, edge }) => node === "child" || edge !== undefined).map(({ code }) => code);
  return { output: reads["child/sourceNodeId"]?.sourceOutput, codes };
};

it("reads from a node that a config names as the engine does", () => {
  expect(check("ask").output).toBe("message");
  expect(check("gone")).toEqual({ output: undefined, codes: ["config.unknown_source"] });
  expect(check("gone", "message").output).toBeUndefined();
  expect(check("strange", "message")).toEqual({ output: undefined, codes: [] });
  expect(check("note")).toEqual({ output: undefined, codes: ["config.unknown_source"] });
  expect(check("ask", "nothing").codes).toEqual(["edge.unknown_port"]);
});
