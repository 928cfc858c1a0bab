import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Entry } from "@/bindings";
import { showSession, wake } from "@/run/live/active-run";
import { showRun } from "@/run/live/test-run";
import { StreamingRow } from "./StreamingRow";

afterEach(() => {
  cleanup();
  showSession(undefined);
});

const HERE = { node: "chat", epoch: [] };
const CONTEXT = { contextId: "main", contextType: "main", messageHistory: [], revision: 0 };

it("shows streaming reasoning and collapses it when the reply starts", async () => {
  const session = showRun([
    { type: "context.created", ...HERE, context: CONTEXT },
    { type: "turn.started", ...HERE, contextId: "main" },
    { type: "node.delta", ...HERE, reasoning: "First, the parcel." },
  ]);
  render(<StreamingRow context="main" />);
  const thoughts = screen.getByText("First, the parcel.").closest("details") as HTMLDetailsElement;
  expect(thoughts.open).toBe(true);
  await act(async () => {
    wake(session, session.fold.apply([{ at: 0, type: "node.delta", ...HERE, text: "It is there." } as Entry]));
    await new Promise((resolve) => setTimeout(resolve, 100));
  });
  expect(screen.getByTestId("streaming").textContent).toContain("It is there.");
  expect(thoughts.open).toBe(false);
});
