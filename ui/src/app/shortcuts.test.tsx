import { cleanup, render } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Command } from "./command";
import { useShortcuts } from "./shortcuts";

/** A window with these commands, and things in it that can have the keyboard. */
function Window({ commands }: { commands: Command[] }) {
  useShortcuts(commands);
  return <button type="button">Button</button>;
}

function draw(...commands: Partial<Command>[]) {
  const run = vi.fn();
  render(<Window commands={commands.map((one, at) => ({ id: `${at}`, title: "", group: "Edit", run, ...one }))} />);
  return run;
}

/** Presses a key there. Whether the page keeps the key for itself. */
function press(on: Element, key: string, more: KeyboardEventInit = {}): boolean {
  return !on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
}

afterEach(cleanup);

describe("shortcuts", () => {
  it("are carried out once, however long the key is held, unless they are meant to be held", () => {
    const once = draw({ keys: ["Mod+S"] });
    const again = draw({ keys: ["Mod+Z"], whileHeld: true });
    for (const repeat of [false, true, true]) {
      expect(press(document.body, "s", { ctrlKey: true, repeat })).toBe(true);
      press(document.body, "z", { ctrlKey: true, repeat });
    }
    expect(once).toHaveBeenCalledTimes(1);
    expect(again).toHaveBeenCalledTimes(3);
  });
});
