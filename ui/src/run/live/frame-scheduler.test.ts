import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FrameScheduler } from "./frame-scheduler";

describe("FrameScheduler", () => {
  let now = 0;
  let frames: (() => void)[] = [];
  const nextFrame = () => {
    now += 16;
    const due = frames;
    frames = [];
    for (const frame of due) frame();
  };

  beforeEach(() => {
    now = 100;
    frames = [];
    vi.spyOn(performance, "now").mockImplementation(() => now);
    vi.stubGlobal("requestAnimationFrame", (frame: () => void) => frames.push(frame));
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  it("runs all jobs in order within the frame budget", () => {
    const scheduler = new FrameScheduler();
    const told: number[] = [];
    const jobs = 40;
    for (let key = 0; key < jobs; key++) {
      scheduler.later(key, () => {
        now += 1;
        told.push(key);
      });
    }
    scheduler.go();
    const perFrame = [told.length];
    for (let frame = 0; frame < jobs && told.length < jobs; frame++) {
      nextFrame();
      perFrame.push(told.length - perFrame.reduce((sum, count) => sum + count, 0));
    }
    expect(told).toEqual(Array.from({ length: jobs }, (_, key) => key));
    expect(Math.max(...perFrame)).toBeLessThan(12);
    expect(frames).toEqual([]);
  });

  it("runs urgent jobs first and growth jobs in every frame", () => {
    const scheduler = new FrameScheduler();
    const told: string[] = [];
    const slow = (name: string) => () => {
      now += 20;
      told.push(name);
    };
    for (const name of ["a", "b", "c", "d", "e", "f", "g"]) scheduler.later(name, slow(name));
    for (const name of ["1", "2", "3", "4", "g"]) scheduler.soon(name, slow(name));
    scheduler.go();
    expect(told).toEqual(["1", "2", "3", "a", "b", "c"]);
    nextFrame();
    expect(told.slice(6)).toEqual(["4", "g", "d", "e", "f"]);
  });

  it("runs duplicate jobs once and one batch per frame", () => {
    const scheduler = new FrameScheduler();
    const told: string[] = [];
    const job = (name: string) => () => told.push(name);
    scheduler.soon("a", job("a"));
    scheduler.later("a", job("a again"));
    scheduler.soon("a", job("a again"));
    scheduler.go();
    scheduler.later("b", job("b"));
    scheduler.go();
    expect(told).toEqual(["a"]);
    nextFrame();
    expect(told).toEqual(["a", "b"]);
  });
});
