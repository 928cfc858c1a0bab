import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, openFlow, test } from "./fixture";

async function expectAccessible(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include('section[aria-label="Left panel"]').analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((one) => one.html.slice(0, 160)).join(" | ")}`);
  expect(found, what).toEqual([]);
}

test("a knowledge base is indexed, searched, and its source opened", async ({ page }) => {
  await openFlow(page);
  await page.getByTestId("rail-knowledge").click();
  const base = page.getByTestId("knowledge-base-handbook");
  await expect(base.getByTestId("knowledge-state")).toHaveText("Not indexed");
  await page.getByTestId("knowledge-index-handbook").click();
  await expect(base.getByTestId("knowledge-progress")).toContainText("of 5 files");
  await expect(base.getByTestId("knowledge-state")).toHaveText("Ready", { timeout: 10_000 });
  await expect(base).toContainText("2 files, 3 passages");
  await base.getByText("1 not searched").click();
  await expect(base).toContainText("the PDF has no text, only images");

  await page.getByTestId("knowledge-query").fill("book trains for meals");
  await page.keyboard.press("Enter");
  const passages = page.getByTestId("passage");
  await expect(passages).toHaveCount(2);
  await expect(passages.first()).toContainText("Trains are booked by the office");
  await expect(passages.first()).toContainText("travel/trains.md, line 5");
  await expect(passages.first()).toContainText("4.20");
  await expect(passages.last()).toContainText("Takes 60 tokens, 12 were left");
  await expectAccessible(page, "results");

  await passages.first().click();
  const dialog = page.getByTestId("source-dialog");
  await expect(dialog).toContainText("/home/ada/handbook/travel/trains.md");
  await expect(dialog).toContainText("Trips are planned two weeks ahead.");
  await expect(dialog.getByTestId("source-passage")).toContainText("## Trains");
  await expect(dialog.getByTestId("source-passage")).not.toContainText("Trips are planned");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
});

test("a knowledge base is added, stopped while it is indexed, and removed", async ({ page }) => {
  await openFlow(page);
  await page.getByTestId("rail-knowledge").click();
  await page.getByTestId("knowledge-add").click();
  await page.getByTestId("knowledge-choose").click();
  await page.getByTestId("file-dialog-path").fill("/home/ada/policies");
  await page.getByTestId("file-dialog-ok").click();
  await expect(page.getByTestId("knowledge-name")).toHaveValue("policies");

  await page.getByTestId("knowledge-name").fill("handbook");
  await page.getByTestId("knowledge-submit").click();
  await expect(page.getByTestId("knowledge-form").getByRole("alert")).toContainText("already a knowledge base");
  await page.getByTestId("knowledge-embeddings").fill("nonsense");
  await page.getByTestId("knowledge-submit").click();
  await expect(page.getByTestId("knowledge-form").getByRole("alert")).toContainText("provider/model");
  await page.getByTestId("knowledge-embeddings").fill("");
  await page.getByTestId("knowledge-name").fill("policies");
  await expectAccessible(page, "form");
  await page.getByTestId("knowledge-submit").click();

  await page.getByTestId("knowledge-stop-policies").click();
  const base = page.getByTestId("knowledge-base-policies");
  await expect(base.getByTestId("knowledge-state")).toHaveText("Failed");
  await expect(base).toContainText("Indexing was stopped.");

  await page.getByTestId("knowledge-remove-policies").click();
  await page.getByTestId("ask-remove").click();
  await expect(base).toHaveCount(0);
});
