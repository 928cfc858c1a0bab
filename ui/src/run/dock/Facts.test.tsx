import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { showRun } from "../live/showing";
import { showSession } from "../live/shown";
import { Facts } from "./Facts";

afterEach(() => {
  cleanup();
  showSession(undefined);
});

const FACTS = Array.from({ length: 50 }, (_, index) => ({
  type: index % 10 === 0 ? "node.ready" : "node.skipped",
  node: `n${index}`,
  epoch: [],
}));

it("are gone through from those in view, also after another filter", () => {
  showRun(FACTS);
  render(<Facts />);
  const press = (key: string) => {
    fireEvent.keyDown(screen.getByTestId("facts"), { key });
    return screen.getByTestId("fact-details").querySelector("b")?.textContent;
  };
  expect(press("ArrowUp")).toBe("49 node.skipped");
  expect(press("ArrowUp")).toBe("48 node.skipped");
  expect(press("Home")).toBe("0 node.ready");
  fireEvent.change(screen.getByTestId("facts-filter"), { target: { value: "skipped" } });
  expect(press("ArrowUp")).toBe("49 node.skipped");
  expect(press("End")).toBe("49 node.skipped");
});
