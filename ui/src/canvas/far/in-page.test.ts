import { expect, it } from "vitest";
import { reachable } from "./in-page";

const nodes = (selected?: number) => ["a", "b", "c", "d"].map((id, at) => ({ id, selected: at === selected }));

it("the first and the last node are reached from outside", () => {
  expect([...reachable(nodes())]).toEqual(["a", "d"]);
  expect([...reachable([])]).toEqual([]);
});

it("from the selected node, those before and after it are reached", () => {
  expect([...reachable(nodes(1))]).toEqual(["a", "b", "c"]);
  expect([...reachable(nodes(3))]).toEqual(["c", "d"]);
});
