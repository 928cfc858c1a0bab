import type { Page } from "@playwright/test";
import { findViolations } from "./axe";
import { expect, node, openFlow, TALK_FLOW, takePicture, test } from "./fixture";

/** Two iterations of the conversation, and the prompt of the second. */
async function openPrompt(page: Page): Promise<void> {
  await openFlow(page, TALK_FLOW);
  await page.getByTestId("run-button").click();
  for (const [at, text] of ["Where is my parcel 7731?", "Hold it until Friday."].entries()) {
    await page.getByTestId("pause-answer").fill(text);
    await page.getByTestId("pause-send").click();
    // Text typed before the next question is there would belong to the last one.
    await expect(page.getByTestId("run-status")).toHaveText(`Waiting for you · iteration ${at + 2}`);
    await expect(page.getByTestId("messages")).toContainText(text);
  }
  await node(page, "answer").click();
  await page.getByTestId("inspector-tab-prompt").click();
}

test("the prompt folds, compares, and is searched", async ({ page }) => {
  await openPrompt(page);
  const lens = page.getByTestId("prompt-lens");
  await expect(lens.getByRole("article", { name: "user message" }).last()).toContainText("Hold it until Friday.");
  await lens.getByRole("switch", { name: "Compare with the previous call" }).click();
  await expect(page.getByTestId("prompt-diff")).toContainText("messages changed");
  // The node's previous call is that before the tool was called.
  await expect(lens.getByRole("article", { name: "tool message" })).toContainText("New");
  await expect(lens.getByRole("article", { name: "user message" }).last()).not.toContainText("New");
  for (const theme of ["dark", "light"]) {
    await page.evaluate((name) => document.documentElement.setAttribute("data-theme", name), theme);
    expect(await findViolations(page, { within: '[data-testid="prompt-lens"]' }), theme).toEqual([]);
    await takePicture(page, `lens-${theme}`);
  }
  await lens.getByRole("button", { name: "Collapse all" }).click();
  await expect(lens.getByRole("button", { name: "Expand user message" }).first()).toBeVisible();

  await page.getByTestId("prompt-search").fill("PARCEL 7731");
  const results = lens.getByRole("list", { name: "Prompts with this text" });
  await expect(results.getByRole("button").first()).toContainText("iteration 1", { ignoreCase: true });
  await results.getByRole("button").first().click();
  await expect(page.getByTestId("epoch-picker")).toHaveValue("0");
  await lens.getByRole("button", { name: "Copy as curl" }).click();
  await expect(page.getByText("sends no HTTP request")).toBeVisible();
});
