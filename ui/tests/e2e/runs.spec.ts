import type { Page } from "@playwright/test";
import type { Flow } from "../../src/bindings";
import { clickFirstMark, expect, marksIn, node, openFlow, SLOW_TALK_FLOW, TALK_FLOW, test } from "./fixture";
import { answer } from "./intercept";

const state = (page: Page, id: string) => page.getByTestId(`node-status-${id}`);
const status = (page: Page) => page.getByTestId("run-status");

async function start(page: Page, flow: Flow = TALK_FLOW): Promise<void> {
  await openFlow(page, flow);
  await page.getByTestId("run-button").click();
  await expect(status(page)).toHaveAttribute("data-status", "waiting");
}

async function reply(page: Page, text: string): Promise<void> {
  await page.getByTestId("pause-answer").fill(text);
  await page.getByTestId("pause-send").click();
  await expect(page.getByText(text, { exact: true }).first()).toBeVisible();
}

test.describe("a run", () => {
  test("shows states, asks, accepts an answer, streams and iterates", async ({ page }) => {
    await start(page, SLOW_TALK_FLOW);
    await expect(status(page)).toHaveText("Waiting for you · iteration 1");
    await expect(state(page, "start")).toHaveAttribute("data-state", "done");
    await expect(state(page, "ask")).toHaveAttribute("data-state", "paused");
    await expect(state(page, "answer")).toHaveAttribute("data-state", "idle");

    await reply(page, "Where is my parcel 7731?");
    await expect(state(page, "answer")).toHaveAttribute("data-state", "running");
    await expect(page.getByTestId("streaming")).toContainText("It is at");
    await expect(page.getByTestId("reply-answer")).toContainText("It is at");

    await expect(status(page)).toHaveText("Waiting for you · iteration 2");
    await expect(state(page, "answer")).toHaveAttribute("data-state", "done");
    await expect(page.getByTestId("messages")).toContainText("It is at the depot in Lyon.");
    await expect(page.getByTestId("run-tokens")).toHaveText("177 tokens");
  });

  test("starts from a code field by Ctrl+Enter, and Run stays where it is", async ({ page }) => {
    await openFlow(page);
    const place = await page.getByTestId("run-button").boundingBox();
    await node(page, "ask").click();
    const editor = page.locator(".cm-content").first();
    await editor.click();
    const text = await editor.textContent();
    await page.keyboard.press("Control+Enter");
    await expect(status(page)).toHaveAttribute("data-status", "waiting");
    expect(await editor.textContent()).toBe(text);
    expect(await page.getByTestId("run-button").boundingBox()).toEqual(place);
  });

  test("ends when its pause is ended and skips dependent nodes", async ({ page }) => {
    await start(page);
    await page.getByTestId("pause-end").click();
    await expect(status(page)).toHaveAttribute("data-status", "finished");
    await expect(state(page, "ask")).toHaveAttribute("data-state", "done");
    await expect(state(page, "answer")).toHaveAttribute("data-state", "skipped");
    await expect(page.getByTestId("pause-ask")).toHaveCount(0);
  });

  test("stops on request", async ({ page }) => {
    await start(page);
    await page.getByTestId("stop-button").click();
    await expect(status(page)).toHaveAttribute("data-status", "cancelled");
    await expect(state(page, "ask")).toHaveAttribute("data-state", "skipped");
    await expect(page.getByTestId("stop-button")).toBeDisabled();
  });

  test("is retried after it was stopped", async ({ page }) => {
    await start(page);
    await expect(page.getByTestId("retry-button")).toHaveCount(0);
    await page.getByTestId("stop-button").click();
    await page.getByTestId("retry-button").click();
    await expect(status(page)).toHaveAttribute("data-status", "waiting");
    await expect(page.getByTestId("retry-button")).toHaveCount(0);
    await page.getByRole("button", { name: "Runs", exact: true }).click();
    await expect(page.locator("[data-testid^=run-row-]").first()).toContainText("repeat");
  });

  test("can be controlled by keyboard", async ({ page }) => {
    await openFlow(page);
    await page.keyboard.press("Control+Enter");
    await expect(page.getByTestId("pause-answer")).toBeFocused();
    await page.keyboard.type("One");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("two");
    await expect(page.getByTestId("pause-answer")).toHaveValue("One\ntwo");
    await page.keyboard.press("Enter");
    await expect(status(page)).toHaveText("Waiting for you · iteration 2");
    await expect(page.getByTestId("pause-answer")).toBeFocused();
    await page.getByTestId("pause-answer").blur();
    await page.keyboard.press("Alt+a");
    await expect(page.getByTestId("pause-answer")).toBeFocused();
    await page.keyboard.press("Control+.");
    await expect(status(page)).toHaveAttribute("data-status", "cancelled");
  });

  test("opens the conversation and focuses the answer when it asks", async ({ page }) => {
    await openFlow(page);
    await page.getByTestId("dock-tab-events").click();
    await page.keyboard.press("Control+Enter");
    await expect(page.getByTestId("pause-answer")).toBeFocused();
  });

  test("keeps a draft answer while the dock shows another tab", async ({ page }) => {
    await start(page);
    await page.getByTestId("pause-answer").fill("Half an ans");
    await page.getByTestId("dock-tab-events").click();
    await page.getByTestId("dock-tab-conversation").click();
    await expect(page.getByTestId("pause-answer")).toHaveValue("Half an ans");
  });

  test("shows the problems of a flow that can't run", async ({ page }) => {
    await openFlow(page, {
      version: 1,
      name: "Broken",
      nodes: { odd: { type: "nothingOfTheKind" } },
      edges: {},
      layout: { odd: { x: 0, y: 0 } },
    });
    await expect(page.getByTestId("problems-badge")).toHaveText("1 problem");
    await page.getByTestId("problems-badge").click();
    const problem = page.getByTestId("problem");
    await expect(problem).toHaveAttribute("data-code", "node.unknown_type");
    await problem.getByTitle(/on canvas$/).click();
    await expect(node(page, "odd")).toHaveAttribute("data-selected", "true");
  });

  test("says why a run was refused, and shows none", async ({ page }) => {
    await openFlow(page);
    const message = "The disk is full.";
    await answer(page, "run.start", () => ({ error: { code: "store.full", message } }));
    await page.getByTestId("run-button").click();
    await expect(page.getByText(message)).toBeVisible();
    await expect(page.getByTestId("run-status")).toHaveCount(0);
  });
});

