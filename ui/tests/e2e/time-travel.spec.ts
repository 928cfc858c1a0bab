/** Time travel: the window shows a run as it was after any of its events, while the run itself goes on. */
import type { Locator, Page } from "@playwright/test";
import { findViolations } from "./axe";
import { expect, node, openFlow, SLOW_TALK_FLOW, TALK_FLOW, takePicture, test } from "./fixture";

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

/** The same with some seconds before its end. */
const SLOW_FLOW = {
  ...FLOW,
  nodes: { ...FLOW.nodes, loud: { type: "delay", title: "Wait", config: { ms: 4_000 } } },
  edges: {
    ...FLOW.edges,
    b: { source: "hello", sourceOutput: "text", target: "loud", targetInput: "in" },
    c: { source: "loud", sourceOutput: "out", target: "out", targetInput: "value" },
  },
};

const status = (page: Page) => page.getByTestId("run-status");
const slider = (page: Page) => page.getByTestId("time-slider");
const state = (page: Page, id: string): Locator => page.getByTestId(`node-status-${id}`);

async function run(page: Page, flow: object = FLOW): Promise<void> {
  await openFlow(page, flow as never);
  await page.getByTestId("run-button").click();
}

async function runToEnd(page: Page): Promise<void> {
  await run(page);
  await expect(status(page)).toHaveAttribute("data-status", "finished");
}

test("the slider shows cards and values as they were, and Now shows them as they are", async ({ page }) => {
  await runToEnd(page);
  await node(page, "hello").click();
  await page.getByTestId("inspector-tab-io").click();
  await expect(page.getByTestId("inspector")).toContainText("Hello Ada");
  await slider(page).press("Home");
  await expect(status(page)).toContainText("Viewing event 1 of 14");
  await expect(page.getByTestId("time-position")).toContainText("run.started");
  for (const id of ["name", "hello", "loud", "out"])
    await expect(state(page, id)).toHaveAttribute("data-state", "idle");
  await expect(page.getByTestId("inspector")).not.toContainText("Hello Ada");
  // One event at a time, up to the end of the second node.
  while (!(await page.getByTestId("time-position").textContent())?.includes("node.finished · Greet")) {
    await slider(page).press("ArrowRight");
  }
  await expect(state(page, "hello")).toHaveAttribute("data-state", "done");
  await expect(state(page, "loud")).toHaveAttribute("data-state", "idle");
  await expect(page.getByTestId("inspector")).toContainText("Hello Ada");
  await expect(slider(page)).toHaveAttribute("aria-valuetext", /^Event \d+ of \d+, node\.finished, Greet, /);
  await takePicture(page, "time-travel");
  await page.getByTestId("time-now").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await expect(state(page, "out")).toHaveAttribute("data-state", "done");
});

test("a live run goes on without moving the view", async ({ page }) => {
  await run(page, SLOW_FLOW);
  await expect(state(page, "loud")).toHaveAttribute("data-state", "running");
  await page.keyboard.press("F7");
  await page.keyboard.press("F7");
  await expect(page.getByTestId("time-position")).toContainText("node.started · Greet");
  await expect(state(page, "hello")).toHaveAttribute("data-state", "running");
  await expect(status(page)).toContainText("Viewing event 6 of 9");
  // The run has ended.
  await expect(status(page)).toContainText("Viewing event 6 of 14");
  await expect(state(page, "hello")).toHaveAttribute("data-state", "running");
  await expect(state(page, "out")).toHaveAttribute("data-state", "idle");
  await page.keyboard.press("Escape");
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await expect(state(page, "out")).toHaveAttribute("data-state", "done");
});

test("keys step back and forward, to the last stop, and to the last change of a node", async ({ page }) => {
  await openFlow(page, FLOW as never);
  await node(page, "loud").click();
  await page.keyboard.press("F9");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByTestId("stop-bar")).toContainText("Paused before Shout");
  await page.keyboard.press("F8");
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  const position = page.getByTestId("time-position");
  await page.keyboard.press("Shift+F8");
  await expect(position).toContainText("debug.stopped");
  // What the run stood at can be read, and not gone on from.
  await expect(page.getByTestId("stop-bar")).toContainText("text: Hello Ada");
  await expect(page.getByTestId("go-continue")).toHaveCount(0);
  await expect(page.getByTestId("bead-loud-before")).toHaveAttribute("data-here", "true");
  await page.keyboard.press("F8");
  await expect(position).toContainText("debug.stopped");
  await page.keyboard.press("F7");
  await expect(position).toContainText("node.finished · Greet");
  await page.keyboard.press("Shift+F7");
  await expect(position).toContainText("node.started · Shout");
  await page.keyboard.press("Shift+F7");
  await expect(position).toContainText("node.finished · Shout");
  await node(page, "hello").click();
  await page.keyboard.press("Shift+F9");
  await expect(position).toContainText("node.finished · Greet");
  await page.keyboard.press("Shift+F9");
  await expect(position).toContainText("node.started · Greet");
  // The last step forward leads to the run as it is.
  for (let steps = 0; steps < 10; steps++) await page.keyboard.press("Shift+F7");
  await expect(status(page)).toHaveAttribute("data-status", "finished");
});

