import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Row } from "@/dock/conversation/MessageRow";
import { ProblemsTab } from "@/dock/problems/ProblemsTab";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { InputsOutputs } from "@/inspector/run/InputsOutputs";
import { Prompt } from "@/inspector/run/Prompt";
import { showRun } from "@/run/live/test-run";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";

const HERE = { node: "chat", epoch: [] };
const failed = (code: string) => [
  { type: "node.started", ...HERE, attempt: 1 },
  { type: "node.failed", ...HERE, handled: false, error: { code, message: "No." } },
];

let workspace: Workspace;

beforeEach(() => {
  workspace = createTestWorkspace();
  workspace.editor.open(documentState(EMPTY_FLOW));
});
afterEach(cleanup);

it.each(["provider.unreachable", "provider.no_key"])("are one click away from %s", async (code) => {
  showRun(workspace.activeRun, failed(code));
  renderInWorkspace(<ProblemsTab />, { workspace });
  await userEvent.click(screen.getByRole("button", { name: "Settings" }));
  expect(workspace.layout.store.getState().page).toBe("settings");
});

it.each([
  ["the problems", () => <ProblemsTab />],
  ["the inspector", () => <InputsOutputs nodeId="chat" />],
  [
    "the conversation",
    () => (
      <Row item={{ kind: "failure", key: "1", ...HERE, error: { code: "provider.unauthorized", message: "No." } }} />
    ),
  ],
])("the settings are one click away from a missing key in %s", async (_, view) => {
  showRun(workspace.activeRun, failed("provider.unauthorized"));
  renderInWorkspace(view(), { workspace });
  await userEvent.click(screen.getByRole("button", { name: "Settings" }));
  expect(workspace.layout.store.getState().page).toBe("settings");
});

it("are not offered for other errors", () => {
  showRun(workspace.activeRun, failed("provider.timeout"));
  renderInWorkspace(<ProblemsTab />, { workspace });
  expect(screen.queryByTestId("open-settings")).toBeNull();
});

it("are one click away from an unknown price", async () => {
  const prompt = { provider: "p", model: "m", parts: [], tokens: 1, window: 100, reserve: 10, toolTokens: 0 };
  const account = { contextId: "main", model: "m" };
  showRun(workspace.activeRun, [
    { type: "prompt.rendered", ...HERE, step: 0, prompt },
    { type: "model.replied", ...HERE, step: 0, reply: { text: "Yes." }, account },
  ]);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  await userEvent.click(screen.getByRole("button", { name: "Settings" }));
  expect(workspace.layout.store.getState().page).toBe("settings");
});
