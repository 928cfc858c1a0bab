import { beforeEach, expect, it, vi } from "vitest";
import type { Flow, WaitingRun } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import type { Host } from "@/ipc";
import { WaitingRuns } from "./waiting-runs";

const FLOW = { version: 1, name: "asking", nodes: {}, edges: {} } as unknown as Flow;
const waiting = (run: string, effect: WaitingRun["effect"]): WaitingRun => ({ run, startedAt: 0, effect, why: "" });

let found: WaitingRun[] | Error;
let offers: { text: string; run?: () => void }[];
const host = {
  call: async () => {
    if (found instanceof Error) throw found;
    return found;
  },
} as unknown as Host;

beforeEach(() => {
  offers = [];
  vi.spyOn(notify, "info").mockImplementation((text, action) => void offers.push({ text, run: action?.run }));
});

it("offers to show the runs that wait with an earlier version, and forgets those that were moved", async () => {
  found = [waiting("now", "current"), waiting("same", "same"), waiting("gone", "stranded")];
  const runs = new WaitingRuns(host);
  await runs.check(FLOW, "/a.flow.json");
  expect(offers).toHaveLength(1);
  expect(runs.store.getState().shown).toBe(false);
  offers[0]?.run?.();
  const { shown, saved, runs: listed } = runs.store.getState();
  expect([shown, saved, listed.map(({ run }) => run)]).toEqual([
    true,
    { flow: FLOW, path: "/a.flow.json" },
    ["same", "gone"],
  ]);
  runs.drop("same");
  expect(runs.store.getState().shown).toBe(true);
  runs.drop("gone");
  expect(runs.store.getState().shown).toBe(false);
});

it("says nothing where no run waits with another version, or nobody can say it", async () => {
  const runs = new WaitingRuns(host);
  found = [waiting("now", "current")];
  await runs.check(FLOW, "/a.flow.json");
  found = new Error("flow.invalid");
  await runs.check(FLOW, "/a.flow.json");
  expect(offers).toEqual([]);
});
