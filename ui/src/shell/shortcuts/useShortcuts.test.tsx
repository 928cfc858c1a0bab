import { cleanup, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { COMMANDS } from "@/shell/commands";
import type { Command } from "@/workspace/commands/command";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { useShortcuts } from "./useShortcuts";

/** A window with things in it that can have the keyboard. */
function Window() {
  useShortcuts();
  return (
    <>
      <button type="button">Button</button>
      <div role="listbox" tabIndex={0} aria-label="List" />
    </>
  );
}

function draw(...commands: Partial<Command>[]) {
  const run = vi.fn();
  renderInWorkspace(<Window />, {
    commands: commands.map((one, at) => ({ id: `${at}`, title: "", group: "Edit", run, ...one })),
  });
  return run;
}

/** Presses a key there. Whether the page keeps the key for itself. */
function press(on: Element, key: string, more: KeyboardEventInit = {}): boolean {
  return !on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
}

afterEach(cleanup);

describe("shortcuts", () => {
  it("run once while a key is held, unless they repeat", () => {
    const once = draw({ keys: ["Mod+S"] });
    const again = draw({ keys: ["Mod+Z"], whileHeld: true });
    for (const repeat of [false, true, true]) {
      expect(press(document.body, "s", { ctrlKey: true, repeat })).toBe(true);
      press(document.body, "z", { ctrlKey: true, repeat });
    }
    expect(once).toHaveBeenCalledTimes(1);
    expect(again).toHaveBeenCalledTimes(3);
  });

  it("leave plain control keys to buttons and lists", () => {
    const start = vi.fn();
    const plain = draw({ keys: ["Enter"] }, { keys: ["ArrowUp"] }, { keys: ["Mod+Enter"], run: start });
    for (const on of [screen.getByRole("button"), screen.getByRole("listbox")]) {
      press(on, "Enter");
      press(on, "ArrowUp");
      expect(press(on, "Enter", { ctrlKey: true })).toBe(true);
    }
    expect(plain).not.toHaveBeenCalled();
    expect(start).toHaveBeenCalledTimes(2);
  });

  it("work in a list", () => {
    const stop = draw({ keys: ["Mod+."] });
    press(screen.getByRole("listbox"), ".", { ctrlKey: true });
    expect(stop).toHaveBeenCalledOnce();
  });

  it("leave all keys to a dialog, until it closes", () => {
    const save = draw({ keys: ["Mod+S"] });
    const dialog = document.body.appendChild(document.createElement("div"));
    dialog.setAttribute("role", "dialog");
    press(dialog, "s", { ctrlKey: true });
    expect(save).not.toHaveBeenCalled();
    // As it is marked while its end is animated.
    dialog.setAttribute("data-closed", "");
    press(dialog, "s", { ctrlKey: true });
    expect(save).toHaveBeenCalledOnce();
    dialog.remove();
  });

  it.each(["input", "textarea", "select"])("run the flow also while the focus is in a field (%s)", (tag) => {
    const start = vi.fn();
    draw({ ...COMMANDS.find((one) => one.id === "run.start"), enabled: () => true, run: start });
    const field = document.body.appendChild(document.createElement(tag));
    expect(press(field, "Enter", { ctrlKey: true })).toBe(true);
    expect(start).toHaveBeenCalledOnce();
    field.remove();
  });

  it("are unique", () => {
    const keys = COMMANDS.flatMap((one) => one.keys ?? []);
    expect(keys.filter((one, at) => keys.indexOf(one) !== at)).toEqual([]);
  });

  it("come after a command that waits for the palette to close", () => {
    const done: string[] = [];
    const workspace = createTestWorkspace();
    const { overlays } = workspace;
    renderInWorkspace(<Window />, {
      workspace,
      commands: [{ id: "save", title: "", group: "Flow", keys: ["Mod+S"], run: () => done.push("save") }],
    });
    overlays.showPalette();
    overlays.hidePalette(() => done.push("chosen"));
    overlays.paletteClosed();
    press(document.body, "s", { ctrlKey: true });
    expect(done).toEqual(["chosen", "save"]);
  });
});
