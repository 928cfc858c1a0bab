import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { FocusClaim } from "./focus-claim";

let claim: FocusClaim;
const field = (id: string) => document.querySelector<HTMLElement>(`#${id}`);

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = `<input id="a"><input id="b"><button id="button"></button>
    <div role="dialog"><button id="ok"></button></div>`;
  claim = new FocusClaim();
});
afterEach(() => {
  vi.useRealTimers();
  document.body.innerHTML = "";
});

it("may be taken from a button, not from a field or a dialog", () => {
  field("button")?.focus();
  expect(claim.mayTakeFocus()).toBe(true);
  field("a")?.focus();
  expect(claim.mayTakeFocus()).toBe(false);
  field("ok")?.focus();
  expect(claim.mayTakeFocus()).toBe(false);
});

it("may be taken from the field in which the run was started, until something is typed", () => {
  field("a")?.focus();
  claim.begin();
  vi.runAllTimers();
  expect(claim.mayTakeFocus()).toBe(true);
  field("a")?.dispatchEvent(new Event("input", { bubbles: true }));
  expect(claim.mayTakeFocus()).toBe(false);
});

it("may not be taken from a field entered since", () => {
  field("a")?.focus();
  claim.begin();
  vi.runAllTimers();
  field("b")?.focus();
  expect(claim.mayTakeFocus()).toBe(false);
});
