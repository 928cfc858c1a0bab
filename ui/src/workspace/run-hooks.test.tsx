import { cleanup } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Entry, Flow } from "@/bindings";
import { RunSession } from "@/run/live/session";
import { fakeFrames } from "./fake-frames";
import { useEventCount, useNodeOf } from "./run-hooks";
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
});
