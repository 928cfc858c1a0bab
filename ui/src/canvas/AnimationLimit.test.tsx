import { act, cleanup } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { Entry, Flow } from "@/bindings";
import { RunSession } from "@/run/live/session";
import { fakeFrames } from "@/workspace/fake-frames";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { AnimationLimit } from "./AnimationLimit";

const FLOW: Flow = { version: 1, name: "", nodes: {}, edges: {}, layout: {} };

fakeFrames();
afterEach(cleanup);

const areStill = () => document.documentElement.hasAttribute("data-still-rings");
const started = (node: string): Entry => ({ at: 0, type: "node.started", node, epoch: [], attempt: 1 });
const finished = (node: string): Entry =>
  ({ at: 0, type: "node.finished", node, epoch: [], outputs: {}, metadata: { durationMs: 1 } }) as Entry;

/** The limit beside a run that has just begun. */
function renderLimit() {
  const workspace = createTestWorkspace();
  const session = new RunSession(workspace.host, "run", FLOW, {
    changed: (changed, changes) => workspace.activeRun.publish(changed, changes),
    broke: () => undefined,
  });
  workspace.activeRun.show(session);
  const { unmount } = renderInWorkspace(<AnimationLimit />, { workspace });
  const push = (entries: Entry[]) =>
    session.push(entries.map((entry, index) => ({ ...entry, seq: session.fold.head.nextSeq + index })));
  const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));
  return { push, pass, unmount };
}

it("AnimationLimit stops the rings in the frame in which the nodes are seen to run", () => {
  const { push, pass, unmount } = renderLimit();
  push(["n0"].map(started));
  pass(16);
  expect(areStill()).toBe(false);
  push(["n1", "n2", "n3"].map(started));
  pass(16);
  expect(areStill()).toBe(true);
  unmount();
});

it("AnimationLimit stops the rings when many nodes run, and lets them spin again once few have run for a second", () => {
  const { push: pushNow, pass, unmount } = renderLimit();
  const push = (entries: Entry[]) => {
    pushNow(entries);
    pass(200);
  };
  const nodes = Array.from({ length: 4 }, (_, index) => `n${index}`);
  push(nodes.map(started));
  expect(areStill()).toBe(true);

  // A flow of many short nodes crosses the limit all the time.
  for (let iteration = 1; iteration <= 5; iteration++) {
    push([finished("n0")]);
    expect(areStill()).toBe(true);
    push([{ ...started("n0"), epoch: [iteration] } as Entry]);
    expect(areStill()).toBe(true);
  }
  expect(document.documentElement.hasAttribute("data-crowded")).toBe(false);
  push([finished("n1")]);
  pass(1_000);
  expect(areStill()).toBe(false);

  push([{ ...started("n1"), epoch: [1] } as Entry]);
  expect(areStill()).toBe(true);
  unmount();
  expect(areStill()).toBe(false);
});
