import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MeasuredSizes } from "./measured-sizes";

const measured = (id: string, height: number) => ({
  id,
  type: "dimensions" as const,
  dimensions: { width: 208, height },
});

describe("MeasuredSizes", () => {
  const applied: unknown[] = [];
  let sizes: MeasuredSizes;
  beforeEach(() => {
    vi.useFakeTimers();
    applied.length = 0;
    sizes = new MeasuredSizes(
      (changes) => applied.push(changes),
      (flush) => flush(),
    );
  });
  afterEach(() => vi.useRealTimers());

  it("applies what is measured in some time together, the last size of each node", () => {
    expect(sizes.take([measured("a", 1), measured("b", 2)])).toEqual([]);
    expect(sizes.take([measured("a", 3)])).toEqual([]);
    expect(applied).toEqual([]);
    vi.runAllTimers();
    expect(applied).toEqual([[measured("a", 3), measured("b", 2)]]);
    sizes.take([measured("a", 4)]);
    vi.runAllTimers();
    expect(applied.at(-1)).toEqual([measured("a", 4)]);
  });

  it("waits while more is measured, but no longer than a second", () => {
    const appliedAt: number[] = [];
    const began = Date.now();
    sizes = new MeasuredSizes(
      () => appliedAt.push(Date.now() - began),
      (flush) => flush(),
    );
    for (let height = 0; height < 15; height++) {
      sizes.take([measured("a", height)]);
      vi.advanceTimersByTime(100);
    }
    expect(appliedAt).toEqual([1_000]);
    vi.runAllTimers();
    expect(appliedAt).toEqual([1_000, 1_600]);
  });

  it("applies what waits when there is time to draw much", () => {
    let whenFree: () => void = () => {};
    sizes = new MeasuredSizes(
      (changes) => applied.push(changes),
      (flush) => {
        whenFree = flush;
      },
    );
    sizes.take([measured("a", 1)]);
    vi.runAllTimers();
    sizes.take([measured("a", 2)]);
    expect(applied).toEqual([]);
    whenFree();
    expect(applied).toEqual([[measured("a", 2)]]);
  });

  it("applies many in parts, each when there is time", () => {
    const waiting: (() => void)[] = [];
    sizes = new MeasuredSizes(
      (changes) => applied.push(changes.length),
      (flush) => waiting.push(flush),
    );
    sizes.take(Array.from({ length: 30 }, (_, index) => measured(`n${index}`, 1)));
    vi.runAllTimers();
    for (const parts of [[12], [12, 12], [12, 12, 6]]) {
      waiting.shift()?.();
      expect(applied).toEqual(parts);
    }
    expect(waiting).toEqual([]);
    applied.length = 0;
    sizes.take(Array.from({ length: 1_000 }, (_, index) => measured(`n${index}`, 2)));
    vi.runAllTimers();
    waiting.shift()?.();
    expect(applied).toEqual([250]);
    sizes.take(Array.from({ length: 200 }, (_, index) => measured(`more${index}`, 2)));
    for (let part = 0; part < 3; part++) waiting.shift()?.();
    expect(applied).toEqual([250, 317, 317, 316]);
    sizes.take(Array.from({ length: 1_000 }, (_, index) => measured(`n${index}`, 3)));
    vi.runAllTimers();
    waiting.shift()?.();
    sizes.flush();
    expect(applied.slice(4)).toEqual([250, 750]);
  });

  it("applies what waits at once where the nodes are about to change", () => {
    sizes.take([measured("a", 1)]);
    sizes.flush();
    expect(applied).toEqual([[measured("a", 1)]]);
    sizes.flush();
    vi.runAllTimers();
    expect(applied).toHaveLength(1);
  });

  it("applies what waits before what a person does", () => {
    sizes.take([measured("a", 1)]);
    const resized = { ...measured("a", 9), resizing: true };
    expect(sizes.take([resized, measured("b", 2)])).toEqual([measured("a", 1), resized, measured("b", 2)]);
    vi.runAllTimers();
    expect(applied).toEqual([]);
  });
});