test("an event leads to the run as it was after it, and the list follows the slider", async ({ page }) => {
  await runToEnd(page);
  await page.getByTestId("dock-tab-events").click();
  const event = page.locator("[data-testid=event][data-type='node.finished']").filter({ hasText: "Name" });
  await page.getByTestId("events").press("Home");
  await event.click();
  await page.getByTestId("event-look-at").click();
  await expect(page.getByTestId("time-position")).toContainText("node.finished · Name");
  await expect(state(page, "name")).toHaveAttribute("data-state", "done");
  await expect(state(page, "hello")).toHaveAttribute("data-state", "idle");
  await expect(event).toHaveAttribute("aria-current", "true");
  // While the past is looked at, a choice in the list is enough.
  await page.getByTestId("event").first().click();
  await expect(status(page)).toContainText("Viewing event 1 of 14");
  await slider(page).press("PageUp");
  await expect(page.getByTestId("event").first()).not.toHaveAttribute("aria-current");
  await slider(page).press("Escape");
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await event.dblclick();
  await expect(page.getByTestId("time-position")).toContainText("node.finished · Name");
});

test("prompts, contexts and questions are as they were, and nothing can be answered", async ({ page }) => {
  await run(page, TALK_FLOW);
  await page.getByTestId("pause-answer").fill("Where is my parcel 7731?");
  await page.getByTestId("pause-send").click();
  await expect(status(page)).toHaveText("Waiting for you · iteration 2");
  await node(page, "answer").click();
  await page.getByTestId("inspector-tab-prompt").click();
  await expect(page.getByTestId("prompt-lens")).toContainText("It is at the depot");
  for (let steps = 0; steps < 4; steps++) await page.keyboard.press("F7");
  await expect(page.getByTestId("time-position")).toContainText("node.started · Answer");
  await expect(page.getByTestId("inspector")).toContainText("No model call");
  await page.getByTestId("inspector-tab-context").click();
  await expect(page.getByTestId("context-view")).not.toContainText("It is at the depot");
  await expect(page.getByTestId("messages")).not.toContainText("It is at the depot");
  await expect(page.getByTestId("pause-answer")).toHaveCount(0);
  for (let steps = 0; steps < 4; steps++) await page.keyboard.press("F7");
  await expect(page.getByTestId("time-position")).toContainText("run.paused · Ask the customer");
  await expect(page.getByTestId("pauses")).toContainText("The run waited for an answer at this event.");
  await expect(page.getByTestId("pause-end")).toHaveCount(0);
  // Going to the question goes to now.
  await page.keyboard.press("Alt+a");
  await expect(page.getByTestId("pause-answer")).toBeFocused();
  await expect(page.getByTestId("context-view")).toContainText("It is at the depot");
});

test("a question that is asked meanwhile is offered, and its offer leads to now", async ({ page }) => {
  await run(page, SLOW_TALK_FLOW);
  await page.getByTestId("pause-answer").fill("Where is my parcel 7731?");
  await page.getByTestId("pause-send").click();
  await expect(state(page, "answer")).toHaveAttribute("data-state", "running");
  await slider(page).press("Home");
  await page.getByTestId("dock-tab-timeline").click();
  const offer = page.locator("[data-sonner-toast]").filter({ hasText: "is waiting for you" });
  await expect(offer).toBeVisible();
  await expect(page.getByTestId("timeline-later")).toBeVisible();
  await expect(status(page)).toContainText("Viewing event 1 of 27");
  await expect(page.getByRole("button", { name: "Answer, not begun", exact: true })).toBeVisible();
  await offer.getByRole("button", { name: "Open" }).click();
  await expect(status(page)).toHaveText("Waiting for you · iteration 2");
  await expect(page.getByTestId("pause-answer")).toBeVisible();
});

test("a run of the list can be gone through, and its nodes' menus lead to their last changes", async ({ page }) => {
  await runToEnd(page);
  await page.reload();
  await page.getByRole("button", { name: "Runs", exact: true }).click();
  await page.locator("[data-testid^=run-row-]").getByRole("button").first().click();
  await expect(page.getByTestId("viewing-banner")).toBeVisible();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await node(page, "hello").click({ button: "right" });
  await page.getByTestId("menu-time.lastChange").click();
  await expect(page.getByTestId("time-position")).toContainText("node.finished · Greet");
  await expect(state(page, "loud")).toHaveAttribute("data-state", "idle");
  await page.getByTestId("leave-view").click();
  await expect(page.getByTestId("time-bar")).toHaveCount(0);
});

for (const theme of ["dark", "light"] as const) {
  test.describe(theme, () => {
    test.use({ colorScheme: theme });

    test("the past of a run has no accessibility violations and fits in a small window", async ({ page }) => {
      await runToEnd(page);
      expect(await findViolations(page)).toEqual([]);
      await slider(page).press("Home");
      await expect(status(page)).toHaveAttribute("data-status", "past");
      expect(await findViolations(page)).toEqual([]);
      await page.setViewportSize({ width: 1000, height: 700 });
      for (const part of ["run-status", "time-slider", "time-now", "time-position"]) {
        await expect(page.getByTestId(part)).toBeInViewport({ ratio: 1 });
      }
      expect(await findViolations(page)).toEqual([]);
      await takePicture(page, `time-travel-small-${theme}`);
    });
  });
}
