import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import type { Settings } from "@/bindings";
import { applyMergePatch } from "@/design/json/merge-patch";
import { HostError } from "@/ipc";
import { errorAction } from "@/workspace/errors/error-action";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { ConfigSettings } from "./ConfigSettings";

afterEach(cleanup);

const BAD_VALUE = new HostError({
  code: "settings.bad_value",
  message: "`1000` is no value of `retry.attempts`.",
  hint: "It takes a whole number from 1 to 100.",
});

/** Draws a section on a host that takes all settings except the refused ones. */
async function draw(id: string, refuse: (settings: Settings) => boolean = () => false) {
  let stored = {
    theme: "system",
    reducedMotion: false,
    panels: {},
    providers: { offline: {}, openai: {} },
    ui: {},
  } as unknown;
  const call = async (name: string, args: { patch?: Record<string, unknown> }) => {
    if (name === "settings.get") return stored;
    const changed = applyMergePatch(stored as Record<string, unknown>, args.patch ?? {});
    if (refuse(changed as Settings)) throw BAD_VALUE;
    stored = changed;
    return stored;
  };
  const workspace = createTestWorkspace({ call: call as never });
  await workspace.settings.load();
  renderInWorkspace(<ConfigSettings id={id} />, { workspace });
  const user = userEvent.setup();
  const field = (label: string | RegExp, group?: string) =>
    (group === undefined ? screen : within(screen.getByRole("group", { name: group }))).getByLabelText(label);
  return {
    workspace,
    user,
    field,
    kept: () => workspace.settings.current,
    write: async (label: string | RegExp, text: string, group?: string) => {
      await user.clear(field(label, group));
      await user.type(field(label, group), text === "" ? "{Backspace}" : text);
      await user.tab();
    },
    choose: (label: string, choice: string, group?: string) => user.selectOptions(field(label, group), choice),
  };
}

test("the default agent is saved, and an emptied field removes its value", async () => {
  const { choose, write, kept } = await draw("agent");
  await choose("Agent’s provider", "openai");
  await write("Agent’s instructions", " Be brief. ");
  await waitFor(() => expect(kept().config).toEqual({ "agent.provider": "openai", "agent.instructions": "Be brief." }));
  await write("Agent’s instructions", "");
  await waitFor(() => expect(kept().config).toEqual({ "agent.provider": "openai" }));
  await choose("Agent’s provider", "offline");
  await waitFor(() => expect(kept().config).toBeUndefined());
});

test("a value that the host refuses stays in its field, with what it takes", async () => {
  const attempts = (settings: Settings) => Number(settings.config?.["retry.attempts"] ?? 1);
  const { field, write, choose, kept } = await draw("runDefaults", (settings) => attempts(settings) > 100);
  expect(field("Max attempts")).toHaveProperty("placeholder", "3");
  expect(field("Timeout (ms)")).toHaveProperty("placeholder", "No limit");
  await write("Max attempts", "1000");
  expect((await screen.findByRole("status")).textContent).toBe("It takes a whole number from 1 to 100.");
  expect(kept().config).toBeUndefined();
  expect(field("Max attempts")).toHaveProperty("value", "1000");
  expect(field("Max attempts").getAttribute("aria-invalid")).toBe("true");
  await write("Max attempts", "5");
  await choose("Loop history", "Summarize");
  await waitFor(() =>
    expect(kept().config).toEqual({ "retry.attempts": 5, "history_management.strategy": "summarize" }),
  );
  expect(screen.queryByRole("status")).toBeNull();
});

test("limits are saved with grouped digits, and an emptied field removes its limit", async () => {
  const { write, kept } = await draw("runLimits");
  await write("Max model calls", "20");
  await write("Max runs", "1,500");
  await waitFor(() => expect(kept().limits).toEqual({ maxModelCalls: 20, maxRuns: 1500 }));
  await write("Max model calls", "");
  await waitFor(() => expect(kept().limits).toEqual({ maxRuns: 1500 }));
});

