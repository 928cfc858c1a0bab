/** The debugger: breakpoints at nodes, what is held at a stop, steps, and that both survive a reload. */
import type { Page } from "@playwright/test";
import { findViolations } from "./axe";
import { expect, intoView, node, openFlow, takePicture, test } from "./fixture";

const FLOW = {
  version: 1,
  name: "Greeting",
  nodes: {
    name: { type: "value", title: "Name", config: { value: "Ada" } },
    hello: { type: "text", title: "Greet", config: { template: "Hello {{name}}" } },
    loud: { type: "text", title: "Shout", config: { template: "{{text}}!" } },
    out: { type: "output", title: "Result" },
  },
  edges: {
    a: { source: "name", sourceOutput: "value", target: "hello", targetInput: "name" },
    b: { source: "hello", sourceOutput: "text", target: "loud", targetInput: "text" },
    c: { source: "loud", sourceOutput: "text", target: "out", targetInput: "value" },
  },
  layout: { name: { x: 0, y: 0 }, hello: { x: 280, y: 0 }, loud: { x: 560, y: 0 }, out: { x: 840, y: 0 } },
};

const status = (page: Page) => page.getByTestId("run-status");
const bar = (page: Page) => page.getByTestId("stop-bar");

async function pauseAt(page: Page, id: string, label: string): Promise<void> {
  await node(page, id).click();
  await page.getByTestId("breakpoints").getByRole("switch", { name: label }).click();
}

test("a run pauses before and after nodes, shows what is held, and goes on", async ({ page }) => {
  await openFlow(page, FLOW as never);
  await pauseAt(page, "hello", "Pause before this node");
  await pauseAt(page, "loud", "Pause after this node");
  await expect(page.getByTestId("bead-hello-before")).toHaveAttribute("data-state", "on");
  await page.getByTestId("run-button").click();
  await expect(status(page)).toHaveText("Paused at Greet");
  await expect(bar(page)).toContainText("Paused before Greet");
  await expect(bar(page)).toContainText("name: Ada");
  await expect(page.getByTestId("bead-hello-before")).toHaveAttribute("data-here", "true");
  await page.getByTestId("go-continue").click();
  await expect(bar(page)).toContainText("Paused after Shout");
  await expect(bar(page)).toContainText("text: Hello Ada!");
  await takePicture(page, "debugger-paused");
  await page.keyboard.press("F8");
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await expect(bar(page)).toHaveCount(0);
});

test("steps go from node to node, by keys alone", async ({ page }) => {
  await openFlow(page, FLOW as never);
  await node(page, "hello").click();
  await page.keyboard.press("F9");
  await expect(page.getByTestId("bead-hello-before")).toBeVisible();
  await page.keyboard.press("Control+Enter");
  await expect(bar(page)).toContainText("Paused before Greet");
  await page.keyboard.press("F10");
  await expect(bar(page)).toContainText("Paused before Shout");
  await page.keyboard.press("F10");
  await expect(bar(page)).toContainText("Paused before Result");
  await page.keyboard.press("F10");
  await expect(status(page)).toHaveAttribute("data-status", "finished");
});

test("a changed value is what the next node gets", async ({ page }) => {
  await openFlow(page, FLOW as never);
  await pauseAt(page, "hello", "Pause after this node");
  await page.getByTestId("run-button").click();
  await page.getByTestId("stop-change").click();
  const value = page.getByTestId("stop-values").getByLabel("text", { exact: true });
  await expect(value).toHaveValue("Hello Ada");
  await value.fill("Goodbye Bob");
  await page.getByRole("button", { name: "Change text" }).click();
  await expect(bar(page)).toContainText("text: Goodbye Bob");
  await page.getByTestId("go-continue").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await (await intoView(page, node(page, "out"))).click();
  await page.getByTestId("inspector-tab-io").click();
  await expect(page.getByTestId("inspector")).toContainText("Goodbye Bob!");
});

