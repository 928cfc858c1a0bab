import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { showSession } from "@/run/live/active-run";
import { showRun } from "@/run/live/test-run";
import { EventsTab } from "./EventsTab";

afterEach(() => {
  cleanup();
  showSession(undefined);
});

const EVENTS = Array.from({ length: 50 }, (_, index) => ({
  type: index % 10 === 0 ? "node.ready" : "node.skipped",
  node: `n${index}`,
  epoch: [],
}));

it("moves the selection from the rows in view, also after the filter changed", () => {
  showRun(EVENTS);
  render(<EventsTab />);
  const press = (key: string) => {
    fireEvent.keyDown(screen.getByTestId("events"), { key });
    return screen.getByTestId("event-details").querySelector("b")?.textContent;
  };
  expect(press("ArrowUp")).toBe("49 node.skipped");
  expect(press("ArrowUp")).toBe("48 node.skipped");
  expect(press("Home")).toBe("0 node.ready");
  fireEvent.change(screen.getByTestId("events-filter"), { target: { value: "skipped" } });
  expect(press("ArrowUp")).toBe("49 node.skipped");
  expect(press("End")).toBe("49 node.skipped");
});
