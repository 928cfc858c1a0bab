import { afterEach, beforeEach, expect, test } from "vitest";
import { suppressBrowserDefaults } from "./browser-defaults";

let stop: () => void;
let field: HTMLInputElement;

beforeEach(() => {
  // Selected text keeps its menu, and other tests of this page select some.
  document.getSelection()?.removeAllRanges();
  field = document.body.appendChild(document.createElement("input"));
  stop = suppressBrowserDefaults();
});
afterEach(() => {
  stop();
  field.remove();
});

/** Whether the browser's default action is off. */
const isKept = (event: Event, on: Element = document.body) => !on.dispatchEvent(event);
const key = (name: string, more: KeyboardEventInit = {}) =>
  new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...more });
const menu = () => new MouseEvent("contextmenu", { bubbles: true, cancelable: true });

test("reload and back do nothing", () => {
  expect(isKept(key("F5"))).toBe(true);
  expect(isKept(key("r", { ctrlKey: true }))).toBe(true);
  expect(isKept(key("ArrowLeft", { altKey: true }))).toBe(true);
  expect(isKept(new MouseEvent("mouseup", { button: 3, bubbles: true, cancelable: true }))).toBe(true);
});

test("typing is left alone", () => {
  expect(isKept(key("r"), field)).toBe(false);
  expect(isKept(key("ArrowLeft", { altKey: true }), field)).toBe(false);
});

test("the page has no menu of its own, except in text fields", () => {
  expect(isKept(menu())).toBe(true);
  expect(isKept(menu(), field)).toBe(false);
});
