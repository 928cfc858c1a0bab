import { afterEach, describe, expect, it, vi } from "vitest";
import type { Breakpoint } from "@/bindings";
import { createFlowParts } from "@/flow/test-parts";
import { testHost } from "@/ipc/test-host";
import { ActiveRun } from "@/run/live/active-run";
import type { RunSession } from "@/run/live/session";
import { ViewMotion } from "@/run/live/view-motion";
import { BreakpointSync } from "./breakpoint-sync";
import { BreakpointStore } from "./breakpoints";

let stop: () => void = () => undefined;
afterEach(() => stop());

/** A run of the shown flow, with breakpoints of its own. */
function parts(ofRun: Breakpoint[]) {
  const { editor } = createFlowParts();
  const calls: [string, unknown][] = [];
  let answer: () => void = () => undefined;
  const host = testHost({
    call: (async (name: string, args: unknown) => {
      calls.push([name, args]);
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
    }) as never,
  });
  const shown = { run: true };
  const head = { status: "stopped", breakpoints: ofRun };
  const session = { run: "r1", flow: { nodes: { a: {}, b: {} } }, fold: { head }, isCaughtUp: true };
  const active = new ActiveRun(new ViewMotion());
  const breakpoints = new BreakpointStore(editor, { remembered: () => undefined, remember: () => undefined });
  const report = vi.fn();
  const sync = new BreakpointSync({
    host,
    editor,
    active,
    breakpoints,
    session: () => (shown.run ? (session as unknown as RunSession) : undefined),
    report,
    onResumed: () => undefined,
  });
  stop = sync.follow();
  /** The run has other breakpoints now, as its journal says. */
  const runHas = (now: Breakpoint[]) => {
    head.breakpoints = now;
    active.show({ fold: { head } } as never);
    active.show(undefined);
  };
  runHas(ofRun);
  /** Expects these calls, each after the answer to the one before. */
  const expectCalls = async (expected: [string, unknown][]) => {
    for (const [index, call] of expected.entries()) {
      await vi.waitFor(() => expect(calls[index]).toEqual(call));
      answer();
    }
    await Promise.resolve();
    expect(calls).toHaveLength(expected.length);
  };
  return { breakpoints, runHas, report, shown, calls, expectCalls, answer: () => answer() };
}

const at = (id: string, node: string): Breakpoint => ({ id, node, side: "before" });

describe("breakpoints of a flow and of its run", () => {
  it("change one by one and in order, so that those of a terminal stay", async () => {
    const { breakpoints, expectCalls } = parts([at("1", "b")]);
    breakpoints.set("a", "before");
    breakpoints.remove("a", "before");
    breakpoints.set("gone", "before");
    await expectCalls([
      ["run.putBreakpoint", { run: "r1", breakpoint: at("a:before", "a") }],
      ["run.dropBreakpoint", { run: "r1", id: "a:before" }],
    ]);
  });

  it("are taken over when a terminal sets or removes one, and not sent back", () => {
    const { breakpoints, calls, runHas } = parts([]);
    runHas([at("1", "b")]);
    expect(breakpoints.current).toEqual([at("1", "b")]);
    runHas([]);
    expect(breakpoints.current).toEqual([]);
    expect(calls).toEqual([]);
  });

  it("are not undone by the echo of a change that is on its way", async () => {
    const { breakpoints, runHas, answer } = parts([]);
    breakpoints.set("a", "before");
    runHas([at("a:before", "a")]);
    breakpoints.remove("a", "before");
    runHas([]);
    answer();
    await vi.waitFor(() => expect(breakpoints.current).toEqual([]));
  });

  it("that change while another run is shown are sent when theirs is shown again", async () => {
    const { breakpoints, expectCalls, runHas, shown } = parts([]);
    shown.run = false;
    runHas([]);
    breakpoints.set("a", "before");
    shown.run = true;
    runHas([]);
    await expectCalls([["run.putBreakpoint", { run: "r1", breakpoint: at("a:before", "a") }]]);
  });

  it("of a terminal can be changed and removed in the window", async () => {
    const { breakpoints, expectCalls, runHas } = parts([]);
    runHas([at("1", "b")]);
    breakpoints.set("b", "before", { disabled: true });
    breakpoints.remove("b", "before");
    await expectCalls([
      ["run.putBreakpoint", { run: "r1", breakpoint: { ...at("1", "b"), disabled: true } }],
      ["run.dropBreakpoint", { run: "r1", id: "1" }],
    ]);
  });
});
