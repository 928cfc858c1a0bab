import { act, cleanup } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Entry, Flow } from "@/bindings";
import { RunSession } from "@/run/live/session";
import { fakeFrames } from "./fake-frames";
import { useEventCount, useNodeOf, useRunHead } from "./run-hooks";
import { createTestWorkspace, renderInWorkspace } from "./test-workspace";
import type { Workspace } from "./workspace";

const FLOW: Flow = { version: 1, name: "", nodes: {}, edges: {}, layout: {} };
const FRAME_MS = 16;

let drawn: string[];
let counted: number;
let workspace: Workspace;

function Card() {
  drawn.push(useNodeOf("chat", (view) => view?.epochs[0]?.streamed ?? ""));
  return null;
}
function State() {
  const head = useRunHead(({ counts }) => counts.done);
  drawn.push(`${useNodeOf("chat", (view) => view?.state ?? "none")}, ${head} done`);
  return null;
}
function Count() {
  useEventCount();
  counted += 1;
  return null;
}

fakeFrames();
beforeEach(() => {
  workspace = createTestWorkspace();
  drawn = [];
  counted = 0;
});
afterEach(cleanup);

const delta = (text: string): Entry => ({ at: 0, type: "node.delta", node: "chat", epoch: [], text });
const ready = (seq: number): Entry => ({ seq, at: 0, type: "node.ready", node: `n${seq}`, epoch: [] });

function begin(): RunSession {
  const session = new RunSession(workspace.host, "run", FLOW, {
    changed: (changed, changes) => workspace.activeRun.publish(changed, changes),
    broke: () => undefined,
  });
  workspace.activeRun.show(session);
  session.push([{ seq: 0, at: 0, type: "node.started", node: "chat", epoch: [], attempt: 1 }]);
  vi.advanceTimersByTime(200);
  return session;
}

describe("the active run", () => {
  it("updates streams within two frames", () => {
    const session = begin();
    renderInWorkspace(<Card />, { workspace });
    let said = "";
    for (let frame = 0; frame < 30; frame++) {
      said += `${frame} `;
      session.push([delta(`${frame} `)]);
      vi.advanceTimersByTime(2 * FRAME_MS);
      expect(drawn.at(-1)).toBe(said);
    }
  });

  it("throttles counts and lists", () => {
    const session = begin();
    renderInWorkspace(<Count />, { workspace });
    const before = counted;
    for (let seq = 1; seq <= 60; seq++) {
      session.push([ready(seq)]);
      vi.advanceTimersByTime(FRAME_MS);
    }
    expect(counted - before).toBeGreaterThan(10);
    expect(counted - before).toBeLessThan(20);
  });

  it("stays in the past while the run goes on, and follows it again from now on", () => {
    const session = begin();
    renderInWorkspace(
      <>
        <State />
        <Count />
      </>,
      { workspace },
    );
    session.push([ready(1), ready(2)]);
    vi.advanceTimersByTime(200);
    act(() => workspace.activeRun.lookAt(2));
    const [looked, before] = [drawn.length, counted];
    session.push([
      { seq: 3, at: 0, type: "node.finished", node: "chat", epoch: [], outputs: {}, metadata: { durationMs: 1 } },
    ]);
    vi.advanceTimersByTime(200);
    expect(drawn.slice(looked)).toEqual([]);
    expect(counted).toBeGreaterThan(before);
    act(() => workspace.activeRun.lookAt(undefined));
    vi.advanceTimersByTime(200);
    expect(drawn.at(-1)).toBe("done, 1 done");
    act(() => workspace.activeRun.lookAt(1));
    vi.advanceTimersByTime(200);
    expect(drawn.at(-1)).toBe("running, 0 done");
  });

  it("is at now after its last event, and leaves the past with its run", () => {
    const session = begin();
    session.push([ready(1)]);
    vi.advanceTimersByTime(200);
    workspace.activeRun.lookAt(1);
    expect(workspace.activeRun.past?.count).toBe(1);
    workspace.activeRun.lookAt(2);
    expect(workspace.activeRun.past).toBeUndefined();
    workspace.activeRun.lookAt(1);
    workspace.activeRun.show(undefined);
    expect(workspace.activeRun.past).toBeUndefined();
  });
});
