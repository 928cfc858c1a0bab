import { act, cleanup } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Entry, Flow } from "@/bindings";
import { RunSession } from "@/run/live/session";
import { fakeFrames } from "@/workspace/fake-frames";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { RunPanel } from "./RunPanel";

const FLOW: Flow = { version: 1, name: "", nodes: {}, edges: {}, layout: {} };

let workspace: Workspace;

fakeFrames();
beforeEach(() => {
  workspace = createTestWorkspace();
});
afterEach(cleanup);

function sessionOf(run: string): RunSession {
  return new RunSession(workspace.host, run, FLOW, { changed: () => undefined, broke: () => undefined });
}

/** A run with some events already. */
function knownSession(run: string): RunSession {
  const session = sessionOf(run);
  session.push([{ seq: 0, at: 0, type: "node.started", node: "chat", epoch: [], attempt: 1 } as Entry]);
  vi.advanceTimersByTime(200);
  return session;
}

function renderPanel(): () => string {
  const { container } = renderInWorkspace(<RunPanel none="none">{({ run }) => run}</RunPanel>, { workspace });
  return () => container.textContent;
}

const show = (session: RunSession | undefined) => act(() => workspace.activeRun.show(session));
const paint = () => act(() => vi.advanceTimersByTime(50));

it("RunPanel shows a run that has just started a frame later", () => {
  const shown = renderPanel();
  expect(shown()).toBe("none");
  show(sessionOf("a"));
  expect(shown()).toBe("none");
  paint();
  expect(shown()).toBe("a");
  show(sessionOf("b"));
  expect(shown()).toBe("");
  paint();
  expect(shown()).toBe("b");
});

it("RunPanel shows the last of several runs that start within a frame", () => {
  const shown = renderPanel();
  for (const run of ["a", "b", "c"]) show(sessionOf(run));
  paint();
  expect(shown()).toBe("c");
  show(undefined);
  expect(shown()).toBe("none");
});

it("RunPanel shows a run of which something is known at once", () => {
  const shown = renderPanel();
  show(knownSession("a"));
  expect(shown()).toBe("a");
});
