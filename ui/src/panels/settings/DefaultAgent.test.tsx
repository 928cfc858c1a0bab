import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import CONFIG from "@/bindings/config.json";
import { neverAnswers } from "@/ipc/test-host";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { DefaultAgent } from "./DefaultAgent";
import { RunDefaults } from "./RunDefaults";

afterEach(cleanup);

test("the default agent is saved, and an emptied field removes its value", async () => {
  const workspace = createTestWorkspace({ call: neverAnswers });
  renderInWorkspace(<DefaultAgent />, { workspace });
  const user = userEvent.setup();
  await user.type(screen.getByLabelText("Agent’s provider"), "openai");
  await user.type(screen.getByLabelText("Agent’s instructions"), "Be brief.");
  await user.tab();
  expect(workspace.settings.current.config).toEqual({ "agent.provider": "openai", "agent.instructions": "Be brief." });
  await user.clear(screen.getByLabelText("Agent’s instructions"));
  await user.tab();
  expect(workspace.settings.current.config).toEqual({ "agent.provider": "openai" });
});

test("a default for runs is saved within its bounds only", async () => {
  const workspace = createTestWorkspace({
    call: (async (name: string) => (name === "config.explain" ? CONFIG : {})) as never,
  });
  renderInWorkspace(<RunDefaults />, { workspace });
  const user = userEvent.setup();
  const attempts = await screen.findByLabelText("Max attempts");
  expect(attempts).toHaveProperty("placeholder", "3");
  await user.type(attempts, "1000");
  await user.tab();
  expect(workspace.settings.current.config).toBeUndefined();
  expect(screen.getByRole("status").textContent).toBe("Enter a number from 1 to 100, or nothing.");
  await user.clear(attempts);
  await user.type(attempts, "5");
  await user.tab();
  await user.selectOptions(screen.getByLabelText("Loop history"), "summarize");
  expect(workspace.settings.current.config).toEqual({
    "retry.attempts": 5,
    "history_management.strategy": "summarize",
  });
  expect(screen.queryByLabelText("agent.model")).toBeNull();
});

test("defaults for runs have words as labels, not keys", async () => {
  const workspace = createTestWorkspace({
    call: (async (name: string) => (name === "config.explain" ? CONFIG : {})) as never,
  });
  const { container } = renderInWorkspace(<RunDefaults />, { workspace });
  await screen.findByLabelText("Max attempts");
  const labels = [...container.querySelectorAll("label")].map((label) => label.textContent ?? "");
  expect(labels.length).toBeGreaterThan(10);
  expect(new Set(labels).size).toBe(labels.length);
  for (const label of labels) expect(label).toMatch(/^[A-Z][a-z]+( [a-z]+)*( \(ms\))?$/);
});
