import { expect, it } from "vitest";
import { keysOf, matches } from "./keys";

const press = (key: string, code: string, more: KeyboardEventInit = {}) =>
  new KeyboardEvent("keydown", { key, code, ...more });

it.each([
  ["Mod+S", press("s", "KeyS", { ctrlKey: true })],
  ["Mod+Shift+S", press("S", "KeyS", { ctrlKey: true, shiftKey: true })],
  ["Alt+Shift+1", press("!", "Digit1", { altKey: true, shiftKey: true })],
  ["?", press("?", "Slash", { shiftKey: true })],
  ["Mod++", press("+", "BracketRight", { ctrlKey: true })],
  ["F", press("f", "KeyF")],
  ["Space", press(" ", "Space")],
  ["Mod+ArrowUp", press("ArrowUp", "ArrowUp", { ctrlKey: true })],
  ["Mod+Z", press("я", "KeyZ", { ctrlKey: true })],
])("writes %s as `matches` takes it", (keys, event) => {
  expect(keysOf(event)).toBe(keys);
  expect(matches(event, keys)).toBe(true);
});

it.each([press("Control", "ControlLeft", { ctrlKey: true }), press("Shift", "ShiftLeft"), press("Dead", "Quote")])(
  "is nothing while only modifiers are pressed",
  (event) => expect(keysOf(event)).toBeUndefined(),
);
