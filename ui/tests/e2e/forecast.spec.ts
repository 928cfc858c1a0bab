import type { Flow } from "../../src/bindings";
import { findViolations } from "./axe";
import { expect, node, openFlow, takePicture, test } from "./fixture";

/** A loop with a chat that overflows its window in the seventh iteration. */
const LOOP_FLOW: Flow = {
  version: 1,
  name: "Growing",
  nodes: {
    start: { type: "contextStart", title: "main" },
    loop: { type: "loop", title: "Clarify", config: { kind: "times", times: 12 } },
    chat: { type: "chat", title: "Answer", parent: "loop", config: { prompt: "Go on.", maxTokens: 460 } },
  },
  edges: {
    a: { source: "start", sourceOutput: "context", target: "loop", targetInput: "context" },
    b: { source: "loop", sourceOutput: "context", target: "chat", targetInput: "context" },
    c: { source: "chat", sourceOutput: "response", target: "loop", targetInput: "next" },
  },
  settings: { contextWindow: 3000 },
  layout: {
    start: { x: 0, y: 0 },
    loop: { x: 300, y: 0, width: 520, height: 320 },
    chat: { x: 140, y: 80 },
  },
};

test("the forecast warns on the card, at the prompt and at Run", async ({ page }) => {
  await openFlow(page, LOOP_FLOW);
  const badge = page.getByTestId("forecast-chat");
  await expect(badge).toHaveAttribute("aria-label", /^\d+ % at iteration 6, overflow near 7$/);
  await node(page, "chat").click();
  await page.getByTestId("inspector-tab-prompt").click();
  const forecast = page.getByTestId("forecast");
  await expect(forecast).toContainText("overflow near 7");
  await expect(forecast).toContainText("471 tokens an iteration · limit 12");
  await expect(forecast).toContainText("replies of 460 tokens (the maximum)");
  await page.getByTestId("run-button").hover();
  await expect(page.getByTestId("run-forecast")).toContainText("At most $0");
  await expect(page.getByTestId("run-forecast")).toContainText("Answer: ");
  for (const theme of ["dark", "light"]) {
    await page.evaluate((name) => document.documentElement.setAttribute("data-theme", name), theme);
    expect(await findViolations(page, { within: '[data-testid="forecast"]' })).toEqual([]);
    await takePicture(page, `forecast-${theme}`);
  }
  // The narrowest inspector.
  const overflow = await forecast.evaluate((element) => {
    (element as HTMLElement).style.width = "296px";
    return Math.max(...[element, ...element.querySelectorAll("*")].map((one) => one.scrollWidth - one.clientWidth));
  });
  expect(overflow).toBeLessThanOrEqual(1);
  await takePicture(page, "forecast-narrow");
});

test("the forecast follows an edit", async ({ page }) => {
  await openFlow(page, LOOP_FLOW);
  await expect(page.getByTestId("forecast-chat")).toBeVisible();
  await node(page, "chat").click();
  await page.getByTestId("inspector-tab-config").click();
  await page.getByLabel("Max tokens").first().fill("20");
  await expect(page.getByTestId("forecast-chat")).toBeHidden();
});
