import { describe, expect, it } from "vitest";
import type { NodeDescriptor } from "@/bindings";
import nodes from "@/bindings/nodes.json";
import { searchTypes } from "./search";

const types = nodes as unknown as NodeDescriptor[];

describe("searchTypes", () => {
  it("finds a node type by title, terms and words of its summary", () => {
    const first = (query: string) => searchTypes(types, query)[0]?.type;
    expect([first("ask"), first("chat"), first("gpt"), first("template"), first("new con")]).toEqual([
      "userInput",
      "chat",
      "chat",
      "text",
      "newContext",
    ]);
    expect(searchTypes(types, "qqqq")).toEqual([]);
    expect(searchTypes(types, " ")).toBe(types);
  });
});
