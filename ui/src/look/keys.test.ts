import { describe, expect, it } from "vitest";
import { matches, shownKeys } from "./keys";

const press = (key: string, more: KeyboardEventInit = {}) => new KeyboardEvent("keydown", { key, ...more });

describe("shortcuts", () => {
  it("tells modifiers apart", () => {
    expect(matches(press("z", { ctrlKey: true }), "Mod+Z")).toBe(true);
    expect(matches(press("Z", { ctrlKey: true, shiftKey: true }), "Mod+Z")).toBe(false);
    expect(matches(press("Z", { ctrlKey: true, shiftKey: true }), "Mod+Shift+Z")).toBe(true);
    expect(matches(press("z"), "Mod+Z")).toBe(false);
  });

  it("takes signs as they are typed, with or without Shift", () => {
    expect(matches(press("?", { shiftKey: true }), "?")).toBe(true);
    expect(matches(press("+", { ctrlKey: true }), "Mod++")).toBe(true);
    expect(matches(press("/"), "/")).toBe(true);
  });

  it("knows a letter by its place when Alt changes what it types", () => {
    expect(matches(press("å", { altKey: true, code: "KeyA" }), "Alt+A")).toBe(true);
  });

  it("shows them as the platform does", () => {
    expect(shownKeys("Mod+Shift+Z")).toBe("Ctrl+Shift+Z");
    expect(shownKeys("Mod++")).toBe("Ctrl++");
  });
});
