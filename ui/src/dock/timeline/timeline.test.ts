import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Entry } from "@/bindings";
import { RunFold } from "@/run/fold/fold";
import type { NodeView } from "@/run/fold/types";
import { ActiveRun } from "@/run/live/active-run";
import { showRun } from "@/run/live/test-run";
import { ViewMotion } from "@/run/live/view-motion";
import { isOpen, spansIn, timelineRows, workIn } from "./rows";
import { TimeScale } from "./scale";
import { type Mark, markAt, marksOf, spansOf } from "./spans";

describe("the time scale", () => {
  it("is linear without waits", () => {
    const scale = new TimeScale(1000, 2000, [], true);
    expect([1000, 1250, 2000].map((time) => scale.place(time))).toEqual([0, 0.25, 1]);
    expect(scale.time(0.25)).toBe(1250);
  });

  it("collapses waits and keeps the proportions of work", () => {
    const waits = [{ from: 1000, to: 1_001_000 }];
    const scale = new TimeScale(0, 1_002_000, waits, true);
    const before = scale.place(1000) - scale.place(0);
    const after = scale.place(1_002_000) - scale.place(1_001_000);
    expect(before).toBeCloseTo(after);
    expect(scale.place(1_001_000) - scale.place(1000)).toBeLessThan(0.15);
    const open = new TimeScale(0, 1_002_000, waits, false);
    expect(open.place(1_001_000) - open.place(1000)).toBeGreaterThan(0.9);
  });

  it("is monotonic and invertible", () => {
    const wait = fc.record({ from: fc.integer({ min: 0, max: 10_000 }), length: fc.integer({ min: 0, max: 4_000 }) });
    fc.assert(
      fc.property(
        fc.array(wait, { maxLength: 6 }),
        fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 2 }),
        (raw, times) => {
          const waits = raw.map(({ from, length }) => ({ from, to: from + length })).sort((a, b) => a.from - b.from);
          const scale = new TimeScale(0, 10_000, waits, true);
          const places = [...times].sort((a, b) => a - b).map((time) => scale.place(time));
          expect(places).toEqual([...places].sort((a, b) => a - b));
          for (const time of times) expect(scale.time(scale.place(time))).toBeCloseTo(time, 3);
        },
      ),
    );
  });
});

function viewOf(events: object[]): NodeView {
  const fold = new RunFold();
  fold.apply(events.map((event, seq) => ({ seq, node: "a", epoch: [], ...event }) as unknown as Entry));
  return fold.nodes.get("a") as NodeView;
}

