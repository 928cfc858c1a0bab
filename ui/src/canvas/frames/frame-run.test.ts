import { expect, it } from "vitest";
import type { NodeRunState } from "@/run/nodes/element-views";
import { mostUrgent } from "./frame-run";

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
