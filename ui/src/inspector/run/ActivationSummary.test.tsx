import { act, cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Entry } from "@/bindings";
import { showRun } from "@/run/live/test-run";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { InputsOutputs } from "./InputsOutputs";

afterEach(cleanup);

const STARTED = { type: "node.started", node: "chat", epoch: [], attempt: 1 };

it("shows what was done less well than asked, with code and hint", () => {
  const workspace = createTestWorkspace();
  const notice = { code: "chat.tool_call_in_text", message: "It was not called.", hint: "Use another model." };
  showRun(workspace.activeRun, [STARTED, { type: "node.noticed", node: "chat", epoch: [], notice }]);
  renderInWorkspace(<InputsOutputs nodeId="chat" />, { workspace });
  const shown = screen.getByTestId("io-notice").textContent;
  expect(shown).toContain(notice.message);
  expect(shown).toContain(notice.hint);
  expect(shown).toContain(notice.code);
});

it("says what is waited for until it is over", async () => {
  const workspace = createTestWorkspace();
  const session = showRun(workspace.activeRun, [STARTED]);
  renderInWorkspace(<InputsOutputs nodeId="chat" />, { workspace });
  const tell = (event: object) =>
    act(async () => {
      const entry = { at: 0, node: "chat", epoch: [], ...event } as unknown as Entry;
      workspace.activeRun.publish(session, session.fold.apply([entry]));
      await new Promise((resolve) => setTimeout(resolve, 100));
    });
  const message = "Waiting for the MCP server";
  await tell({ type: "node.progressed", progress: { progress: 2, total: 60, message } });
  expect(screen.queryByText(message)).not.toBeNull();
  await tell({ seq: 9, type: "node.skipped", reason: "deadInput" });
  expect(screen.queryByText(message)).toBeNull();
});
