/** What a window and a new tab begin with. */
import { CHAT_FLOW, expect, node, openFlow, TEST_FILE, takePicture, test } from "./fixture";

test("offers recent flows with a small map, which open in its tab", async ({ page }) => {
  await openFlow(page);
  await page.getByTestId("new-tab").click();
  await expect(page.getByTestId("tab-Start")).toBeVisible();
  const recent = page.getByTestId(`start-recent-${TEST_FILE}`);
  await expect(recent).toContainText(CHAT_FLOW.name);
  await expect(recent).toContainText("just now");
  await expect(recent.locator("rect")).toHaveCount(Object.keys(CHAT_FLOW.nodes).length);
  await recent.click();
  await expect(node(page, "answer")).toBeVisible();
  // It was open: its tab is shown, and the start page waits in its own.
  await expect(page.getByTestId("tab-bar").getByRole("listitem")).toHaveCount(2);
});

test("offers the examples with small maps, and opens one", async ({ page }) => {
  await page.goto("/");
  const examples = page.getByTestId("start-page").locator("[data-testid^=example-]");
  await expect(examples.first()).toBeVisible();
  await expect(examples.locator("svg")).toHaveCount(await examples.count());
  await takePicture(page, "start-page-examples");
  await page.getByTestId("start-page").locator("[data-testid^=example-]").first().click();
  await expect(page.getByTestId("flow-file")).toContainText("Not saved");
  await expect(page.getByTestId("tab-bar").getByRole("listitem")).toHaveCount(1);
});

test("keeps own templates, which can be renamed, opened and deleted", async ({ page }) => {
  await openFlow(page);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("Save as template");
  await page.keyboard.press("Enter");
  await page.getByTestId("new-tab").click();
  const templates = page.getByRole("region", { name: "My templates" });
  await expect(templates.getByTestId(`template-${CHAT_FLOW.name}`)).toBeVisible();
  await templates.getByRole("button", { name: "Rename template" }).click();
  await page.getByLabel("Template name").fill("Triage");
  await page.keyboard.press("Enter");
  await templates.getByTestId("template-Triage").click();
  await expect(page.getByTestId("flow-name")).toHaveText("Triage");
  await expect(page.getByTestId("flow-file")).toHaveText("Not saved");
  await page.getByTestId("new-tab").click();
  await templates.getByRole("button", { name: "Delete template" }).click();
  await page.getByTestId("ask-delete").click();
  await expect(templates).toHaveCount(0);
});
