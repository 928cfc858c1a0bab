import { cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { createTestWorkspace, withWorkspace } from "@/workspace/test-workspace";
import { useWindow } from "./useWindow";

afterEach(cleanup);

test("a closing window saves pending settings first", async () => {
  const call = vi.fn(async () => ({}) as never);
  const workspace = createTestWorkspace({ call });
  renderHook(useWindow, withWorkspace({ workspace }));
  const close = () => !window.dispatchEvent(new CustomEvent("plait:close", { cancelable: true }));
  expect(close()).toBe(false);
  workspace.settings.change({ theme: "dark" });
  expect(close()).toBe(true);
  await workspace.settings.save();
  expect(call).toHaveBeenCalledExactlyOnceWith("settings.change", { patch: { theme: "dark" } });
  expect(close()).toBe(false);
});
