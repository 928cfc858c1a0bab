/** The debugger: breakpoints at nodes, what is held at a stop, steps, and that both survive a reload. */
import type { Locator, Page } from "@playwright/test";
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
  const breakpoint = page.getByTestId("breakpoints").getByRole("switch", { name: label });
  await expect(async () => {
    // The canvas may still make room for the inspector.
    await node(page, id).click();
    await expect(breakpoint).toBeVisible({ timeout: 3_000 });
  }).toPass();
  await breakpoint.click();
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

test("a config is tried at a stop, dropped, tried again and accepted into the flow", async ({ page }) => {
  await openFlow(page, FLOW as never);
  await pauseAt(page, "hello", "Pause before this node");
  await page.getByTestId("run-button").click();
  await expect(bar(page)).toContainText("Paused before Greet");
  await node(page, "loud").click();
  const tries = async (text: string) => {
    await page.getByRole("button", { name: /Try another config|Edit trial/ }).click();
    await page.getByTestId("trial-form").getByLabel("Template").fill(text);
    await page.getByRole("button", { name: "Try in this run" }).click();
  };
  await tries("{{text}} and {{more}}");
  await expect(page.getByTestId("trial-form").getByRole("alert")).toContainText("more");
  await page.getByRole("button", { name: "Cancel" }).click();
  await tries("{{text}}?");
  await expect(page.getByTestId("trial-badge")).toHaveText("Trial");
  await takePicture(page, "debugger-trial");
  await page.getByTestId("trial").getByRole("button", { name: "Drop" }).click();
  await expect(page.getByTestId("trial-badge")).toHaveCount(0);
  await tries("{{text}}?!");
  await page.getByRole("button", { name: "Accept into the flow" }).click();
  await expect(page.getByTestId("trial-badge")).toHaveCount(0);
  await page.getByTestId("go-continue").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await (await intoView(page, node(page, "out"))).click();
  await page.getByTestId("inspector-tab-io").click();
  await expect(page.getByTestId("inspector")).toContainText("Hello Ada?!");
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

/** The flow with a branch of its own. */
const BRANCHES = {
  ...FLOW,
  nodes: { ...FLOW.nodes, aside: { type: "text", title: "Aside", config: { template: "{{name}} aside" } } },
  edges: { ...FLOW.edges, d: { source: "name", sourceOutput: "value", target: "aside", targetInput: "name" } },
  layout: { ...FLOW.layout, loud: { x: 640, y: 120 }, aside: { x: 280, y: 200 } },
};

test("a breakpoint at a port is set from its menu and holds its branch alone", async ({ page }) => {
  await openFlow(page, BRANCHES as never);
  const port = page.getByTestId("handle-hello-out-text");
  const toggle = async (where: Locator) => {
    await where.click({ button: "right", force: true });
    await page.getByTestId("menu-debug.port").click();
  };
  await toggle(port);
  await expect(port).toHaveAttribute("data-breakpoint", "on");
  await toggle(port);
  await expect(port).not.toHaveAttribute("data-breakpoint", "on");
  await node(page, "hello").click();
  await page.getByTestId("pause-at-port").selectOption({ label: "Pause when a value leaves by text" });
  await expect(port).toHaveAttribute("data-breakpoint", "on");
  const section = page.getByTestId("breakpoints");
  await expect(section).toContainText("Pause when a value leaves by text");
  await section.getByRole("button", { name: "This branch only" }).click();
  await expect(section.getByRole("button", { name: "This branch only" })).toHaveAttribute("aria-pressed", "true");
  await page.getByTestId("run-button").click();
  await expect(bar(page)).toContainText("Paused after Greet");
  await expect(bar(page)).toContainText("other branches go on");
  await expect(page.getByTestId("node-status-aside")).toHaveAttribute("data-state", "done");
  await page.getByTestId("dock-tab-breakpoints").click();
  await expect(page.getByTestId("breakpoint-hello.text-after")).toHaveAttribute("aria-current", "step");
  await takePicture(page, "debugger-port");
  expect(await findViolations(page)).toEqual([]);
  await page.getByTestId("go-continue").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
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

const ROUTED = {
  version: 1,
  name: "Routed",
  nodes: {
    score: { type: "value", title: "Score", config: { value: 9 } },
    way: { type: "switch", title: "Way", config: { cases: [{ name: "big", when: "value > 5" }] } },
    big: { type: "text", title: "Big", config: { template: "big {{value}}" } },
    small: { type: "text", title: "Small", config: { template: "small {{value}}" } },
    out: { type: "output", title: "Result" },
  },
  edges: {
    a: { source: "score", sourceOutput: "value", target: "way", targetInput: "value" },
    toBig: { source: "way", sourceOutput: "big", target: "big", targetInput: "value" },
    toSmall: { source: "way", sourceOutput: "default", target: "small", targetInput: "value" },
    d: { source: "small", sourceOutput: "text", target: "out", targetInput: "value" },
  },
  layout: {
    score: { x: 0, y: 0 },
    way: { x: 260, y: 0 },
    big: { x: 520, y: -120 },
    small: { x: 520, y: 120 },
    out: { x: 780, y: 120 },
  },
};

test("a node is run again, another way is taken and a node is skipped", async ({ page }) => {
  await openFlow(page, ROUTED as never);
  await pauseAt(page, "out", "Pause before this node");
  await pauseAt(page, "way", "Pause after this node");
  await page.getByTestId("run-button").click();
  await expect(bar(page)).toContainText("Paused after Way");
  await page.getByTestId("go-retry").click();
  await page.getByTestId("inspector-tab-io").click();
  await expect(page.getByTestId("io-state")).toContainText("2 attempts");
  await expect(bar(page)).toContainText("Paused after Way");
  await page.getByTestId("stop-change").click();
  await page.getByRole("button", { name: "Take default" }).click();
  await expect(bar(page)).toContainText("default: 9");
  await expect(page.getByTestId("edge-toSmall")).toHaveAttribute("data-forced", "true");
  await expect(page.getByTestId("edge-toBig")).not.toHaveAttribute("data-forced", "true");
  await takePicture(page, "debugger-forced-way");
  await page.getByTestId("go-continue").click();
  await expect(bar(page)).toContainText("Paused before Result");
  await expect(bar(page)).toContainText("value: small 9");
  await page.getByTestId("go-skip").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await (await intoView(page, node(page, "out"))).click();
  await page.getByTestId("inspector-tab-io").click();
  await expect(page.getByTestId("io-state")).toContainText("by a person");
  await (await intoView(page, node(page, "way"))).click();
  await expect(page.getByTestId("io-state")).toContainText("a person took “default” instead of “big”");
  await expect(page.getByTestId("inspector")).toContainText("Earlier attempts");
});

const TALK = {
  version: 1,
  name: "Talk",
  nodes: {
    start: { type: "contextStart", title: "Start", config: { provider: "offline", model: "echo" } },
    first: { type: "value", title: "First", config: { value: "One?" } },
    second: { type: "value", title: "Second", config: { value: "Two?" } },
    ask: { type: "chat", title: "Ask" },
    again: { type: "chat", title: "Ask again" },
  },
  edges: {
    a: { source: "start", sourceOutput: "context", target: "ask", targetInput: "context" },
    b: { source: "first", sourceOutput: "value", target: "ask", targetInput: "message" },
    c: { source: "ask", sourceOutput: "context", target: "again", targetInput: "context" },
    d: { source: "second", sourceOutput: "value", target: "again", targetInput: "message" },
  },
  layout: {
    start: { x: 0, y: 0 },
    first: { x: 0, y: 200 },
    ask: { x: 280, y: 0 },
    second: { x: 280, y: 200 },
    again: { x: 560, y: 0 },
  },
};

test("the history before the next turn is edited", async ({ page }) => {
  await openFlow(page, TALK as never);
  await pauseAt(page, "again", "Pause before this node");
  await page.getByTestId("run-button").click();
  await expect(bar(page)).toContainText("Paused before Ask again");
  await page.getByTestId("stop-edit-history").click();
  const history = page.getByTestId("stop-history");
  await history.getByRole("button", { name: "Remove message of User · ask" }).click();
  await history.getByRole("button", { name: "Change history" }).click();
  await expect(history).toContainText("start with a reply");
  await history.getByRole("button", { name: "Remove message of User · ask" }).click();
  await history.getByLabel("Message of Assistant · ask", { exact: true }).fill("Never said.");
  await history.getByRole("button", { name: "Change history" }).click();
  await expect(history.getByLabel("Message of Assistant · ask", { exact: true })).toHaveValue("Never said.");
  await expect(history.getByRole("button", { name: "Change history" })).toBeDisabled();
  await takePicture(page, "debugger-history");
  await page.getByTestId("go-continue").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await (await intoView(page, node(page, "again"))).click();
  await page.getByTestId("inspector-tab-prompt").click();
  await expect(page.getByTestId("inspector")).toContainText("Never said.");
});
