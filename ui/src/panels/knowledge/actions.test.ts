import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createTestWorkspace } from "@/workspace/test-workspace";
import { POLL_INTERVAL_MS, reindex } from "./actions";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("reads the list until the indexing ends, however late the host begins it", async () => {
  let end: () => void = () => undefined;
  const call = () => new Promise<void>((resolve) => (end = resolve));
  const workspace = createTestWorkspace({ call: call as never });
  const read = vi.fn();
  const indexing = reindex(workspace, "handbook", false, read);
  await vi.advanceTimersByTimeAsync(3 * POLL_INTERVAL_MS);
  expect(read).toHaveBeenCalledTimes(3);
  end();
  await indexing;
  expect(read).toHaveBeenCalledTimes(4);
  await vi.advanceTimersByTimeAsync(3 * POLL_INTERVAL_MS);
  expect(read).toHaveBeenCalledTimes(4);
});
