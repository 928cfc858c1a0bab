import { cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { connect } from "@/ipc";
import { withWorkspace } from "@/workspace/test-workspace";
import { createWorkspace } from "@/workspace/workspace";
import { useWindow } from "./useWindow";

afterEach(cleanup);

test("a closing window saves pending settings first", async () => {
  const call = vi.fn(async () => ({}) as never);
  connect({ call, watch: () => () => undefined, closeWindow: async () => undefined });
  const workspace = createWorkspace();
  renderHook(useWindow, withWorkspace({ workspace }));
  const close = () => !window.dispatchEvent(new CustomEvent("plait:close", { cancelable: true }));
  expect(close()).toBe(false);
  workspace.settings.change({ theme: "dark" });
  expect(close()).toBe(true);
  await workspace.settings.save();
  expect(call).toHaveBeenCalledExactlyOnceWith("settings.set", {
    settings: expect.objectContaining({ theme: "dark" }),
  });
  expect(close()).toBe(false);
});
