import { beforeEach, expect, test } from "vitest";
import { testHost } from "@/ipc/test-host";
import { LayoutStore } from "./layout";
import { SettingsStore } from "./settings";

let layout: LayoutStore;
let settings: SettingsStore;

beforeEach(() => {
  settings = new SettingsStore(testHost());
  layout = new LayoutStore(settings);
});

const leftOpen = () => layout.store.getState().open.left;
const remembered = () => settings.remembered<{ open: { left: boolean } }>("layout")?.open.left;

test("a narrow window folds the left panel and a wide one unfolds it", () => {
  layout.setNarrow(true);
  expect(leftOpen()).toBe(false);
  layout.setNarrow(false);
  expect(leftOpen()).toBe(true);
});

test("a narrow window does not change what is remembered", () => {
  layout.setNarrow(true);
  layout.toggle("dock");
  expect(remembered()).toBe(true);
});

test("a panel opened in a narrow window stays open, and one closed by hand stays closed", () => {
  layout.setNarrow(true);
  layout.showPanel("runs");
  expect(leftOpen()).toBe(true);
  layout.togglePanel("runs");
  layout.setNarrow(false);
  expect(leftOpen()).toBe(false);
});
