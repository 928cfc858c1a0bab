import { beforeEach, expect, test } from "vitest";
import { testHost } from "@/ipc/test-host";
import { SettingsStore } from "@/workspace/settings/settings";
import { LayoutStore, showsChat, showsInspector } from "./layout";

let layout: LayoutStore;
let settings: SettingsStore;

beforeEach(() => {
  settings = new SettingsStore(testHost());
  layout = new LayoutStore(settings);
});

const open = () => layout.store.getState().open;
const remembered = () => settings.remembered<{ open: object }>("layout")?.open;

test("the left panel folds below 1280 pixels, the inspector and the dock below 1100", () => {
  layout.setWindowWidth(1279);
  expect(open()).toEqual({ left: false, right: true, dock: true });
  layout.setWindowWidth(1099);
  expect(open()).toEqual({ left: false, right: false, dock: false });
  layout.setWindowWidth(1280);
  expect(open()).toEqual({ left: true, right: true, dock: true });
});

test("without a selection there is no inspector, unless the settings of the flow are shown", () => {
  const isShown = () => showsInspector(layout.store.getState());
  expect(isShown()).toBe(false);
  layout.setInspected(true);
  expect(isShown()).toBe(true);
  layout.setInspected(false);
  layout.toggle("right");
  expect(isShown()).toBe(true);
  layout.toggle("right");
  expect(isShown()).toBe(false);
  layout.setInspected(true);
  expect(isShown()).toBe(true);
});

test("an inspector that a person closes stays closed for the next selection", () => {
  layout.setInspected(true);
  layout.toggle("right");
  layout.setInspected(false);
  layout.setInspected(true);
  expect(showsInspector(layout.store.getState())).toBe(false);
  layout.toggle("right");
  expect(showsInspector(layout.store.getState())).toBe(true);
});

test("a part closed in a wide window stays closed when the window becomes wide again", () => {
  layout.setOpen("right", false);
  layout.setWindowWidth(1000);
  layout.setOpen("right", true);
  layout.setWindowWidth(1300);
  expect(open()).toEqual({ left: true, right: false, dock: true });
});

test("what a person opens and closes over the canvas is not remembered", () => {
  layout.setWindowWidth(1000);
  layout.showPanel("runs");
  layout.togglePanel("runs");
  layout.toggle("dock");
  expect(remembered()).toEqual({ left: true, right: true, dock: true });
});

test("a part that floats stays open while the window shrinks further", () => {
  layout.setWindowWidth(1200);
  layout.showPanel("runs");
  layout.setWindowWidth(850);
  expect(open().left).toBe(true);
});

test("only a part that covers the canvas gives way to it", () => {
  layout.uncoverCanvas("left");
  expect(open().left).toBe(true);
  layout.setWindowWidth(1200);
  layout.showPanel("nodes");
  layout.uncoverCanvas("left");
  expect(open().left).toBe(false);
});

test("the settings are covered by no part that floats, and leave those beside the canvas as they are", () => {
  layout.setWindowWidth(1000);
  layout.toggle("dock");
  layout.showSettings({ section: "tools" });
  expect(layout.store.getState()).toMatchObject({ page: "settings", shownSection: "tools", open: { dock: false } });
  layout.showPanel("runs");
  expect(layout.store.getState().page).toBeUndefined();
  layout.setWindowWidth(1400);
  layout.showSettings();
  expect(open()).toEqual({ left: true, right: true, dock: true });
});

test("a question of a small window shows in the line that the dock is folded to", () => {
  layout.setWindowWidth(1000);
  layout.goToAnswer("run/ask");
  expect(open().dock).toBe(false);
  expect(layout.store.getState()).toMatchObject({ dockTab: "conversation", focusAnswer: "run/ask" });
});

test("a panel that is not pinned opens over the canvas for a moment, also in a wide window", () => {
  layout.togglePin();
  expect(open().left).toBe(false);
  layout.showPanel("nodes");
  expect(open().left).toBe(true);
  layout.uncoverCanvas("left");
  expect(open().left).toBe(false);
  expect(settings.remembered<{ pinned: boolean }>("layout")?.pinned).toBe(false);
  layout.load();
  expect(layout.store.getState()).toMatchObject({ pinned: false, open: { left: false } });
  layout.togglePin();
  expect(open().left).toBe(true);
  layout.uncoverCanvas("left");
  expect(open().left).toBe(true);
});

test("the conversation stands on the right where there is room, and is remembered there", () => {
  layout.putChat("right");
  expect(showsChat(layout.store.getState())).toBe(true);
  layout.setWindowWidth(1000);
  expect(showsChat(layout.store.getState())).toBe(false);
  layout.setWindowWidth(1100);
  expect(showsChat(layout.store.getState())).toBe(true);
  const next = new LayoutStore(settings);
  next.load();
  expect(next.store.getState().chat).toBe("right");
});

test("a question opens no dock while the conversation is on the right; back below, the dock shows it", () => {
  layout.selectDockTab("timeline");
  layout.toggle("dock");
  layout.putChat("right");
  layout.goToAnswer("run/ask");
  expect(layout.store.getState()).toMatchObject({ dockTab: "timeline", focusAnswer: "run/ask", open: { dock: false } });
  layout.putChat("below");
  expect(layout.store.getState()).toMatchObject({ dockTab: "conversation", open: { dock: true } });
});
