import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ViewMotion } from "@/run/live/view-motion";
import { followMotion } from "./motion";

type Transform = [number, number, number];

/** As much of React Flow's store as is looked at. */
function storeAt(transform: Transform) {
  let state = { transform };
  const listeners = new Set<(now: typeof state, before: typeof state) => void>();
  return {
    moveTo: (next: Transform) => {
      const before = state;
      state = { transform: next };
      for (const listener of listeners) listener(state, before);
    },
    subscribe: (listener: (now: typeof state, before: typeof state) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

describe("the moving mark of the canvas", () => {
  let canvas: HTMLElement;
  let store: ReturnType<typeof storeAt>;
  let end: () => void;
  let motion: ViewMotion;
  beforeEach(() => {
    vi.useFakeTimers();
    canvas = document.createElement("section");
    store = storeAt([0, 0, 1]);
    motion = new ViewMotion();
    end = followMotion(store as unknown as Parameters<typeof followMotion>[0], canvas, motion);
  });
  afterEach(() => {
    end();
    vi.useRealTimers();
  });
  const marked = () => canvas.hasAttribute("data-moving");

  it("is set from the first step until the view rests", () => {
    expect(marked()).toBe(false);
    for (let step = 1; step <= 10; step++) {
      store.moveTo([step, 0, 1]);
      expect(marked() && motion.moving).toBe(true);
      vi.advanceTimersByTime(100);
    }
    vi.advanceTimersByTime(200);
    expect(marked() || motion.moving).toBe(false);
  });

  it("is not set during a zoom", () => {
    store.moveTo([5, 5, 1.2]);
    expect(marked()).toBe(false);
    store.moveTo([9, 5, 1.2]);
    expect(marked()).toBe(true);
    store.moveTo([9, 5, 1.3]);
    expect(marked()).toBe(false);
  });

  it("stops other pointer listeners while it is set", () => {
    const move = () =>
      !canvas.dispatchEvent(new PointerEvent("pointermove", { buttons: 4, cancelable: true, bubbles: true }));
    expect(move()).toBe(false);
    store.moveTo([1, 0, 1]);
    expect(move()).toBe(true);
    vi.advanceTimersByTime(400);
    expect(move()).toBe(false);
  });

  it("is removed when following stops", () => {
    store.moveTo([1, 0, 1]);
    end();
    expect(marked() || motion.moving).toBe(false);
    store.moveTo([2, 0, 1]);
    expect(marked()).toBe(false);
  });
});
