import { expect, it } from "vitest";
import type { Entry, LoopTurnsView } from "@/bindings";
import { turnsAfter } from "./loop-turns";

const JOURNAL = [
  { type: "history.appended", node: "loop", epoch: [], turns: [{ id: "a" }, { id: "b" }], pinned: ["a"] },
  { type: "history.pinned", node: "loop", epoch: [], turn: "b", pinned: true },
  { type: "history.pinned", node: "loop", epoch: [], turn: "a", pinned: false },
  { type: "history.appended", node: "loop", epoch: [], turns: [{ id: "c" }] },
  { type: "node.finished", node: "loop", epoch: [] },
  { type: "history.appended", node: "other", epoch: [0], turns: [{ id: "d" }] },
  { type: "run.finished", outputs: {} },
] as unknown as Entry[];

const turn = (id: string) => ({ id, role: "user", node: "ask", epoch: [], text: id, tokens: 1, pinned: false });
const ALL = [
  { node: "loop", epoch: [], turns: ["a", "b", "c"].map(turn), isOpen: false },
  { node: "other", epoch: [0], turns: [turn("d")], isOpen: false },
] as LoopTurnsView[];

const at = (count: number) =>
  turnsAfter(JOURNAL.slice(0, count), ALL).map(
    ({ turns, isOpen }) =>
      `${turns.map(({ id, pinned }) => (pinned ? `*${id}` : id)).join(" ")}${isOpen ? "" : " (ended)"}`,
  );

it("leaves out what was said and pinned later", () => {
  expect([0, 1, 2, 3, 4].map(at)).toEqual([[], ["*a b"], ["*a *b"], ["a *b"], ["a *b c"]]);
});

it("ends with the loop and the run", () => {
  expect([5, 6, 7].map(at)).toEqual([["a *b c (ended)"], ["a *b c (ended)", "d"], ["a *b c (ended)", "d (ended)"]]);
});
