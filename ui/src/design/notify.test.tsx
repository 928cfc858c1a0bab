import { act, cleanup, render } from "@testing-library/react";
import { Toaster, toast } from "sonner";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { notify } from "./notify";

const FAILURE = { code: "run.unknown", message: "There is no run `7`.", hint: "Refresh the list." };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  act(() => void toast.dismiss());
  act(() => vi.runAllTimers());
  cleanup();
  vi.useRealTimers();
});

/** Lets frames and durations pass. */
const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));
const shown = () => [...document.querySelectorAll("[data-sonner-toast]")].map((one) => one.textContent ?? "");

test("an error stays until it is dismissed, other messages leave", () => {
  render(<Toaster />);
  act(() => {
    notify.done("Saved");
    notify.error(FAILURE);
  });
  pass(100);
  expect(shown().join()).toContain("Saved");
  pass(3_600_000);
  expect(shown()).toHaveLength(1);
  expect(shown()[0]).toContain("There is no run");
});

test("an error that an open panel shows gets no toast", () => {
  render(
    <>
      <Toaster />
      <p role="alert">There is no run 7.</p>
    </>,
  );
  act(() => notify.error(FAILURE));
  pass(1000);
  expect(shown()).toEqual([]);
});

test("an error that offers more than the open panel gets its toast", () => {
  render(
    <>
      <Toaster />
      <p role="alert">There is no run 7.</p>
    </>,
  );
  act(() => notify.error(FAILURE, { label: "Retry", run: () => undefined }));
  pass(1000);
  expect(shown().join()).toContain("Retry");
});
