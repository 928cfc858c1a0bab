import { afterEach, describe, expect, it, vi } from "vitest";
import { formatKeys, matches } from "./keys";

const press = (key: string, more: KeyboardEventInit = {}) => new KeyboardEvent("keydown", { key, ...more });

afterEach(() => vi.unstubAllGlobals());

describe("shortcuts", () => {
  it("distinguish modifiers", () => {
    expect(matches(press("z", { ctrlKey: true }), "Mod+Z")).toBe(true);
    expect(matches(press("Z", { ctrlKey: true, shiftKey: true }), "Mod+Z")).toBe(false);
    expect(matches(press("Z", { ctrlKey: true, shiftKey: true }), "Mod+Shift+Z")).toBe(true);
    expect(matches(press("z"), "Mod+Z")).toBe(false);
  });

  it("match symbols as typed, with or without Shift", () => {
    expect(matches(press("?", { shiftKey: true }), "?")).toBe(true);
    expect(matches(press("+", { ctrlKey: true }), "Mod++")).toBe(true);
    expect(matches(press("/"), "/")).toBe(true);
  });

  it("match a letter by key position when Alt changes the character", () => {
    expect(matches(press("å", { altKey: true, code: "KeyA" }), "Alt+A")).toBe(true);
  });

  it("match a letter by the typed character on any layout", () => {
    const qwertzY = press("y", { ctrlKey: true, code: "KeyZ" });
    expect([matches(qwertzY, "Mod+Z"), matches(qwertzY, "Mod+Y")]).toEqual([false, true]);
    const azertyW = press("w", { ctrlKey: true, code: "KeyZ" });
    expect(matches(azertyW, "Mod+Z")).toBe(false);
    const dvorakB = press("b", { ctrlKey: true, code: "KeyN" });
    expect([matches(dvorakB, "Mod+N"), matches(dvorakB, "Mod+B")]).toEqual([false, true]);
  });

  it("match a letter or digit by key position for other scripts", () => {
    expect(matches(press("я", { ctrlKey: true, code: "KeyZ" }), "Mod+Z")).toBe(true);
    expect(matches(press("&", { altKey: true, code: "Digit1" }), "Alt+1")).toBe(true);
  });

  it("match a letter by key position with Alt on a Mac", async () => {
    vi.stubGlobal("navigator", { platform: "MacIntel" });
    vi.resetModules();
    const mac = await import("./keys");
    expect(mac.matches(press("u", { altKey: true, code: "KeyA" }), "Alt+A")).toBe(true);
  });

  it("are formatted for the platform", () => {
    expect(formatKeys("Mod+Shift+Z")).toBe("Ctrl+Shift+Z");
    expect(formatKeys("Mod++")).toBe("Ctrl++");
  });
});
