import { expect, test, vi } from "vitest";
import { testHost } from "@/ipc/test-host";
import { SettingsStore } from "@/workspace/settings/settings";
import { InterfaceZoom } from "./interface-zoom";

function zoomed(percent?: number) {
  const setZoom = vi.fn(async () => undefined);
  const host = testHost({ setZoom });
  const settings = new SettingsStore(host);
  if (percent !== undefined) settings.remember("zoom", percent);
  return { zoom: new InterfaceZoom(settings, host), setZoom, settings };
}

test("zoom goes in steps, from 50 % to 200 %", () => {
  const { zoom } = zoomed();
  zoom.larger();
  expect(zoom.percent).toBe(110);
  for (let press = 0; press < 20; press++) zoom.larger();
  expect(zoom.percent).toBe(200);
  for (let press = 0; press < 20; press++) zoom.smaller();
  expect(zoom.percent).toBe(50);
  zoom.reset();
  expect(zoom.percent).toBe(100);
});

test("the host draws the size that was remembered, and every later one once", () => {
  const { zoom, setZoom, settings } = zoomed(150);
  const stop = zoom.follow();
  expect(setZoom.mock.calls).toEqual([[1.5]]);
  settings.change({ theme: "dark" });
  zoom.reset();
  expect(setZoom.mock.calls).toEqual([[1.5], [1]]);
  stop();
  zoom.larger();
  expect(setZoom).toHaveBeenCalledTimes(2);
});

test("a remembered size that there is not is the usual one", () => {
  expect(zoomed(1000).zoom.percent).toBe(100);
});
