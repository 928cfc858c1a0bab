import { cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { connect } from "@/ipc";
import { changeSettings, keepSettings } from "@/workbench/settings";
import { useWindow } from "./useWindow";

afterEach(cleanup);

test("a window that closes keeps the settings first that were changed just before", async () => {
  const call = vi.fn(async () => ({}) as never);
  connect({ call, watch: () => () => undefined, closeWindow: async () => undefined });
  renderHook(useWindow);
  const close = () => !window.dispatchEvent(new CustomEvent("plait:close", { cancelable: true }));
  expect(close()).toBe(false);
  changeSettings({ theme: "dark" });
  expect(close()).toBe(true);
  await keepSettings();
  expect(call).toHaveBeenCalledExactlyOnceWith("settings.set", {
    settings: expect.objectContaining({ theme: "dark" }),
  });
  expect(close()).toBe(false);
});
