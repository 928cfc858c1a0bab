import { afterEach, expect, it } from "vitest";
import { TypeAhead } from "./type-ahead";

const typeAhead = new TypeAhead();
afterEach(() => typeAhead.end());

/** Whether the window still gets the key. */
const press = (key: string) =>
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

it("keeps what is typed until it is taken, and no key of it reaches the window", () => {
  typeAhead.begin(() => undefined);
  expect([press("d"), press("e"), press("Backspace"), press("f")]).toEqual([false, false, false, false]);
  expect(typeAhead.take()).toBe("df");
  expect(press("d")).toBe(true);
});

it("ends with a press, which moves the keyboard elsewhere", () => {
  typeAhead.begin(() => undefined);
  press("d");
  document.body.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  expect(press("f")).toBe(true);
  expect(typeAhead.take()).toBe("");
});
