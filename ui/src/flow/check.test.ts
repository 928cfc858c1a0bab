import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { setHost } from "@/ipc";
import { keepChecked } from "./check";
import { documentState, EMPTY_FLOW, flowStore, UNCHECKED } from "./store";

let stop: () => void;
const call = vi.fn(async () => UNCHECKED as never);

beforeEach(async () => {
  vi.useFakeTimers();
  setHost({ kind: "in-page", call, watch: () => () => undefined });
  flowStore.setState(documentState({ ...EMPTY_FLOW, name: "mine" }, { path: "/a/mine.flow.json" }), true);
  stop = keepChecked();
  await vi.advanceTimersByTimeAsync(1000);
  call.mockClear();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

test("a flow that is saved elsewhere is checked from there, and one that stays is not", async () => {
  flowStore.setState({ hash: "1" });
  await vi.advanceTimersByTimeAsync(1000);
  expect(call).not.toHaveBeenCalled();
  flowStore.setState({ path: "/b/mine.flow.json" });
  await vi.advanceTimersByTimeAsync(1000);
  expect(call).toHaveBeenCalledExactlyOnceWith("flow.check", expect.objectContaining({ path: "/b/mine.flow.json" }));
});
