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

const doSpin = () => document.documentElement.hasAttribute("data-spinning-rings");
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

it("AnimationLimit lets rings spin once few nodes have run for a moment", () => {
  const { push, pass, unmount } = renderLimit();
  expect(doSpin()).toBe(false);
  push(["n0"].map(started));
  pass(200);
  expect(doSpin()).toBe(false);
  pass(200);
  expect(doSpin()).toBe(true);
  push(["n0"].map(finished));
  pass(16);
  expect(doSpin()).toBe(false);
  push(["n1"].map(started));
  pass(400);
  expect(doSpin()).toBe(true);
  unmount();
  expect(doSpin()).toBe(false);
});

it("AnimationLimit stops the rings in the frame in which too many nodes are seen to run", () => {
  const { push, pass, unmount } = renderLimit();
  push(["n0"].map(started));
  pass(400);
  expect(doSpin()).toBe(true);
  // The count has just been published, so it is not published again for a while.
  push([{ ...finished("n0"), node: "other" } as Entry]);
  pass(16);
  push(["n1", "n2", "n3"].map(started));
  pass(16);
  expect(doSpin()).toBe(false);
  unmount();
});

it("AnimationLimit lets rings spin again once few nodes have run for a second", () => {
  const { push, pass, unmount } = renderLimit();
  push(Array.from({ length: 4 }, (_, index) => started(`n${index}`)));
  pass(400);
  expect(doSpin()).toBe(false);

  // A flow of many short nodes crosses the limit all the time.
  for (let iteration = 1; iteration <= 5; iteration++) {
    push([finished("n0")]);
    pass(400);
    expect(doSpin()).toBe(false);
    push([{ ...started("n0"), epoch: [iteration] } as Entry]);
    pass(400);
    expect(doSpin()).toBe(false);
  }
  expect(document.documentElement.hasAttribute("data-crowded")).toBe(false);
  push([finished("n1")]);
  pass(1_100);
  expect(doSpin()).toBe(true);
  push(["n4"].map(started));
  pass(16);
  push([...["n2", "n3", "n4"].map(finished), { ...finished("n0"), epoch: [5] } as Entry]);
  pass(1_100);
  expect(doSpin()).toBe(false);
  push([{ ...started("n4"), epoch: [1] } as Entry]);
  pass(400);
  expect(doSpin()).toBe(true);
  unmount();
});
