import { expect, it } from "vitest";
import { wayOf } from "./lit-way";

const EDGES = [
  { id: "a", source: "start", sourceHandle: "context", target: "ask", targetHandle: "context" },
  { id: "b", source: "start", sourceHandle: "context", target: "answer", targetHandle: "context" },
  { id: "c", source: "ask", sourceHandle: "message", target: "answer", targetHandle: "message" },
];
const lit = (pointed: Parameters<typeof wayOf>[0]) => {
  const { edges, nodes } = wayOf(pointed, EDGES);
  return [[...edges], [...nodes]];
};

it("lights an edge and the nodes at its ends", () => {
  expect(lit({ edge: "c" })).toEqual([["c"], ["ask", "answer"]]);
});

it("lights all edges of a port, on its side of the card only", () => {
  expect(lit({ node: "start", handle: "context", side: "source" })).toEqual([
    ["a", "b"],
    ["start", "ask", "answer"],
  ]);
  expect(lit({ node: "ask", handle: "context", side: "source" })).toEqual([[], []]);
});
