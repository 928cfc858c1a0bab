import { findViolations } from "./axe";
import { CHAT_FLOW, expect, intoView, node, openFlow, savedFlow, test } from "./fixture";

test("offers Plait's own tools as a checklist", async ({ page }) => {
  await openFlow(page);
  await node(page, "tools").click();
  const tools = page.getByRole("group", { name: "Tools", exact: true });
  await expect(tools.getByRole("checkbox", { name: "calculator" })).toBeChecked();
  await expect(tools.getByRole("checkbox", { name: /write_file/ })).not.toBeChecked();
  const marks = (tool: string) => tools.locator("label", { hasText: tool }).getByTestId("tool-effect");
  await expect(marks("write_file")).toHaveText("writes");
  await expect(marks("fetch_url")).toHaveText("sends");
  await expect(marks("calculator")).toHaveCount(0);
  await tools.getByRole("checkbox", { name: /fetch_url/ }).check();
  await tools.getByRole("checkbox", { name: "calculator" }).uncheck();
  expect((await savedFlow(page)).nodes.tools?.config).toEqual({ tools: ["fetch_url"] });
});

test("edits HTTP tools and options of single tools", async ({ page }) => {
  await openFlow(page);
  await node(page, "tools").click();
  await page.getByTestId("add-http").click();
  const field = (name: string) => page.locator(`[data-field="http.0.${name}"]`);
  await field("name").locator("input").fill("weather");
  await field("url").locator("input").fill("https://api.example.com/weather/{{city}}");
  await field("method").locator("select").selectOption({ label: "POST" });
  await field("description").locator("textarea").fill("The weather in a city.");
  expect(await findViolations(page, { within: '[data-testid="inspector"]' })).toEqual([]);
  expect((await savedFlow(page)).nodes.tools?.config).toEqual({
    tools: ["calculator"],
    http: [
      {
        name: "weather",
        url: "https://api.example.com/weather/{{city}}",
        method: "POST",
        description: "The weather in a city.",
      },
    ],
  });
});

test("takes a pasted OpenAPI document", async ({ page }) => {
  await openFlow(page);
  await node(page, "tools").click();
  await page.locator('[data-field="openapi.document"] .cm-content').click();
  await page.keyboard.insertText('{"openapi": "3.1.0", "paths": {}}');
  expect((await savedFlow(page)).nodes.tools?.config?.openapi).toEqual({ document: { openapi: "3.1.0", paths: {} } });
});

test("declares folders in the flow's settings", async ({ page }) => {
  await openFlow(page, CHAT_FLOW);
  await page.getByTestId("flow-settings-button").click();
  await page.getByTestId("add-folders").click();
  await page.locator('[data-field="folders.0.path"] input').fill("out");
  await page.locator('[data-field="folders.0.write"]').getByRole("switch").click();
  expect((await savedFlow(page)).settings?.folders).toEqual([{ path: "out", write: true }]);
});

test("allows hosts and names secrets in the settings", async ({ page, host }) => {
  await openFlow(page);
  await page.getByTestId("rail-settings").click();
  const hosts = page.getByLabel("Allowed hosts");
  await hosts.fill("http://localhost");
  await hosts.blur();
  await expect(page.getByText("is not a host")).toBeVisible();
  await hosts.fill("localhost:8080");
  await hosts.blur();
  await page.getByLabel("Name of the secret").fill("GITHUB");
  await page.getByLabel("Origin it may be sent to").fill("https://api.github.com");
  await page.getByLabel("Environment variable that holds it").fill("GITHUB_TOKEN");
  await page.getByRole("button", { name: "Add secret" }).click();
  await expect(page.getByText("GITHUB_TOKEN, sent to https://api.github.com only")).toBeVisible();
  await expect.poll(() => host.settings()).toContain("GITHUB_TOKEN");
  await page.reload();
  // The panel may be open again already; then the first click closes it.
  await expect(async () => {
    await page.getByTestId("rail-settings").click();
    await expect(page.getByLabel("Allowed hosts")).toHaveValue("localhost:8080", { timeout: 5_000 });
  }).toPass();
  await page.getByRole("button", { name: "Remove secret GITHUB" }).click();
  await expect(page.getByText("GITHUB_TOKEN, sent to")).toHaveCount(0);
});

test("reports names of tools that do not exist while editing, and offers the others", async ({ page }) => {
  await openFlow(page, {
    ...CHAT_FLOW,
    nodes: {
      ...CHAT_FLOW.nodes,
      tools: { type: "tools", title: "Parcel tools", config: { tools: ["calculator", "calulator"] } },
      call: { type: "callTool", config: { tool: "gone" } },
    },
    layout: { ...CHAT_FLOW.layout, call: { x: 548, y: 300 } },
  });
  await expect(page.getByTestId("problem-tools")).toBeVisible();
  await page.keyboard.press("Alt+Shift+4");
  await expect(page.getByText("There is no tool calulator.")).toBeVisible();
  await node(page, "tools").click();
  await page.getByRole("checkbox", { name: /^calulator/ }).click();
  await expect(page.getByTestId("problem-tools")).toHaveCount(0);

  await expect(page.getByTestId("problem-call")).toBeVisible();
  await (await intoView(page, node(page, "call"))).click();
  await page.locator("[data-field=tool]").getByRole("combobox").selectOption("current_time");
  await expect(page.getByTestId("problem-call")).toHaveCount(0);
});
