import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import type { ProviderPreset, ProviderSettings } from "@/bindings";
import { neverAnswers } from "@/ipc/test-host";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { AddProvider } from "./AddProvider";
import { ServerDetails } from "./ServerDetails";

const PRESETS: ProviderPreset[] = [
  {
    name: "groq",
    title: "Groq",
    settings: {
      kind: "openAi",
      baseUrl: "https://api.groq.com/openai/v1",
      keyEnv: "GROQ_API_KEY",
      quirks: { tokenLimit: "max_completion_tokens", strict: false },
    },
    source: "https://console.groq.com/docs/openai",
  },
  {
    name: "azure",
    title: "Azure OpenAI",
    settings: { kind: "openAi", baseUrl: "https://RESOURCE.example.com/openai/v1", keyHeader: "api-key" },
    source: "https://learn.microsoft.com",
  },
];

afterEach(cleanup);

async function draw() {
  const user = userEvent.setup();
  const workspace = createTestWorkspace({
    call: (async (name: string, args: { patch?: unknown }) =>
      name === "provider.presets" ? PRESETS : (args.patch ?? {})) as never,
  });
  renderInWorkspace(<AddProvider />, { workspace });
  await workspace.providers.fetchPresets();
  await screen.findByLabelText("Service");
  return { user, added: () => workspace.settings.current.providers };
}

describe("a service that is added", () => {
  it("has the settings of its preset, quirks included", async () => {
    const { user, added } = await draw();
    await user.selectOptions(screen.getByLabelText("Service"), "Groq");
    await user.click(screen.getByRole("button", { name: "Add" }));
    expect(added().groq).toEqual(PRESETS[0]?.settings);
  });

  it("needs a base URL of its own where the preset has a placeholder", async () => {
    const { user, added } = await draw();
    await user.selectOptions(screen.getByLabelText("Service"), "Azure OpenAI");
    await user.click(screen.getByRole("button", { name: "Add" }));
    expect(screen.getByRole("status").textContent).toContain("RESOURCE");
    const field = screen.getByLabelText("Base URL of Azure OpenAI");
    await user.clear(field);
    await user.type(field, "https://mine.example.com/openai/v1");
    await user.click(screen.getByRole("button", { name: "Add" }));
    expect(added().azure).toEqual({ ...PRESETS[1]?.settings, baseUrl: "https://mine.example.com/openai/v1" });
  });
});

describe("the server details of a provider", () => {
  async function open(settings: ProviderSettings) {
    const user = userEvent.setup();
    const changes: ProviderSettings[] = [];
    renderInWorkspace(<ServerDetails settings={settings} onChange={(next) => changes.push(next)} />, {
      workspace: createTestWorkspace({ call: neverAnswers }),
    });
    await user.click(screen.getByRole("button", { name: "Server details" }));
    return { user, changes };
  }

  it("keeps what it does not change", async () => {
    const settings: ProviderSettings = {
      kind: "openAi",
      baseUrl: "https://a.example.com/v1",
      query: { "api-version": "1" },
      readTimeoutMs: 5,
      quirks: { reasoning: "reasoning_content", strict: false },
    };
    const { user, changes } = await open(settings);
    expect((screen.getByLabelText("Strict schemas") as HTMLSelectElement).value).toBe("false");
    await user.selectOptions(screen.getByLabelText("stream_options"), "Not sent");
    expect(changes.pop()).toEqual({
      ...settings,
      quirks: { reasoning: "reasoning_content", strict: false, streamOptions: false },
    });
    await user.selectOptions(screen.getByLabelText("Strict schemas"), "Default: Allowed");
    expect(changes.pop()).toEqual({ ...settings, quirks: { reasoning: "reasoning_content" } });
  });

  it("takes query parameters by line and refuses what is none", async () => {
    const { user, changes } = await open({ kind: "anthropic", baseUrl: "https://a.example.com" });
    expect(screen.queryByLabelText("Strict schemas")).toBeNull();
    const field = screen.getByLabelText(/Query parameters/);
    await user.type(field, "api-version=2{Enter}nonsense");
    await user.tab();
    expect(changes).toEqual([]);
    expect(screen.getByRole("status").textContent).toContain("name=value");
    await user.clear(field);
    await user.type(field, "api-version=2=3");
    await user.tab();
    expect(changes.pop()).toEqual({
      kind: "anthropic",
      baseUrl: "https://a.example.com",
      query: { "api-version": "2=3" },
    });
  });
});
