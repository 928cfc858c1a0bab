import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { Entry } from "@/bindings";
import * as epochs from "@/run/fold/epoch";
import { showSession, wake } from "@/run/live/active-run";
import { showRun } from "@/run/live/test-run";
import { EpochPicker } from "./EpochPicker";

afterEach(() => {
  cleanup();
  showSession(undefined);
});

const ITERATIONS = Array.from({ length: 9 }, (_, iteration) => ({
  type: "node.started",
  node: "chat",
  epoch: [iteration],
  attempt: 1,
}));

it("lists the iterations while open and does not rebuild them for stream deltas", async () => {
  const session = showRun(ITERATIONS);
  render(<EpochPicker nodeId="chat" />);
  const picker = screen.getByTestId("epoch-picker");
  const count = () => picker.querySelectorAll("option").length;
  expect(count()).toBe(1);
  fireEvent.focus(picker);
  expect(count()).toBe(10);

  const named = vi.spyOn(epochs, "formatIteration");
  const push = (event: object) =>
    act(async () => {
      wake(session, session.fold.apply([{ at: 0, node: "chat", epoch: [8], ...event } as Entry]));
      await new Promise((resolve) => setTimeout(resolve, 100));
    });
  await push({ type: "node.delta", text: "Hello" });
  expect(named.mock.calls.length).toBeLessThan(5);
  await push({ seq: 9, type: "node.skipped", reason: "deadInput" });
  expect(picker.textContent).toContain("Iteration 9 · skipped");

  fireEvent.blur(picker);
  expect(count()).toBe(1);
});
