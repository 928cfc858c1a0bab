import { expect, test } from "vitest";
import type { Node } from "@/bindings";
import { documentState } from "@/flow/document/flow-state";
import { createRunParts } from "@/run/test-parts";
import { NodeNames } from "./node-names";

test("contexts are named after their makers, or by their ids where names clash", () => {
  const node = (title?: string): Node => ({ type: "newContext", config: {}, title });
  const nodes = { a: node("Review"), b: node("Review"), c: node("Draft"), start: node("Start") };
  const { editor, nodeTypes, activeRun } = createRunParts();
  editor.open(documentState({ version: 1, name: "", nodes, edges: {}, layout: {} }));
  const made = [
    { id: "main", maker: "start" },
    { id: "a#0", maker: "a" },
    { id: "b#0", maker: "b" },
    { id: "c", maker: "c" },
  ];
  expect([...new NodeNames(editor, nodeTypes, activeRun).ofContexts(made).values()]).toEqual([
    "main",
    "a#0",
    "b#0",
    "Draft",
  ]);
});
