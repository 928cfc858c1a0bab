import { act, cleanup, render } from "@testing-library/react";
import { Toaster, toast } from "sonner";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { notify } from "./notify";

const FAILURE = { code: "run.unknown", message: "There is no run `7`.", hint: "Refresh the list." };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  act(() => void toast.dismiss());
  act(() => vi.runAllTimers());
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Lets frames and durations pass. */
const pass = (ms: number) => {
  act(() => vi.advanceTimersByTime(ms));
  // What leaves does so in a second step.
  act(() => vi.advanceTimersByTime(ms));
};
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

test("an error names no code, no command of the terminal, and shows no backticks", () => {
  render(<Toaster />);
  act(() => notify.error({ ...FAILURE, hint: "Choose another `id`. `plait runs list` shows all runs." }));
  pass(100);
  expect(shown().join()).toContain("There is no run 7.");
  expect(shown().join()).toContain("Choose another id.");
  expect(shown().join()).not.toMatch(/`|plait|run\.unknown/);
});

/** As a panel that gets the error at the same time shows it. */
const panel = () => render(<ErrorMessage error={FAILURE} />);

test("an error that a panel has just shown gets no toast", () => {
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(10, 10, 200, 40));
  render(<Toaster />);
  act(() => notify.error(FAILURE));
  panel();
  pass(1000);
  expect(shown()).toEqual([]);
});

test("an error that happens again gets a toast beside the message of the first time", () => {
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(10, 10, 200, 40));
  render(<Toaster />);
  panel();
  act(() => notify.error(FAILURE));
  pass(1000);
  expect(shown()).toHaveLength(1);
});

test("an error gets its toast when the panel that shows it is out of view, or shows another one", () => {
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(10, 5000, 200, 40));
  render(<Toaster />);
  act(() => notify.error(FAILURE));
  panel();
  render(<p role="alert">Not this one: There is no run 7. It is another.</p>);
  pass(1000);
  expect(shown()).toHaveLength(1);
});

test("an error that offers more than the open panel gets its toast", () => {
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(10, 10, 200, 40));
  render(<Toaster />);
  act(() => notify.error(FAILURE, { label: "Retry", run: () => undefined }));
  panel();
  pass(1000);
  expect(shown().join()).toContain("Retry");
});

test("an error goes when its request succeeds, and only then", () => {
  render(<Toaster />);
  act(() => notify.error({ ...FAILURE, request: "open 7" }));
  pass(100);
  act(() => notify.succeeded("open 8"));
  pass(1000);
  expect(shown()).toHaveLength(1);
  act(() => notify.succeeded("open 7"));
  pass(1000);
  expect(shown()).toEqual([]);
});

test("the same error of another request takes the place of the first", () => {
  render(<Toaster />);
  for (const request of ["a", "b"]) {
    act(() => notify.error({ ...FAILURE, request }));
    pass(1000);
  }
  expect(shown()).toHaveLength(1);
});
