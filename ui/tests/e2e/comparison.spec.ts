/** A rerun of an edited flow is compared with the run that it repeats: the first difference, and what follows from it. */
import type { Page } from "@playwright/test";
import type { Flow } from "@/bindings";
import { findViolations } from "./axe";
import { expect, node, openFlow, SCRIPTED, saying, takePictures, test } from "./fixture";

const FLOW: Flow = {
  version: 1,
  name: "Two opinions",
  nodes: {
    start: SCRIPTED,
    topic: { type: "text", title: "Topic", config: { template: "tea" } },
    first: saying("First", "Write about {{topic}}. Be brief.", "Good."),
    out: { type: "output", title: "Result" },
  },
  edges: {
    a: { source: "topic", sourceOutput: "text", target: "first", targetInput: "topic" },
    b: { source: "start", sourceOutput: "context", target: "first", targetInput: "context" },
    c: { source: "topic", sourceOutput: "text", target: "out", targetInput: "value" },
  },
  layout: { start: { x: 0, y: 200 }, topic: { x: 0, y: 0 }, first: { x: 300, y: 0 }, out: { x: 600, y: 0 } },
};

const status = (page: Page) => page.getByTestId("run-status");

test("what differs between two runs is shown, the first difference first", async ({ page }) => {
  await openFlow(page, FLOW);
  await page.getByTestId("run-button").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await node(page, "topic").click();
  await page.getByTestId("inspector").getByLabel("Template", { exact: true }).fill("green tea");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+Shift+Enter");
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await page.getByRole("button", { name: "Runs", exact: true }).click();
  const latest = page.locator("[data-testid^=run-row-]").first();
  await expect(latest).toContainText("repeat");
  await latest.hover();
  await latest.getByRole("button", { name: "Compare with the run that it repeats" }).click();

  const dialog = page.getByTestId("comparison-dialog");
  await expect(dialog.getByTestId("differences-first")).toContainText("Topic");
  await expect(dialog.getByTestId("differences-first").locator("ins").first()).toHaveText("green ");
  await expect(dialog.getByTestId("differences-follows")).toContainText("First");
  await expect(dialog.getByTestId("differences-follows")).toContainText("prompt 1");
  await takePictures(page, "comparison");
  expect(await findViolations(page, { within: '[data-testid="comparison-dialog"]' })).toEqual([]);

  // Which difference did it: the cost comes first, then the forks.
  await dialog.getByTestId("why-ask").click();
  await expect(dialog.getByTestId("why-trials")).toContainText('Topic › template: "tea" → "green tea"');
  await expect(dialog.getByTestId("why-found")).toHaveCount(0);
  await takePictures(page, "comparison-why-cost");
  await dialog.getByTestId("why-run").click();
  await expect(dialog.getByTestId("why-found")).toContainText("Topic › template");
  await expect(dialog.getByTestId("why-trials").getByRole("button", { name: "as after" })).toBeVisible();
  await takePictures(page, "comparison-why");

  await dialog.getByTestId("differences-follows").getByRole("button", { name: "First" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(node(page, "first")).toBeVisible();
});