test.describe("the results of a node", () => {
  test.beforeEach(async ({ page }) => {
    await start(page);
    await reply(page, "Where is my parcel 7731?");
    await expect(status(page)).toHaveText("Waiting for you · iteration 2");
    await reply(page, "Hold it until Friday.");
    await expect(status(page)).toHaveText("Waiting for you · iteration 3");
    await node(page, "answer").click();
  });

  test("are in the inspector, by iteration", async ({ page }) => {
    await page.getByTestId("inspector-tab-io").click();
    await expect(page.getByTestId("io-input-message")).toContainText("Hold it until Friday.");
    await expect(page.getByTestId("io-output-response")).toContainText("Your parcel left the depot");
    await expect(page.getByTestId("io-tool-calculator")).toContainText("4 - 1");
    await page.getByTestId("epoch-picker").focus();
    await page.getByTestId("epoch-picker").selectOption({ label: "Iteration 1" });
    await expect(page.getByTestId("io-input-message")).toContainText("Where is my parcel 7731?");
    await expect(page.getByTestId("io-output-response")).toContainText("It is at the depot");
    await page
      .getByTestId("io-input-message")
      .getByRole("button", { name: /Ask the customer/ })
      .click();
    await expect(page.getByTestId("io-output-message")).toContainText("Where is my parcel 7731?");
    await expect(page.getByTestId("epoch-picker")).toHaveValue("0");
  });

  test("include the prompt and its share of the window", async ({ page }) => {
    await page.getByTestId("inspector-tab-prompt").click();
    const lens = page.getByTestId("prompt-lens");
    await expect(lens).toContainText("You answer customers of a parcel service.");
    await expect(lens).toContainText("It is at the depot in **Lyon**.");
    await expect(lens).toContainText("Hold it until Friday.");
    await expect(lens).toContainText("→ calculator");
    await expect(page.getByTestId("prompt-use")).toContainText("% of 8,192");
  });

  test("include the current and the earlier context", async ({ page }) => {
    await page.getByTestId("inspector-tab-context").click();
    await expect(page.getByTestId("context-view")).toHaveAttribute("data-revision", "2");
    await expect(page.getByTestId("context-view")).toContainText("Hold it until Friday.");
    await page.getByTestId("epoch-picker").focus();
    await page.getByTestId("epoch-picker").selectOption({ label: "Iteration 1" });
    await expect(page.getByTestId("context-view")).toHaveAttribute("data-revision", "1");
    await expect(page.getByTestId("context-view")).not.toContainText("Hold it until Friday.");
  });

  test("are in the timeline; a click chooses the iteration", async ({ page }) => {
    await page.getByTestId("dock-tab-timeline").click();
    const row = page.getByTestId("timeline-row-answer");
    await expect.poll(async () => (await marksIn(row)).length).toBe(2);
    await expect.poll(async () => (await marksIn(page.getByTestId("timeline-tool-answer-calculator"))).length).toBe(1);
    await clickFirstMark(page, row);
    await expect(page.getByTestId("epoch-picker")).toHaveValue("0");
    await page.getByTestId("timeline-row-answer").getByRole("button").focus();
    await page.keyboard.press("ArrowRight");
    await expect(page.getByTestId("epoch-picker")).toHaveValue("1");
  });

  test("do not move the canvas unless the node is out of view", async ({ page }) => {
    const view = () => page.locator(".react-flow__viewport").getAttribute("style");
    await page.getByTestId("dock-tab-timeline").click();
    const before = await view();
    await clickFirstMark(page, page.getByTestId("timeline-row-ask"));
    await expect(node(page, "ask")).toHaveAttribute("data-selected");
    await page.waitForTimeout(500);
    expect(await view()).toBe(before);
    for (let turn = 0; turn < 4; turn++) {
      await page.mouse.move(300, 120);
      await page.mouse.down({ button: "middle" });
      await page.mouse.move(800, 120, { steps: 5 });
      await page.mouse.up({ button: "middle" });
    }
    await expect(node(page, "answer")).not.toBeInViewport();
    await clickFirstMark(page, page.getByTestId("timeline-row-answer"));
    await expect(node(page, "answer")).toBeInViewport({ ratio: 1 });
  });

  test("are in the events, filtered by type and node", async ({ page }) => {
    await page.getByTestId("dock-tab-events").click();
    await page.getByTestId("events-filter").fill("replied answer");
    await expect(page.getByTestId("event")).toHaveCount(3);
    await page.getByTestId("event").first().click();
    await expect(page.getByTestId("event-details")).toContainText("It is at the depot");
    await page.getByTestId("events-family").selectOption("tool");
    await expect(page.getByTestId("events-shown")).toHaveText(/^0 of /);
    await page.getByTestId("events-filter").fill("");
    await expect(page.getByTestId("event")).toHaveCount(2);
  });
});