test("the summarizer is saved, and an emptied field removes its setting", async () => {
  const { choose, write, kept } = await draw("memory");
  await choose("Summarizer’s provider", "openai");
  await write("Summarizer’s model", "gpt-4o-mini");
  await waitFor(() => expect(kept().summarizer).toEqual({ provider: "openai", model: "gpt-4o-mini" }));
  await choose("Summarizer’s provider", "");
  await waitFor(() => expect(kept().summarizer).toEqual({ model: "gpt-4o-mini" }));
});

test("an endpoint is saved when the field is left, and contents stay off", async () => {
  const { user, write, kept } = await draw("telemetry");
  await write("OTLP endpoint", " http://127.0.0.1:4318 ");
  await waitFor(() => expect(kept().telemetry).toEqual({ endpoint: "http://127.0.0.1:4318" }));
  await user.click(screen.getByRole("switch", { name: "Include messages and tool results" }));
  await waitFor(() => expect(kept().telemetry).toEqual({ endpoint: "http://127.0.0.1:4318", content: true }));
});

test("quotas are saved, and an emptied one is removed", async () => {
  const { write, kept } = await draw("quotas");
  await write("US dollars", "$2.50", "Quota of a day");
  await write("Tokens", "50,000", "Quota of a run");
  await waitFor(() => expect(kept().quotas).toEqual({ day: { usd: 2.5 }, run: { tokens: 50_000 } }));
  await write("Tokens", "", "Quota of a run");
  await waitFor(() => expect(kept().quotas).toEqual({ day: { usd: 2.5 } }));
});

test("a fallback is saved once it names a model, and removed with its use", async () => {
  const isUnnamed = ({ quotas }: Settings) => quotas?.run?.onExceeded === "fallback" && !quotas.run.fallback?.model;
  const { field, write, choose, kept } = await draw("quotas", isUnnamed);
  expect(screen.queryByLabelText("When exceeded")).toBeNull();
  await write("US dollars", "1", "Quota of a run");
  await waitFor(() => expect(kept().quotas).toEqual({ run: { usd: 1 } }));
  await choose("When exceeded", "Use a cheaper model");
  await screen.findByRole("status");
  expect(kept().quotas).toEqual({ run: { usd: 1 } });
  await write(/^Model/, "small", "Quota of a run");
  const fallback = { model: "small" };
  await waitFor(() => expect(kept().quotas).toEqual({ run: { usd: 1, onExceeded: "fallback", fallback } }));
  await choose("When exceeded", "Ask me");
  await waitFor(() => expect(kept().quotas).toEqual({ run: { usd: 1, onExceeded: "ask" } }));
  expect(screen.queryByLabelText(/^Model/)).toBeNull();
  await write("US dollars", "", "Quota of a run");
  await waitFor(() => expect(kept().quotas).toBeUndefined());
  expect(field("US dollars", "Quota of a run")).toHaveProperty("value", "");
});

test("a quota that changes elsewhere is displayed, and kept by the next edit", async () => {
  const { workspace, field, write, kept } = await draw("quotas");
  await write("Tokens", "100", "Quota of a day");
  await waitFor(() => expect(kept().quotas).toEqual({ day: { tokens: 100 } }));
  act(() => workspace.settings.change({ quotas: { day: { tokens: 250, usd: 3 } } }));
  expect(field("Tokens", "Quota of a day")).toHaveProperty("value", "250");
  await write("US dollars", "4", "Quota of a day");
  await waitFor(() => expect(kept().quotas).toEqual({ day: { tokens: 250, usd: 4 } }));
});

test("an error about a limit leads to the settings", () => {
  const workspace = createTestWorkspace();
  errorAction({ code: "run.too_many_model_calls", message: "" }, workspace)?.run();
  expect(workspace.layout.store.getState().page).toBe("settings");
  expect(errorAction({ code: "run.unknown", message: "" }, workspace)).toBeUndefined();
});
