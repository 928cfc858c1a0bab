import type { Page } from "@playwright/test";
import type { DetectedServer } from "../../src/bindings";
import { findViolations } from "./axe";
import { CHAT_FLOW, expect, node, openFlow, type TestHost, takePicture, test } from "./fixture";
import { answer } from "./intercept";

const KEY = "sk-proj-NEVER-TO-BE-SEEN-0123456789abcdef";

/** Servers that seem to run on this machine. */
async function running(
  page: Page,
  host: TestHost,
  servers: Pick<DetectedServer, "software" | "suggestedName" | "models" | "settings">[],
) {
  const found = async () => {
    const { providers } = await host.call("settings.get", {});
    return servers.map((server) => ({
      ...server,
      providers: Object.keys(providers).filter((name) => providers[name]?.baseUrl === server.settings.baseUrl),
    }));
  };
  const modelsOf = async (provider: string) => (await found()).find((one) => one.providers.includes(provider))?.models;
  await answer(page, "provider.detect", async () => ({ reply: await found() }));
  await answer(page, "provider.models", async ({ provider }, ask) => {
    const models = await modelsOf(provider);
    return models ? { reply: { models } } : ask();
  });
  await answer(page, "provider.test", async ({ provider }, ask) => {
    const models = await modelsOf(provider);
    return models ? { reply: { tested: "models", tookMs: 1, models } } : ask();
  });
}

const OLLAMA = {
  software: "Ollama",
  suggestedName: "ollama",
  models: ["all-minilm", "llama3.2:1b"],
  settings: { kind: "ollama", baseUrl: "http://127.0.0.1:11434" },
} as const satisfies Parameters<typeof running>[2][number];

async function openSettings(page: Page): Promise<void> {
  await page.getByTestId("rail-settings").click();
  await expect(page.getByTestId("provider-openai")).toBeVisible();
}

/** Opens a provider's card and returns it. */
async function card(page: Page, name: string) {
  const it = page.getByTestId(`provider-${name}`);
  await it.getByRole("button", { name: new RegExp(`^${name}`) }).click();
  return it;
}

for (const theme of ["dark", "light"] as const) {
  test.describe(theme, () => {
    test.use({ colorScheme: theme });

    test("has no accessibility violations with open cards, an error and a found server", async ({ page, host }) => {
      await running(page, host, [
        OLLAMA,
        {
          ...OLLAMA,
          software: "vLLM",
          suggestedName: "vllm-2",
          settings: { kind: "openAi", baseUrl: "http://127.0.0.1:8123/v1" },
        },
      ]);
      await openFlow(page);
      await openSettings(page);
      const openai = await card(page, "openai");
      await openai.getByRole("button", { name: "Test openai" }).click();
      await expect(openai.getByText("none is stored for https://api.openai.com")).toBeVisible();
      const ollama = await card(page, "ollama");
      await ollama.getByRole("button", { name: "Test ollama" }).click();
      await expect(page.getByTestId("test-ollama")).toContainText("Connected");
      expect(await findViolations(page, { within: '[data-testid="settings-page"]' })).toEqual([]);
      const panel = page.getByTestId("settings-page");
      expect(await panel.evaluate((it) => it.scrollWidth - it.clientWidth), "nothing sticks out").toBe(0);
      await takePicture(page, `settings-${theme}`);
    });
  });
}

test("sets a key, shows its source but never the key, and removes it", async ({ page }) => {
  await openFlow(page);
  await openSettings(page);
  const openai = await card(page, "openai");
  await expect(page.getByTestId("key-place-openai")).toHaveText("Not set; also read from OPENAI_API_KEY");
  const field = openai.getByLabel("API key", { exact: true });
  await expect(field).toHaveAttribute("type", "password");
  await field.fill("two words");
  await openai.getByRole("button", { name: "Set the API key of openai" }).click();
  await expect(openai.getByText("keys.bad_key")).toBeVisible();
  await expect(field).toHaveAttribute("aria-invalid", "true");
  await field.fill(KEY);
  await field.press("Enter");
  await expect(page.getByTestId("key-place-openai")).toHaveText(
    "In an encrypted file, protected by a key file, ends in cdef",
  );
  await expect(field).toHaveValue("");
  await expect(field).toBeFocused();
  await expect(openai.getByText("keys.bad_key")).toHaveCount(0);
  const kept = await page.evaluate(() => document.documentElement.outerHTML + JSON.stringify({ ...localStorage }));
  expect(kept).not.toContain(KEY.slice(0, 16));
  await openai.getByRole("button", { name: "Remove the API key of openai" }).click();
  await expect(page.getByTestId("key-place-openai")).toHaveText("Not set; also read from OPENAI_API_KEY");
});

