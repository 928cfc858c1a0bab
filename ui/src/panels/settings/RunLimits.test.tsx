import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { neverAnswers } from "@/ipc/test-host";
import { errorAction } from "@/workspace/errors/error-action";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { RunLimits } from "./RunLimits";

afterEach(cleanup);

async function write(label: string, text: string) {
  const user = userEvent.setup();
  await user.clear(screen.getByLabelText(label));
  await user.type(screen.getByLabelText(label), text === "" ? "{Backspace}" : text);
  await user.tab();
}

test("limits are saved, and an emptied field removes its limit", async () => {
  const workspace = createTestWorkspace({ call: neverAnswers });
  renderInWorkspace(<RunLimits />, { workspace });
  await write("Max model calls", "20");
  await write("Max runs", "1,500");
  expect(workspace.settings.current.limits).toEqual({ maxModelCalls: 20, maxRuns: 1500 });
  await write("Max model calls", "");
  await write("Max events", "0");
  expect(workspace.settings.current.limits).toEqual({ maxRuns: 1500 });
  expect(screen.getByText("Enter a whole number of at least 1.")).toBeDefined();
});

test("an error about a limit leads to the settings", () => {
  const workspace = createTestWorkspace({ call: neverAnswers });
  errorAction({ code: "run.too_many_model_calls", message: "" }, workspace)?.run();
  expect(workspace.layout.store.getState().page).toBe("settings");
  expect(errorAction({ code: "run.unknown", message: "" }, workspace)).toBeUndefined();
});
