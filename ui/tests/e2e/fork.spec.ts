/** A part of a run is done again in a fork, once the person has seen the bill. */
import type { Page } from "@playwright/test";
import type { Flow } from "@/bindings";
import { findViolations } from "./axe";
import { expect, intoView, node, openFlow, SCRIPTED, saying, takePicture, test } from "./fixture";

const FLOW: Flow = {
  version: 1,
  name: "Three opinions",
  nodes: {
    start: SCRIPTED,
    // What shares a context with the first node follows from it.
    apart: { ...SCRIPTED, config: { ...SCRIPTED.config, contextId: "apart" } },
    first: saying("First", "What do you think?", "Good."),
    second: saying("Second", "{{said}} And you?", "Bad."),
    third: saying("Third", "Another question", "Neither."),
    out: { type: "output", title: "Result" },
  },
  edges: {
    a: { source: "first", sourceOutput: "response", target: "second", targetInput: "said" },
    c: { source: "start", sourceOutput: "context", target: "first", targetInput: "context" },
    d: { source: "start", sourceOutput: "context", target: "second", targetInput: "context" },
    e: { source: "apart", sourceOutput: "context", target: "third", targetInput: "context" },
    b: { source: "second", sourceOutput: "response", target: "out", targetInput: "value" },
  },
  layout: {
    start: { x: 0, y: 220 },
    first: { x: 0, y: 0 },
    second: { x: 300, y: 0 },
    apart: { x: 0, y: 400 },
    third: { x: 300, y: 400 },
    out: { x: 600, y: 0 },
  },
};

const status = (page: Page) => page.getByTestId("run-status");
const rows = (page: Page) => page.locator("[data-testid^=run-row-]");

async function runOnce(page: Page): Promise<void> {
  await openFlow(page, FLOW);
  await page.getByTestId("run-button").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
}

async function chooseOn(page: Page, id: string, command: string): Promise<void> {
  await intoView(page, node(page, id));
  await node(page, id).click({ button: "right" });
  await page.getByTestId(`menu-${command}`).click();
}

/** The bill takes a rehearsal, so the dialog opens a moment later. */
async function startByKey(page: Page): Promise<void> {
  await expect(page.getByTestId("bill-start")).toBeFocused();
  await page.keyboard.press("Enter");
}

test("a node's menu forks the run from there, after the bill", async ({ page }) => {
  await runOnce(page);
  await chooseOn(page, "first", "run.fromHere");
  const dialog = page.getByTestId("bill-dialog");
  await expect(dialog).toContainText("Run from “First”");
  await expect(page.getByTestId("bill-summary")).toContainText(/reuses 1, buys 1/);
  const lines = page.getByTestId("bill-lines").locator("li");
  await expect(lines).toHaveText([/First.*buys 1 reply/, /Second.*depends on what is bought/, /Third.*reuses 1/]);
  await takePicture(page, "fork-bill");
  expect(await findViolations(page, { within: '[data-testid="bill-dialog"]' })).toEqual([]);

  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await page.getByRole("button", { name: "Runs", exact: true }).click();
  await expect(rows(page)).toHaveCount(1);

  await chooseOn(page, "first", "run.fromHere");
  await startByKey(page);
  await expect(dialog).toHaveCount(0);
  await expect(rows(page)).toHaveCount(2);
  await expect(status(page)).toHaveAttribute("data-status", "finished");
});

test("the bill's dialog says what is asked outside", async ({ page }) => {
  const flow: Flow = {
    version: 1,
    name: "A sum",
    nodes: {
      start: SCRIPTED,
      sum: { type: "callTool", title: "Sum", config: { tool: "calculator", arguments: { expression: "6 * 7" } } },
      chat: saying("Chat", "Why {{sum}}?", "So."),
    },
    edges: {
      a: { source: "start", sourceOutput: "context", target: "chat", targetInput: "context" },
      b: { source: "sum", sourceOutput: "result", target: "chat", targetInput: "sum" },
    },
    layout: { start: { x: 0, y: 220 }, sum: { x: 0, y: 0 }, chat: { x: 300, y: 0 } },
  };
  await openFlow(page, flow);
  await page.getByTestId("run-button").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await chooseOn(page, "sum", "run.live");
  const lines = page.getByTestId("bill-lines").locator("li");
  await expect(lines).toHaveText([/Sum.*calls calculator/, /Chat.*depends on what is bought/]);
  await takePicture(page, "fork-live");
  expect(await findViolations(page, { within: '[data-testid="bill-dialog"]' })).toEqual([]);

  await page.getByTestId("bill-world").selectOption({ label: "As recorded" });
  await expect(lines).toHaveText([/Chat.*reuses 1/, /Sum.*reuses 1/]);
  await page.getByTestId("bill-misses").selectOption({ label: "Fail" });
  await page.getByTestId("bill-start").click();
  await page.getByRole("button", { name: "Runs", exact: true }).click();
  await expect(rows(page)).toHaveCount(2);
  await expect(status(page)).toHaveAttribute("data-status", "finished");
});

test("one node is run again, and what follows is reused where it asks the same", async ({ page }) => {
  await runOnce(page);
  await chooseOn(page, "first", "run.again");
  const lines = page.getByTestId("bill-lines").locator("li");
  await expect(lines).toHaveText([/First.*buys 1 reply/, /Second.*depends on what is bought/, /Third.*reuses 1/]);
  await takePicture(page, "fork-again");
  expect(await findViolations(page, { within: '[data-testid="bill-dialog"]' })).toEqual([]);
  await page.getByTestId("bill-follows").selectOption({ label: "Done again" });
  await expect(page.getByTestId("bill-dialog")).toContainText("all that follows from it are done again");
  await page.getByTestId("bill-follows").selectOption({ label: "Reused where the same is asked" });
  await expect(page.getByTestId("bill-start")).toBeEnabled();
  await page.getByTestId("bill-start").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  // The new reply is the same: what follows was asked the same.
  await expect(page.getByTestId("run-reused")).toContainText("2 replies reused");
});

test("only one node is run", async ({ page }) => {
  await runOnce(page);
  await chooseOn(page, "second", "run.only");
  await expect(page.getByTestId("bill-summary")).toContainText(/reuses 1, buys 1/);
  await page.getByTestId("bill-start").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await expect(node(page, "third").locator("[data-state=done]")).toHaveCount(0);
});

test("a look into the past forks there by keys alone", async ({ page }) => {
  await runOnce(page);
  for (let step = 0; step < 3; step++) await page.keyboard.press("F7");
  await expect(page.getByTestId("time-now")).toBeVisible();
  await page.keyboard.press("Alt+F7");
  await expect(page.getByTestId("bill-dialog")).toContainText(/Fork after event \d+/);
  await startByKey(page);
  await expect(page.getByTestId("time-now")).toHaveCount(0);
  await expect(status(page)).toHaveAttribute("data-status", "finished");
});
