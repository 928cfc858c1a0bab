/** The examples, replayed as the engine ran them: approvals, two contexts, failures and retries, running to a node. */
import type { Page } from "@playwright/test";
import { expect, node, takePicture, test } from "./fixture";

const state = (page: Page, id: string) => page.getByTestId(`node-status-${id}`);
const status = (page: Page) => page.getByTestId("run-status");

async function open(page: Page, example: string, first: string): Promise<void> {
  await page.goto(`/?example=${example}`);
  await expect(node(page, first)).toBeVisible();
}

test("an approval accepts a decision with a comment and iterates", async ({ page }) => {
  await open(page, "approval", "draft");
  await page.getByTestId("run-button").click();
  const pause = page.getByTestId("pause-check");
  await expect(pause).toContainText("May this go out?", { timeout: 10_000 });
  await expect(page.getByTestId("pause-answer")).toBeFocused();
  await page.getByTestId("pause-comment").fill("Too stiff.");
  await page.getByTestId("pause-reject").getByRole("button").click();
  await expect(pause).toHaveAttribute("data-epoch", "1", { timeout: 10_000 });
  await page.getByTestId("pause-approve").getByRole("button").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished", { timeout: 10_000 });
  await node(page, "check").click();
  await page.getByTestId("inspector-tab-io").click();
  await page.getByTestId("epoch-picker").focus();
  await page.getByTestId("epoch-picker").selectOption({ label: "Iteration 1" });
  await expect(page.getByTestId("inspector")).toContainText("Too stiff.");
});

test("an invalid answer is refused in its form", async ({ page }) => {
  await open(page, "tool-brief", "userInput");
  await page.getByTestId("run-button").click();
  await expect(page.getByTestId("pause-send")).toBeDisabled();
  await page.getByTestId("pause-answer").fill("   ");
  await page.keyboard.press("Enter");
  await expect(status(page)).toHaveAttribute("data-status", "waiting");
  await page.getByTestId("pause-answer").fill("Tell me the time.");
  await page.keyboard.press("Enter");
  await expect(status(page)).toHaveAttribute("data-status", "finished", { timeout: 60_000 });
});

test("each context has a conversation of its own", async ({ page }) => {
  await open(page, "second-opinion", "answer");
  await page.getByTestId("run-button").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished", { timeout: 60_000 });
  await expect(page.getByTestId("messages")).toContainText("Absolutely!");
  await page.getByTestId("context-choice-apart").click();
  await expect(page.getByTestId("messages")).toContainText("The claim names no evidence");
  await expect(page.getByTestId("context-choice-apart")).toHaveAttribute("aria-pressed", "true");
});

test("a handled failure is shown, the run continues, and failed attempts are listed", async ({ page }) => {
  await open(page, "error-handling", "flaky");
  await page.getByTestId("run-button").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished", { timeout: 60_000 });
  await expect(state(page, "broken")).toHaveAttribute("data-state", "failed");
  await page.getByTestId("dock-tab-problems").click();
  const problem = page.getByTestId("problem").filter({ hasText: "This model is down" });
  await problem.getByTitle("Show Broken model on canvas").click();
  await expect(node(page, "broken")).toHaveAttribute("data-selected", "true");
  await page.getByTestId("inspector-tab-io").click();
  await expect(page.getByTestId("io-error")).toContainText("handled by its error output");
  await expect(page.getByTestId("io-output-error")).toContainText("broken");
  await node(page, "flaky").click();
  await expect(page.getByTestId("inspector")).toContainText("Attempt 2");
});

test("running to a node runs what it needs and no more", async ({ page }) => {
  await open(page, "second-opinion", "answer");
  await node(page, "answer").click({ button: "right" });
  await page.getByTestId("menu-run.to").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished", { timeout: 60_000 });
  await expect(state(page, "answer")).toHaveAttribute("data-state", "done");
  await expect(state(page, "critic")).not.toHaveAttribute("data-state", "done");
});

test("examples of conversational loops are in the gallery, with a description, and open", async ({ page }) => {
  for (const [id, title] of [
    ["long-conversation", "Summarizing a long conversation"],
    ["named-sources", "Named sources"],
    ["history-template", "Custom history template"],
  ]) {
    await page.goto("/");
    const entry = page.getByTestId(`example-${id}`);
    await expect(entry).toContainText(title ?? "");
    expect((await entry.textContent())?.length).toBeGreaterThan(60);
    await entry.click();
    await expect(page.getByTestId("flow-name")).toHaveText(title ?? "");
    await expect(node(page, "talk")).toBeVisible();
    await expect(page.getByTestId("node-ask")).toBeVisible();
  }
});

test("an example of a conversational loop opens, runs, and shows the turns in its prompt", async ({ page }) => {
  // Two iterations are replayed at the pace of a person.
  test.setTimeout(120_000);
  await open(page, "named-sources", "clarify");
  await page.getByTestId("run-button").click();
  for (const [at, answer] of ["Twelve guests.", "In the garden."].entries()) {
    await expect(page.getByTestId("pause-ask")).toHaveAttribute("data-epoch", `${at}`, { timeout: 60_000 });
    await page.getByTestId("pause-answer").fill(answer);
    await page.getByTestId("pause-send").click();
  }
  await expect(status(page)).toHaveAttribute("data-status", "finished", { timeout: 60_000 });
  await node(page, "clarify").click();
  await page.getByTestId("inspector-tab-prompt").click();
  await expect(page.getByTestId("conversation-injected")).toBeVisible();
  const messages = page.getByRole("list", { name: "Messages sent" }).getByRole("article");
  await expect(messages).toContainText([
    "You help to plan parties.",
    "Plan a birthday party.",
    "How many guests will come?",
    "Twelve guests.",
    "A birthday party for that many guests.",
    "Ask the next question.",
  ]);
  await expect(page.getByTestId("prompt-lens")).not.toContainText("the budget");
  await takePicture(page, "loop-example");
});
