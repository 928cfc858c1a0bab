import { expect, it } from "vitest";
import type { Flow, Node } from "@/bindings";
import { flowQuery, type NodeMatch, searchFlow, type TextPart } from "./flow-search";

const TITLES: Record<string, string> = { chat: "Chat", template: "Text", subflow: "Sub-flow" };

function flowOf(nodes: Record<string, Node>): Flow {
  return { version: 1, name: "", nodes, edges: {}, layout: {} };
}

function find(nodes: Record<string, Node>, search: string): NodeMatch[] {
  const query = flowQuery(search);
  return query ? searchFlow(flowOf(nodes), query, (type) => TITLES[type] ?? type) : [];
}

const marked = (parts: readonly TextPart[] = []) =>
  parts.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join("");

const REVIEW: Node = { type: "chat", title: "Review", config: { prompt: "Find the weakest claim.\nBe brief." } };

it("searches titles, types and texts of the configuration without regard to case", () => {
  expect(find({ a: REVIEW }, "REVIEW").map(({ title }) => marked(title))).toEqual(["[Review]"]);
  expect(find({ a: REVIEW }, "chat").map(({ typeTitle }) => marked(typeTitle))).toEqual(["[Chat]"]);
  expect(find({ a: REVIEW }, "weakest CLAIM").map(({ excerpt }) => marked(excerpt?.parts))).toEqual([
    "Find the [weakest] [claim]. Be brief.",
  ]);
  expect(find({ a: REVIEW }, "claim")[0]?.excerpt?.field).toBe("Prompt");
});

it("finds a node by the title of its type if it has none of its own", () => {
  expect(find({ a: { type: "template" } }, "text").map(({ title }) => marked(title))).toEqual(["[Text]"]);
});

it("needs every word, each in any text of the same node", () => {
  const other: Node = { type: "chat", title: "Write" };
  expect(find({ a: REVIEW, b: other }, "chat claim").map(({ node }) => node)).toEqual(["a"]);
  expect(find({ a: REVIEW, b: other }, "write claim")).toEqual([]);
  expect(find({ a: REVIEW }, "  ")).toEqual([]);
});

it("takes words literally, and marks the longest of those that begin alike", () => {
  const node: Node = { type: "template", config: { text: "Costs $5 (net) a/b, claims" } };
  expect(marked(find({ a: node }, "$5 (net)")[0]?.excerpt?.parts)).toBe("Costs [$5] [(net)] a/b, claims");
  expect(find({ a: node }, "a/b")).toHaveLength(1);
  expect(find({ a: node }, "c.s")).toEqual([]);
  expect(marked(find({ a: node }, "claim claims")[0]?.excerpt?.parts)).toBe("Costs $5 (net) a/b, [claims]");
});

it("shows the text with the most words, nested ones too, around the first match", () => {
  const node: Node = {
    type: "chat",
    config: {
      prompt: "a budget",
      tools: [{ description: `${"x ".repeat(100)}the yearly budget ${"y ".repeat(200)}` }],
    },
  };
  const [match] = find({ a: node }, "budget yearly");
  expect(match?.excerpt?.field).toBe("Tools");
  const text = marked(match?.excerpt?.parts);
  expect(text).toMatch(/^…x .*the \[yearly\] \[budget\] y .*…$/);
  expect(text.length).toBeLessThan(180);
});

it("searches inner flows by their nodes, and says where these are", () => {
  const inner = flowOf({ deep: { type: "chat", title: "Deep" } });
  const nodes: Record<string, Node> = { outer: { type: "subflow", config: { flow: inner } } };
  expect(find(nodes, "deep").map(({ inside, node }) => [...inside, node])).toEqual([["outer", "deep"]]);
});
