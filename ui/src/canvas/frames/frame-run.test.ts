import { expect, it } from "vitest";
import type { Flow } from "@/bindings";
import { EMPTY_FLOW } from "@/flow/document/flow-state";
import type { RunSession } from "@/run/live/session";
import type { NodeRunState } from "@/run/nodes/element-views";
import { isFrameStaleIn, mostUrgent } from "./frame-run";

const states = (...all: NodeRunState[]) => all.map((state, at) => ({ node: `n${at}`, state }));

it("puts a failure before a question, that before what runs, and that before what is done", () => {
  expect(mostUrgent(states("done", "running", "paused", "failed"))).toEqual({ node: "n3", state: "failed" });
  expect(mostUrgent(states("done", "running", "paused"))?.state).toBe("paused");
  expect(mostUrgent(states("skipped", "done", "running"))?.state).toBe("running");
  expect(mostUrgent(states("skipped", "done"))?.state).toBe("done");
  expect(mostUrgent([])).toBeUndefined();
});

it("is as done as its main node, once nothing else is going on", () => {
  expect(mostUrgent(states("done", "skipped"), "n1")).toEqual({ node: "n1", state: "skipped" });
  expect(mostUrgent(states("done", "running", "done"), "n0")?.node).toBe("n1");
  expect(mostUrgent(states("done", "failed"), "n0")?.state).toBe("failed");
});

it("is stale once a node in it that ran, or in a body in it, was edited", () => {
  const ran: Flow = {
    ...EMPTY_FLOW,
    nodes: {
      first: { type: "template" },
      loop: { type: "loop" },
      inner: { type: "template", parent: "loop" },
      idle: { type: "template" },
      outside: { type: "template" },
    },
  };
  const frame = { title: "Steps", nodes: ["first", "loop", "idle"], x: 0, y: 0, width: 100, height: 100 };
  const nodes = new Map(["first", "loop", "inner", "outside"].map((id) => [id, { epochs: [] }]));
  const session = { flow: ran, fold: { nodes } } as unknown as RunSession;
  const staleAfter = (edited: string) => {
    const config = { template: "Other" };
    const now = { ...ran, nodes: { ...ran.nodes, [edited]: { ...ran.nodes[edited], config } } } as Flow;
    return isFrameStaleIn(session, now, frame);
  };
  expect(isFrameStaleIn(session, ran, frame)).toBe(false);
  expect(["first", "inner"].map(staleAfter)).toEqual([true, true]);
  expect(["idle", "outside"].map(staleAfter)).toEqual([false, false]);
  expect(isFrameStaleIn(undefined, ran, frame)).toBe(false);
});
