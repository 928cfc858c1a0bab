import { act, cleanup } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { Flow } from "@/bindings";
import { RunSession } from "@/run/live/session";
import { fakeFrames } from "@/workspace/fake-frames";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { useTick } from "./useTick";

const FLOW: Flow = { version: 1, name: "", nodes: {}, edges: {}, layout: {} };

fakeFrames();
afterEach(cleanup);

function Tick() {
  return <p>{useTick()}</p>;
}

it("useTick counts while time passes in a run, and no longer once it is unmounted", () => {
  const workspace = createTestWorkspace();
  const { activeRun } = workspace;
  activeRun.show(new RunSession(workspace.host, "run", FLOW, { changed: () => undefined, broke: () => undefined }));
  const { container, unmount } = renderInWorkspace(<Tick />, { workspace });
  expect(container.textContent).toBe("0");
  act(() => vi.advanceTimersByTime(500));
  expect(Number(container.textContent)).toBeGreaterThanOrEqual(3);

  // It waits for a frame that has time for it while the timeline is closed.
  let waiting = () => {};
  vi.spyOn(activeRun, "renderLarge").mockImplementation((_, render) => {
    waiting = render;
  });
  act(() => vi.advanceTimersByTime(200));
  unmount();
  waiting();
  expect(vi.getTimerCount()).toBe(0);
});