test("a condition decides, and one that fails says why", async ({ page }) => {
  await openFlow(page, FLOW as never);
  await pauseAt(page, "hello", "Pause before this node");
  const condition = page.getByTestId("breakpoints").getByLabel("Condition");
  await condition.fill("value == 'Bob'");
  await condition.press("Enter");
  await page.getByTestId("run-button").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await condition.fill("value.first == 'Ada'");
  await condition.press("Enter");
  await page.getByTestId("run-button").click();
  await expect(bar(page)).toContainText("its condition can’t be evaluated");
});

test("the list in the dock turns breakpoints off, changes, shows and removes them", async ({ page }) => {
  await openFlow(page, FLOW as never);
  await pauseAt(page, "hello", "Pause before this node");
  await pauseAt(page, "loud", "Pause before this node");
  await page.keyboard.press("Alt+Shift+5");
  const row = (id: string) => page.getByTestId(`breakpoint-${id}`);
  await expect(page.getByTestId("breakpoint-list").getByRole("listitem")).toHaveText(["Greetbefore", "Shoutbefore"]);
  await row("hello-before").getByRole("switch").click();
  await expect(page.getByTestId("bead-hello-before")).toHaveAttribute("data-state", "off");
  const log = row("loud-before").getByRole("textbox", { name: "Log text" });
  await log.fill("Shouting {{value}}");
  await log.press("Enter");
  await page.getByTestId("run-button").click();
  // Turned off, and logged in place of a pause.
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await page.getByTestId("dock-tab-events").click();
  await expect(page.getByTestId("events")).toContainText("Shouting Hello Ada");
  await page.getByTestId("dock-tab-breakpoints").click();
  await log.fill("");
  await log.press("Enter");
  await page.getByTestId("run-button").click();
  await expect(bar(page)).toContainText("Paused before Shout");
  await expect(row("loud-before")).toHaveAttribute("aria-current", "step");
  await takePicture(page, "debugger-breakpoints");
  await row("hello-before").getByText("Greet").click();
  await expect(page.getByTestId("inspector")).toContainText("Text · hello");
  // The node goes, its breakpoint is still listed and can be removed.
  await (await intoView(page, node(page, "hello"))).click();
  await page.keyboard.press("Delete");
  await expect(row("hello-before")).toContainText("Node is gone");
  await row("hello-before").getByRole("button", { name: "Remove breakpoint" }).click();
  await expect(row("hello-before")).toHaveCount(0);
  await page.getByRole("button", { name: "Remove all" }).click();
  await expect(page.getByText("press F9")).toBeVisible();
  await expect(page.getByTestId("bead-loud-before")).not.toHaveAttribute("data-state", "on");
});

test("breakpoints and the stop are there after a reload", async ({ page, host }) => {
  await openFlow(page, FLOW as never);
  await pauseAt(page, "loud", "Pause before this node");
  await page.getByTestId("run-button").click();
  await expect(bar(page)).toContainText("Paused before Shout");
  // Settings are saved a moment after they change.
  await expect.poll(async () => JSON.stringify(await host.call("settings.get", {}))).toContain("loud:before");
  await page.reload();
  await expect(page.getByTestId("bead-loud-before")).toHaveAttribute("data-state", "on");
});

for (const theme of ["dark", "light"] as const) {
  test.describe(theme, () => {
    test.use({ colorScheme: theme });

    test("a paused run has no accessibility violations and fits in a small window", async ({ page }) => {
      await openFlow(page, FLOW as never);
      await pauseAt(page, "hello", "Pause before this node");
      await page.getByTestId("run-button").click();
      await expect(bar(page)).toBeVisible();
      await page.getByTestId("dock-tab-breakpoints").click();
      expect(await findViolations(page)).toEqual([]);
      await takePicture(page, `debugger-${theme}`);
      await page.setViewportSize({ width: 1000, height: 700 });
      await expect(page.getByTestId("go-continue")).toBeInViewport({ ratio: 1 });
      await expect(page.getByTestId("go-all")).toBeInViewport({ ratio: 1 });
      await takePicture(page, `debugger-small-${theme}`);
    });
  });
}
