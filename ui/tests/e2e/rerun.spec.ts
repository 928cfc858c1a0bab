/** After an edit, the flow runs again without buying what is asked as before, and the button says so before. */
import type { Page } from "@playwright/test";
import type { Flow } from "@/bindings";
import { findViolations } from "./axe";
import { expect, node, openFlow, SCRIPTED, saying, takePicture, test } from "./fixture";

const FLOW: Flow = {
  version: 1,
  name: "Two opinions",
  nodes: {
    start: SCRIPTED,
    first: saying("First", "What do you think?", "Good."),
    second: saying("Second", "{{said}} And you?", "Bad."),
    out: { type: "output", title: "Result" },
  },
  edges: {
    a: { source: "first", sourceOutput: "response", target: "second", targetInput: "said" },
    c: { source: "start", sourceOutput: "context", target: "first", targetInput: "context" },
    d: { source: "start", sourceOutput: "context", target: "second", targetInput: "context" },
    b: { source: "second", sourceOutput: "response", target: "out", targetInput: "value" },
  },
  layout: { start: { x: 0, y: 200 }, first: { x: 0, y: 0 }, second: { x: 300, y: 0 }, out: { x: 600, y: 0 } },
};

const status = (page: Page) => page.getByTestId("run-status");

async function runOnce(page: Page): Promise<void> {
  await openFlow(page, FLOW);
  await page.getByTestId("run-button").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
}

async function changePrompt(page: Page, id: string, prompt: string): Promise<void> {
  await node(page, id).click();
  await page.getByTestId("inspector").getByLabel("Prompt", { exact: true }).fill(prompt);
  await page.keyboard.press("Escape");
}

test("an edited flow says what a rerun reuses and buys, and reuses it", async ({ page }) => {
  await runOnce(page);
  await expect(page.getByTestId("rerun-button")).toHaveCount(0);
  await changePrompt(page, "second", "{{said}} And she?");
  const button = page.getByTestId("rerun-button");
  await expect(button).toHaveAccessibleDescription(/Reuses 1 reply\..*Buys 1 model call \(`second`\)/);
  await button.hover();
  await expect(page.getByTestId("rerun-bill")).toContainText("Buys 1 model call");
  await takePicture(page, "rerun-bill");
  expect(await findViolations(page, { within: '[data-testid="rerun-button"]' })).toEqual([]);
  await button.click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await expect(button).toHaveCount(0);
  await page.getByRole("button", { name: "Runs", exact: true }).click();
  await expect(page.locator("[data-testid^=run-row-]").first()).toContainText("repeat");
});

test("a rerun starts by keys alone, and not before the flow can run", async ({ page }) => {
  await runOnce(page);
  await changePrompt(page, "second", "{{said}} And they?");
  await page.keyboard.press("Control+Shift+Enter");
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await expect(page.getByTestId("rerun-button")).toHaveCount(0);
});
