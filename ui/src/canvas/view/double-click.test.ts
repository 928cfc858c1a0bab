import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DoubleClickGuard } from "./double-click";

const pointer = new EventTarget();
const press = () => pointer.dispatchEvent(new Event("pointerdown"));
const release = () => pointer.dispatchEvent(new Event("pointerup"));
let guard: DoubleClickGuard;
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  guard = new DoubleClickGuard();
  stop = guard.follow(pointer);
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

it("moves nothing under the pointer until a press can be no double click", () => {
  const move = vi.fn();
  guard.run(move);
  expect(move).toHaveBeenCalledTimes(1);
  press();
  release();
  guard.run(move);
  vi.advanceTimersByTime(400);
  expect(move).toHaveBeenCalledTimes(1);
  press();
  release();
  vi.advanceTimersByTime(400);
  expect(move).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(100);
  expect(move).toHaveBeenCalledTimes(2);
});

it("moves nothing while the pointer is pressed", () => {
  const move = vi.fn();
  press();
  guard.run(move);
  vi.advanceTimersByTime(5_000);
  expect(move).not.toHaveBeenCalled();
  release();
  expect(move).toHaveBeenCalledTimes(1);
});
