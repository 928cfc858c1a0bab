import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it } from "vitest";
import { showRun } from "@/run/live/test-run";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { EventsTab } from "./EventsTab";

let workspace: Workspace;

beforeEach(() => {
  workspace = createTestWorkspace();
});
afterEach(cleanup);

const EVENTS = Array.from({ length: 50 }, (_, index) => ({
  type: index % 10 === 0 ? "node.ready" : "node.skipped",
  node: `n${index}`,
  epoch: [],
}));

it("shows an image inside an event as a picture", async () => {
  workspace = createTestWorkspace({ call: async () => ({ data: "iVBORw0KGgo=" }) as never });
  const photo = { type: "attachment", hash: "00", mediaType: "image/png", name: "photo.png", bytes: 8 };
  showRun(workspace.activeRun, [
    { type: "node.ready", node: "n", epoch: [] },
    { type: "node.finished", node: "n", epoch: [], metadata: {}, outputs: { data: { picture: photo } } },
  ]);
  renderInWorkspace(<EventsTab />, { workspace });
  fireEvent.keyDown(screen.getByTestId("events"), { key: "ArrowUp" });
  expect((await screen.findByAltText("photo.png")).getAttribute("src")).toBe("data:image/png;base64,iVBORw0KGgo=");
});

it("moves the selection from the rows in view, also after the filter changed", () => {
  showRun(workspace.activeRun, EVENTS);
  renderInWorkspace(<EventsTab />, { workspace });
  const press = (key: string) => {
    fireEvent.keyDown(screen.getByTestId("events"), { key });
    return screen.getByTestId("event-details").querySelector("b")?.textContent;
  };
  expect(press("ArrowUp")).toBe("50 node.skipped");
  expect(press("ArrowUp")).toBe("49 node.skipped");
  expect(press("Home")).toBe("1 node.ready");
  fireEvent.change(screen.getByTestId("events-filter"), { target: { value: "skipped" } });
  expect(press("ArrowUp")).toBe("50 node.skipped");
  expect(press("End")).toBe("50 node.skipped");
});
