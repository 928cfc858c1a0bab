import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FrameScheduler } from "./frame-scheduler";

describe("FrameScheduler", () => {
  let now = 0;
  let frames: (() => void)[] = [];
  const nextFrame = (ms = 16) => {
    now += ms;
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
    const ran: number[] = [];
    const jobs = 40;
    for (let key = 0; key < jobs; key++) {
      scheduler.later(key, () => {
        now += 1;
        ran.push(key);
      });
    }
    scheduler.go();
    const perFrame = [ran.length];
    for (let frame = 0; frame < jobs && ran.length < jobs; frame++) {
      nextFrame();
      perFrame.push(ran.length - perFrame.reduce((sum, count) => sum + count, 0));
    }
    expect(ran).toEqual(Array.from({ length: jobs }, (_, key) => key));
    expect(Math.max(...perFrame)).toBeLessThan(12);
    expect(frames).toEqual([]);
  });

  it("does more in a frame where frames take longer, within a bound", () => {
    const countAfter = (ms: number) => {
      const scheduler = new FrameScheduler();
      let ran = 0;
      for (let key = 0; key < 99; key++) {
        scheduler.later(key, () => {
          now += 1;
          ran += 1;
        });
      }
      scheduler.go();
      const before = ran;
      nextFrame(ms);
      frames = [];
      return ran - before;
    };
    expect([12, 40, 400].map(countAfter)).toEqual([6, 8, 8]);
  });

  it("runs in a frame a third of the growth jobs that wait, or some if they are few", () => {
    const scheduler = new FrameScheduler();
    const perFrame = (jobs: number) => {
      let ran = 0;
      for (let key = 0; key < jobs; key++) scheduler.later(key, () => void ran++);
      nextFrame();
      scheduler.go();
      const counts = [ran];
      for (let frame = 0; frame < jobs && ran < jobs; frame++) {
        const before = ran;
        nextFrame();
        counts.push(ran - before);
      }
      return counts;
    };
    expect(perFrame(3)).toEqual([3]);
    expect(perFrame(10)).toEqual([4, 4, 2]);
    // In whole batches.
    expect(perFrame(30)).toEqual([12, 8, 4, 4, 2]);
  });

  it("does no more in a long frame if there are urgent jobs", () => {
    const scheduler = new FrameScheduler();
    const ran = { urgent: 0, growth: 0 };
    const job = (kind: "urgent" | "growth") => () => {
      now += 1;
      ran[kind] += 1;
    };
    for (let key = 0; key < 99; key++) {
      scheduler.soon(`urgent ${key}`, job("urgent"));
      scheduler.later(`growth ${key}`, job("growth"));
    }
    scheduler.go();
    const before = { ...ran };
    nextFrame(40);
    expect(ran.urgent - before.urgent).toBe(5);
    expect(ran.growth - before.growth).toBe(1);
  });

  it("runs urgent jobs first and some growth jobs in each frame", () => {
    const scheduler = new FrameScheduler();
    const ran: string[] = [];
    const slow = (name: string) => () => {
      now += 20;
      ran.push(name);
    };
    for (const name of ["a", "b", "c", "d", "e", "f", "g"]) scheduler.later(name, slow(name));
    for (const name of ["1", "2", "3", "4", "g"]) scheduler.soon(name, slow(name));
    scheduler.go();
    const perFrame = [ran.splice(0)];
    for (let frame = 0; frame < 6; frame++) {
      nextFrame();
      perFrame.push(ran.splice(0));
    }
    // As many together as there is time for, as far as is known.
    expect(perFrame).toEqual([["1", "2", "a"], ["3", "b"], ["4", "c"], ["g", "d"], ["e"], ["f"], []]);
  });

  it("runs large jobs one at a time, alone if they are slow, in turns with what else waits", () => {
    const scheduler = new FrameScheduler();
    const ran: string[] = [];
    const job = (name: string, ms: number) => () => {
      now += ms;
      ran.push(name);
    };
    const perFrame = (count: number) => {
      const frames: string[][] = [];
      for (let frame = 0; frame < count; frame++) {
        frames.push(ran.splice(0));
        nextFrame();
      }
      return frames;
    };
    for (const name of ["log", "head"]) scheduler.large(name, job(name, 30));
    for (const name of ["a", "b", "c"]) scheduler.later(name, job(name, 1));
    for (const name of ["1", "2"]) scheduler.soon(name, job(name, 4));
    scheduler.go();
    // How long they take is not known at first; nothing else is left beside the second.
    expect(perFrame(6)).toEqual([["1", "2", "a"], ["log"], ["b", "c"], ["head"], [], []]);

    for (let round = 0; round < 30; round++) {
      scheduler.large("log", job("log", 1));
      scheduler.go();
      expect(perFrame(2).flat()).toEqual(["log"]);
    }
    for (const name of ["log", "head", "contexts"]) scheduler.large(name, job(name, 1));
    scheduler.later("a", job("a", 1));
    scheduler.go();
    // By then they are known to be fast.
    expect(perFrame(2)).toEqual([["a", "log", "head", "contexts"], []]);
  });

  it("runs what a job queues in its turn, not at once", () => {
    const scheduler = new FrameScheduler();
    let ran = 0;
    const again = () => {
      now += 9;
      ran += 1;
      if (ran === 3) return;
      scheduler.large("panel", again);
      scheduler.go();
    };
    scheduler.large("panel", again);
    scheduler.go();
    expect(ran).toBe(1);
    nextFrame();
    expect(ran).toBe(2);
    nextFrame();
    expect(ran).toBe(3);
  });

  it("drops what is about nodes, not what renders much", () => {
    const scheduler = new FrameScheduler();
    const ran: string[] = [];
    scheduler.soon("a", () => ran.push("a"));
    scheduler.later("b", () => ran.push("b"));
    scheduler.large("panel", () => ran.push("panel"));
    scheduler.clear();
    scheduler.go();
    expect(ran).toEqual(["panel"]);
  });

  it("runs duplicate jobs once and one batch per frame", () => {
    const scheduler = new FrameScheduler();
    const ran: string[] = [];
    const job = (name: string) => () => ran.push(name);
    scheduler.soon("a", job("a"));
    scheduler.later("a", job("a again"));
    scheduler.soon("a", job("a again"));
    scheduler.go();
    scheduler.later("b", job("b"));
    scheduler.go();
    expect(ran).toEqual(["a"]);
    nextFrame();
    expect(ran).toEqual(["a", "b"]);
  });
});
