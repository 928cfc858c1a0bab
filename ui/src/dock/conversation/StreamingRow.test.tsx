import { act, cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Entry } from "@/bindings";
import { showRun } from "@/run/live/test-run";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { StreamingRow } from "./StreamingRow";

let workspace: Workspace;

beforeEach(() => {
  workspace = createTestWorkspace();
});
afterEach(cleanup);

const HERE = { node: "chat", epoch: [] };
const CONTEXT = { contextId: "main", contextType: "main", messageHistory: [], revision: 0 };

it("shows streaming reasoning and collapses it when the reply starts", async () => {
  const session = showRun(workspace.activeRun, [
    { type: "context.created", ...HERE, context: CONTEXT },
    { type: "turn.started", ...HERE, contextId: "main" },
    { type: "node.delta", ...HERE, reasoning: "First, the parcel." },
  ]);
  renderInWorkspace(<StreamingRow context="main" />, { workspace });
  const thoughts = screen.getByText("First, the parcel.").closest("details") as HTMLDetailsElement;
  expect(thoughts.open).toBe(true);
  await act(async () => {
    workspace.activeRun.publish(
      session,
      session.fold.apply([{ at: 0, type: "node.delta", ...HERE, text: "It is there." } as Entry]),
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
  });
  expect(screen.getByTestId("streaming").textContent).toContain("It is there.");
  expect(thoughts.open).toBe(false);
});

it("says that the call is paused and not that the model is thinking", () => {
  const point = { ...HERE, attempt: 1, side: "call", call: "model call 1" };
  showRun(workspace.activeRun, [
    { type: "context.created", ...HERE, context: CONTEXT },
    { type: "turn.started", ...HERE, contextId: "main" },
    { type: "debug.stopped", cause: { kind: "step" }, point },
  ]);
  renderInWorkspace(<StreamingRow context="main" />, { workspace });
  const row = screen.getByTestId("streaming");
  expect(row.textContent).toBe("Paused before model call 1");
  expect(screen.getByRole("article", { name: "chat is paused" })).toBeTruthy();
});

it("says that the model is thinking while another branch is paused", () => {
  const point = { node: "other", epoch: [], attempt: 1, side: "call", call: "model call 1" };
  showRun(workspace.activeRun, [
    { type: "context.created", ...HERE, context: CONTEXT },
    { type: "turn.started", ...HERE, contextId: "main" },
    { type: "debug.stopped", scope: "branch", cause: { kind: "step" }, point },
  ]);
  renderInWorkspace(<StreamingRow context="main" />, { workspace });
  expect(screen.getByTestId("streaming").textContent).toBe("Thinking…");
});

it.each([
  [{ command: "python agent.py" }, "The recording ended before the reply"],
  [undefined, "The process ended before the reply"],
])("says of an interrupted run that no reply came", (program, text) => {
  const session = showRun(workspace.activeRun, [
    { type: "run.started", run: "run", flow: { name: "Newsroom", hash: "" }, ...(program ? { program } : {}) },
    { type: "context.created", ...HERE, context: CONTEXT },
    { type: "turn.started", ...HERE, contextId: "main" },
  ]);
  session.interrupted = true;
  renderInWorkspace(<StreamingRow context="main" />, { workspace });
  const row = screen.getByTestId("streaming");
  expect(row.textContent).toBe(text);
  expect(row.getAttribute("aria-busy")).toBe("false");
  expect(screen.getByRole("article", { name: "chat was interrupted" })).toBeTruthy();
});