test.describe("earlier runs", () => {
  test("are listed and open on the canvas", async ({ page }) => {
    await start(page);
    await page.getByTestId("pause-end").click();
    await expect(status(page)).toHaveAttribute("data-status", "finished");
    await page.reload();
    await expect(state(page, "start")).toHaveAttribute("data-state", "idle");
    await page.getByRole("button", { name: "Runs", exact: true }).click();
    const row = page.locator("[data-testid^=run-row-]");
    await expect(row).toHaveAttribute("data-status", "finished");
    await row.getByRole("button").first().click();
    const banner = page.getByTestId("viewing-banner");
    await expect(banner).toContainText("Support triage");
    // It stands above the canvas, and covers no card.
    const [bar, canvas] = [await banner.boundingBox(), await page.getByTestId("canvas").boundingBox()];
    expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual(canvas?.y ?? 0);
    await expect(state(page, "start")).toHaveAttribute("data-state", "done");
    await expect(status(page)).toHaveAttribute("data-status", "finished");
    await expect(page.getByTestId("run-button")).toHaveAttribute("aria-disabled", "true");
    await page.getByTestId("leave-view").click();
    await expect(page.getByTestId("viewing-banner")).toHaveCount(0);
    await expect(state(page, "start")).toHaveAttribute("data-state", "idle");
  });

  test("that wait are offered at startup and continue", async ({ page }) => {
    await start(page);
    await reply(page, "Where is my parcel 7731?");
    await expect(status(page)).toHaveText("Waiting for you · iteration 2");
    await page.reload();
    await page.getByRole("button", { name: "Open", exact: true }).click();
    // Typed at once: no letter is a command of the window.
    await page.keyboard.type("Hold it until Friday.");
    await expect(page.getByTestId("pause-answer")).toHaveValue("Hold it until Friday.");
    await expect(status(page)).toHaveText("Waiting for you · iteration 2");
    await expect(page.getByTestId("messages")).toContainText("It is at the depot in Lyon.");
    await page.keyboard.press("Enter");
    await expect(status(page)).toHaveText("Waiting for you · iteration 3");
    await page.getByTestId("pause-end").click();
    await expect(status(page)).toHaveAttribute("data-status", "finished");
  });

  test("that were interrupted can be resumed", async ({ page, host }) => {
    await start(page, SLOW_TALK_FLOW);
    await reply(page, "Where is my parcel 7731?");
    await expect(state(page, "answer")).toHaveAttribute("data-state", "running");
    // Nobody watches the host while it ends, or the page complains.
    await page.goto("about:blank");
    await host.restart();
    await page.goto("/");
    await page.getByRole("button", { name: "Runs", exact: true }).click();
    const row = page.locator("[data-testid^=run-row-]");
    await expect(row).toHaveAttribute("data-status", "interrupted");
    await row.hover();
    await page.locator("[data-testid^=run-resume-]").click();
    await expect(status(page)).toHaveText("Waiting for you · iteration 2");
  });

  test("are deleted after a confirmation", async ({ page }) => {
    await start(page);
    await page.getByTestId("stop-button").click();
    await expect(status(page)).toHaveAttribute("data-status", "cancelled");
    await page.getByRole("button", { name: "Runs", exact: true }).click();
    const row = page.locator("[data-testid^=run-row-]");
    await expect(row).toHaveAttribute("data-status", "cancelled");
    await row.hover();
    await page.locator("[data-testid^=run-delete-]").click();
    await page.getByTestId("ask-delete").click();
    await expect(row).toHaveCount(0);
    await expect(state(page, "start")).toHaveAttribute("data-state", "idle");
    await expect(page.getByText("No runs yet")).toBeVisible();
  });

  test("are filtered by status and text", async ({ page }) => {
    await start(page);
    await page.getByTestId("pause-end").click();
    await expect(status(page)).toHaveAttribute("data-status", "finished");
    await page.getByTestId("run-button").click();
    await expect(status(page)).toHaveAttribute("data-status", "waiting");
    await page.getByRole("button", { name: "Runs", exact: true }).click();
    const rows = page.locator("[data-testid^=run-row-]");
    await expect(rows).toHaveCount(2);
    await page.getByTestId("runs-state").selectOption("waiting");
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText("Anything else I should know?");
    await page.getByTestId("runs-state").selectOption("all");
    await page.getByTestId("runs-search").fill("nothing like that");
    await expect(page.getByText("No matches")).toBeVisible();
  });
});
