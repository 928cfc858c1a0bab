/** For tests: frames and timers pass when the test says so (`vi.advanceTimersByTime`). */
import { afterAll, beforeAll, vi } from "vitest";

/** One clock for all tests of a file: it must not go back while something is throttled. */
export function fakeFrames(): void {
  beforeAll(() => {
    vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout", "requestAnimationFrame", "cancelAnimationFrame", "performance"],
    });
  });
  afterAll(() => vi.useRealTimers());
}
