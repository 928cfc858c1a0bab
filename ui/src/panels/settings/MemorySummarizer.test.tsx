import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { neverAnswers } from "@/ipc/test-host";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { MemorySummarizer } from "./MemorySummarizer";

afterEach(cleanup);

test("the summarizer is saved, and an emptied field removes its setting", async () => {
  const workspace = createTestWorkspace({ call: neverAnswers });
  renderInWorkspace(<MemorySummarizer />, { workspace });
  const user = userEvent.setup();
  await user.type(screen.getByLabelText("Provider"), "openai");
  await user.type(screen.getByLabelText("Model"), "gpt-4o-mini");
  await user.tab();
  expect(workspace.settings.current.summarizer).toEqual({ provider: "openai", model: "gpt-4o-mini" });
  await user.clear(screen.getByLabelText("Provider"));
  await user.tab();
  expect(workspace.settings.current.summarizer).toEqual({ model: "gpt-4o-mini" });
});
