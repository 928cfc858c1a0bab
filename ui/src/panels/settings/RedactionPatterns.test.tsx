import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { neverAnswers } from "@/ipc/test-host";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { RedactionPatterns } from "./RedactionPatterns";

afterEach(cleanup);

test("patterns are added with a name and removed again", async () => {
  const user = userEvent.setup();
  const workspace = createTestWorkspace({ call: neverAnswers });
  renderInWorkspace(<RedactionPatterns />, { workspace });
  await user.type(screen.getByLabelText("Name"), "customer");
  await user.type(screen.getByLabelText("Regular expression"), "C-[[0-9]+");
  await user.click(screen.getByRole("button", { name: "Add pattern" }));
  expect(workspace.settings.current.redaction).toEqual({ patterns: [{ name: "customer", regex: "C-[0-9]+" }] });
  await user.click(screen.getByRole("button", { name: "Remove pattern customer" }));
  expect(workspace.settings.current.redaction).toEqual({ patterns: [] });
});