describe("spans", () => {
  it("distinguish work from waiting for a person", () => {
    const view = viewOf([
      { at: 10, type: "node.started", attempt: 1 },
      { at: 20, type: "run.paused", prompt: "", schema: {} },
      { at: 90, type: "input.provided", answer: { value: 1 } },
      { at: 95, type: "node.finished", outputs: {}, metadata: { durationMs: 5 } },
    ]);
    expect(spansOf(view).spans).toEqual([
      { kind: "work", from: 10, to: 20, epoch: [] },
      { kind: "wait", from: 20, to: 90, epoch: [] },
      { kind: "work", from: 90, to: 95, epoch: [] },
    ]);
  });

  it("stay open during a wait", () => {
    const view = viewOf([
      { at: 10, type: "node.started", attempt: 1 },
      { at: 10, type: "run.paused", prompt: "", schema: {} },
    ]);
    expect(spansOf(view).spans).toEqual([{ kind: "wait", from: 10, to: undefined, epoch: [] }]);
  });

  it("show failed attempts, retry delays, and tools in their own rows", () => {
    const view = viewOf([
      { at: 10, type: "node.started", attempt: 1 },
      { at: 20, type: "node.retrying", attempt: 1, delayMs: 30, error: { code: "x", message: "" } },
      { at: 50, type: "node.started", attempt: 2 },
      { at: 55, type: "tool.called", step: 0, call: { id: "1", name: "clock", arguments: {} } },
      { at: 60, type: "tool.finished", step: 0, callId: "1", result: 1 },
      { at: 61, type: "tool.called", step: 0, call: { id: "2", name: "clock", arguments: {} } },
    ]);
    const { spans, tools } = spansOf(view);
    expect(spans.map((span) => [span.kind, span.from, span.to])).toEqual([
      ["failed", 10, 20],
      ["delay", 20, 50],
      ["work", 50, undefined],
    ]);
    expect(tools).toHaveLength(1);
    expect(tools[0]?.spans.map((span) => [span.from, span.to])).toEqual([
      [55, 60],
      [61, undefined],
    ]);
  });

  it("add up to the work of a row, cached until the view changes", () => {
    const view = viewOf([
      { at: 10, type: "node.started", attempt: 1 },
      { at: 20, type: "node.finished", outputs: {}, metadata: { durationMs: 10 } },
      { at: 30, epoch: [1], type: "node.started", attempt: 1 },
    ]);
    const row = { key: "a", node: "a", view };
    expect(isOpen(row)).toBe(true);
    expect(workIn(row, 35)).toEqual({ times: 2, ms: 15 });
    const read = vi.fn();
    for (const span of spansIn(row)) Object.defineProperty(span, "kind", { get: read });
    expect(workIn(row, 36)).toEqual({ times: 2, ms: 16 });
    expect(read).not.toHaveBeenCalled();
    expect(isOpen({ ...row, view: { ...view, epochs: view.epochs.slice(0, 1) } })).toBe(false);
  });

  it("leave out the time in which the run stood still, which the row shows apart", () => {
    const view = viewOf([
      { at: 1_000, type: "node.started", attempt: 1 },
      { at: 13_500, type: "node.finished", outputs: {}, metadata: { durationMs: 12_500 } },
      { at: 14_000, epoch: [1], type: "node.started", attempt: 1 },
    ]);
    const row = { key: "a", node: "a", view };
    const standstills = [{ from: 500, to: 900 }, { from: 2_000, to: 12_000 }, { from: 15_000 }];
    expect(spansIn(row, standstills).map(({ kind, from, to }) => [kind, from, to])).toEqual([
      ["work", 1_000, 2_000],
      ["stopped", 2_000, 12_000],
      ["work", 12_000, 13_500],
      ["work", 14_000, 15_000],
      ["stopped", 15_000, undefined],
    ]);
    expect(workIn(row, 60_000, standstills)).toEqual({ times: 2, ms: 3_500 });
    expect(isOpen(row, standstills)).toBe(false);
    expect(workIn(row, 15_000)).toEqual({ times: 2, ms: 13_500 });
  });

  it("merge into no more marks than fit", () => {
    const spans = Array.from({ length: 5000 }, (_, index) => ({
      kind: "work" as const,
      from: index,
      to: index,
      epoch: [index],
    }));
    const marks = marksOf(spans, (time) => time / 10, 5000, 0, 500);
    expect(marks.length).toBeLessThan(300);
    expect(marks.reduce((sum, mark) => sum + mark.count, 0)).toBe(5000);
    expect(marksOf(spans, (time) => time / 10, 5000, 100, 120).length).toBeLessThan(20);
  });
});

describe("the target of a mark", () => {
  const mark = (left: number, width: number): Mark => ({
    span: { kind: "work", from: left, epoch: [left] },
    left,
    width,
    count: 1,
  });

  it("is at least 24 pixels wide", () => {
    const marks = [mark(100, 3)];
    expect(markAt(marks, 90)).toBe(marks[0]);
    expect(markAt(marks, 113)).toBe(marks[0]);
    expect(markAt(marks, 89)).toBeUndefined();
    expect(markAt([mark(100, 60)], 99)).toBeUndefined();
  });

  it("belongs to the nearest of several, and to the last one of those above each other", () => {
    const marks = [mark(100, 3), mark(112, 3), mark(100, 3)];
    expect(markAt(marks, 106)).toBe(marks[2]);
    expect(markAt(marks, 110)).toBe(marks[1]);
  });
});

describe("the rows", () => {
  it("have what is in a loop directly below it", () => {
    const node = (parent?: string) => ({ type: "text", parent });
    const nodes = { outer: node(), inner: node("outer"), deep: node("inner"), step: node("outer"), free: node() };
    const flow = { version: 1, name: "", nodes, edges: {}, layout: {} };
    const started = ["outer", "free", "inner", "step", "deep"].map((id) => ({
      type: "node.ready",
      node: id,
      epoch: [],
    }));
    const rows = (events: readonly object[]) =>
      timelineRows(showRun(new ActiveRun(new ViewMotion()), events, flow)).map((row) => row.node);
    expect(rows(started)).toEqual(["outer", "inner", "deep", "step", "free"]);
    // Not each loop has an event yet.
    expect(rows(started.filter((event) => event.node !== "inner"))).toEqual(["outer", "step", "deep", "free"]);
  });
});
