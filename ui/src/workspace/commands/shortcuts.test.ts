import { beforeEach, expect, test } from "vitest";
import { testHost } from "@/ipc/test-host";
import { SettingsStore } from "@/workspace/settings/settings";
import type { Command } from "./command";
import { ownerOf, ShortcutStore, withShortcuts } from "./shortcuts";

const command = (id: string, ...keys: string[]): Command => ({ id, title: id, group: "Edit", keys, run: () => {} });
const COMMANDS = [command("save", "Mod+S"), command("zoom", "+", "="), command("help")];

let store: ShortcutStore;
beforeEach(() => {
  store = new ShortcutStore(new SettingsStore(testHost()));
});

const now = () => withShortcuts(COMMANDS, store.changed);
const keys = () => Object.fromEntries(now().map((one) => [one.id, one.keys]));
const get = (id: string) => now().find((one) => one.id === id) as Command;

test("a command has the keys that a person gave it, until they are reset", () => {
  store.set(get("help"), "F1");
  store.set(get("save"), "Mod+Shift+S");
  expect(keys()).toEqual({ save: ["Mod+Shift+S"], zoom: ["+", "="], help: ["F1"] });
  store.reset("save", COMMANDS);
  expect(keys()).toEqual({ save: ["Mod+S"], zoom: ["+", "="], help: ["F1"] });
  store.resetAll();
  expect(now()).toBe(COMMANDS);
});

test("keys that are taken over leave the command that had them, with its other keys", () => {
  const owner = ownerOf(now(), "=", get("help"));
  expect(owner?.id).toBe("zoom");
  store.set(get("help"), "=", owner);
  expect(keys()).toMatchObject({ zoom: ["+"], help: ["="] });
});

test("keys that a command gets back leave the command that took them over, which gets its own keys back", () => {
  store.set(get("help"), "Mod+S", get("save"));
  store.reset("save", COMMANDS);
  expect(keys()).toMatchObject({ save: ["Mod+S"], help: [] });
  store.set(get("zoom"), "Mod+S", get("save"));
  store.reset("save", COMMANDS);
  expect(keys()).toMatchObject({ save: ["Mod+S"], zoom: ["+", "="] });
});

test("a command does not get keys back that belong to another by now", () => {
  store.set(get("zoom"), "Mod+S", get("save"));
  store.set(get("help"), "=", get("zoom"));
  store.reset("save", COMMANDS);
  expect(keys()).toMatchObject({ save: ["Mod+S"], zoom: ["+"], help: ["="] });
});

test("a removed shortcut is none", () => {
  store.remove(get("save"));
  expect(get("save").keys).toEqual([]);
  expect(ownerOf(now(), "Mod+S", get("help"))).toBeUndefined();
});
