import { act, cleanup, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { neverAnswers } from "@/ipc/test-host";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { Quotas } from "./Quotas";

afterEach(cleanup);

async function write(group: string, label: string, text: string) {
  const user = userEvent.setup();
  const field = within(screen.getByRole("group", { name: group })).getByLabelText(label);
  await user.clear(field);
  await user.type(field, text === "" ? "{Backspace}" : text);
  await user.tab();
}

test("quotas are saved, and an emptied one is removed", async () => {
  const workspace = createTestWorkspace({ call: neverAnswers });
  renderInWorkspace(<Quotas />, { workspace });
  await write("Each day", "US dollars", "$2.50");
  await write("Each run", "Tokens", "50,000");
  expect(workspace.settings.current.quotas).toEqual({ day: { usd: 2.5 }, run: { tokens: 50_000 } });
  await write("Each run", "Tokens", "");
  expect(workspace.settings.current.quotas).toEqual({ day: { usd: 2.5 } });
  await write("Each day", "US dollars", "0");
  expect(screen.getByText("Enter an amount above 0.")).toBeDefined();
  expect(workspace.settings.current.quotas).toEqual({ day: { usd: 2.5 } });
});

test("a fallback is saved once it names a model", async () => {
  const workspace = createTestWorkspace({ call: neverAnswers });
  renderInWorkspace(<Quotas />, { workspace });
  await write("Each run", "US dollars", "1");
  const user = userEvent.setup();
  await user.selectOptions(screen.getByLabelText("When exceeded"), "Use a cheaper model");
  expect(workspace.settings.current.quotas).toEqual({ run: { usd: 1 } });
  await write("Each run", "Model", "small");
  expect(workspace.settings.current.quotas).toEqual({
    run: { usd: 1, onExceeded: "fallback", fallback: { model: "small" } },
  });
});

test("a quota that changes elsewhere is displayed, and kept by the next edit", async () => {
  const workspace = createTestWorkspace({ call: neverAnswers });
  renderInWorkspace(<Quotas />, { workspace });
  await write("Each day", "Tokens", "100");
  act(() => workspace.settings.store.setState({ quotas: { day: { tokens: 250, usd: 3 } } }));
  const day = within(screen.getByRole("group", { name: "Each day" }));
  expect(day.getByLabelText<HTMLInputElement>("Tokens").value).toBe("250");
  await write("Each day", "US dollars", "4");
  expect(workspace.settings.current.quotas).toEqual({ day: { tokens: 250, usd: 4 } });
});