test("finds a local server and offers its models in the inspector", async ({ page, host }) => {
  await running(page, host, [OLLAMA]);
  const flow = structuredClone(CHAT_FLOW);
  flow.nodes.start = { type: "contextStart", title: "main", config: { provider: "ollama", model: "" } };
  await openFlow(page, flow);
  await openSettings(page);
  await expect(page.getByTestId("provider-ollama")).toContainText("Running");
  await expect(page.getByText("1 local server found")).toBeVisible();
  await page.keyboard.press("Escape");
  await node(page, "start").click();
  const model = page.getByRole("combobox", { name: "Model", exact: true });
  await model.focus();
  const offered = page.locator(`datalist option[value="llama3.2:1b"]`).first();
  await expect(offered).toHaveAttribute("label", "llama3.2:1b (ollama)");
});

test("adds a provider, refuses a wrong address, changes and removes it", async ({ page }) => {
  await openFlow(page);
  await openSettings(page);
  await page.getByRole("textbox", { name: "Provider name" }).fill("mine");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  const mine = await card(page, "mine");
  const url = mine.getByLabel("Base URL");
  await url.fill("nowhere");
  await url.press("Enter");
  await expect(mine.getByText("provider.bad_settings")).toBeVisible();
  await url.fill("http://box:9000/v1");
  await url.press("Enter");
  await expect(mine.getByText("provider.bad_settings")).toHaveCount(0);
  // Also after a reload.
  await page.reload();
  await openSettings(page);
  await card(page, "mine");
  await expect(url).toHaveValue("http://box:9000/v1");
  await mine.getByRole("button", { name: "Remove provider mine" }).click();
  await page.getByTestId("ask-remove").click();
  await expect(mine).toHaveCount(0);

  const ollama = await card(page, "ollama");
  await ollama.getByLabel("Base URL").fill("http://box:1/v1");
  await ollama.getByLabel("Base URL").press("Enter");
  await ollama.getByRole("button", { name: "Reset ollama to defaults" }).click();
  await expect(ollama.getByLabel("Base URL")).toHaveValue("http://127.0.0.1:11434");
});

test("a found server can be added by keyboard", async ({ page, host }) => {
  await running(page, host, [
    {
      ...OLLAMA,
      software: "vLLM",
      suggestedName: "vllm-2",
      settings: { kind: "openAi", baseUrl: "http://127.0.0.1:8123/v1" },
    },
  ]);
  await openFlow(page);
  await openSettings(page);
  const add = page.getByRole("button", { name: "Add vLLM at http://127.0.0.1:8123/v1 as vllm-2" });
  await add.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("provider-vllm-2")).toContainText("Running");
  await page
    .getByTestId("provider-vllm-2")
    .getByRole("button", { name: /^vllm-2/ })
    .focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await expect(page.getByTestId("provider-vllm-2").getByLabel("Protocol")).toBeFocused();
});

test("finds settings by their words and descriptions, and says how many", async ({ page }) => {
  await openFlow(page);
  await page.keyboard.press("Control+,");
  const search = page.getByTestId("settings-search");
  await expect(search).toBeFocused();
  await expect(page.getByTestId("provider-openai")).toBeVisible();
  await page.keyboard.type("model calls");
  await expect(page.getByTestId("settings-found")).toHaveText(/^\d found$/);
  await expect(page.getByLabel("Max model calls").first()).toBeVisible();
  await expect(page.getByTestId("setting-theme")).toBeHidden();
  await takePicture(page, "settings-search");
  await search.fill("theme");
  await expect(page.getByTestId("settings-found")).toHaveText("1 found");
  await expect(page.getByTestId("setting-theme")).toBeVisible();
  await search.fill("no such thing at all");
  await expect(page.getByTestId("settings-found")).toHaveText("0 found");
  await expect(page.getByTestId("settings-page")).toContainText("No setting matches");
  await page.keyboard.press("Escape");
  await expect(search).toHaveValue("");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("settings-page")).toHaveCount(0);
});

test("leads to a section from the list, and keeps the keyboard from the canvas behind", async ({ page }) => {
  await openFlow(page);
  await node(page, "tools").click();
  await openSettings(page);
  await page.getByRole("navigation", { name: "Sections" }).getByRole("button", { name: "Redaction" }).click();
  const heading = page.getByRole("heading", { name: "Redaction" });
  await expect(heading).toBeFocused();
  await expect(heading).toBeInViewport();
  await page.keyboard.press("Delete");
  await page.getByTestId("setting-zoom").selectOption("110");
  await expect.poll(() => page.evaluate(() => document.documentElement.style.zoom)).toBe("1.1");
  await page.getByTestId("rail-settings").click();
  await expect(page.getByTestId("settings-page")).toHaveCount(0);
  await expect(node(page, "tools")).toBeVisible();
});
