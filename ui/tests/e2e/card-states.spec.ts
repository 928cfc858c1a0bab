/** What a card and the panels say of a node: its value, that it was stopped, that its result is old, why it failed. */
import type { Page } from "@playwright/test";
import type { Flow } from "../../src/bindings";
import {
  CHAT_FLOW,
  expect,
  failingChat,
  intoView,
  node,
  openFlow,
  openLatestRun,
  runToEnd,
  SCRIPTED,
  SLOW_TALK_FLOW,
  TALK_FLOW,
  test,
} from "./fixture";

const ring = (page: Page, id: string) => page.getByTestId(`node-status-${id}`);
const look = (page: Page, id: string) =>
  ring(page, id).evaluate((element) => {
    const { borderTopColor, backgroundImage } = getComputedStyle(element);
    return { borderTopColor, backgroundImage };
  });

/** A flow of one node that fails. */
const failing = (error: { code: string; message: string }): Flow => ({
  version: 1,
  name: "Support triage",
  nodes: { start: SCRIPTED, check: failingChat("Check", error) },
  edges: { a: { source: "start", sourceOutput: "context", target: "check", targetInput: "context" } },
  layout: { start: { x: 0, y: 0 }, check: { x: 300, y: 0 } },
});

test("a value stands on the card of its node", async ({ page }) => {
  await openFlow(page, {
    ...CHAT_FLOW,
    nodes: { note: { type: "value", config: { value: { city: "Lyon" } } } },
    edges: {},
    layout: { note: { x: 0, y: 0 } },
  });
  await expect(node(page, "note").locator(".summary")).toContainText('"city"');
});

test("a tab that a node can never fill is not offered", async ({ page }) => {
  await openFlow(page);
  const tabs = page.getByTestId("inspector").getByRole("tab");
  await node(page, "note").click();
  await expect(tabs).toHaveText(["Config"]);
  await node(page, "tools").click();
  await expect(tabs).toHaveText(["Config", "Input / Output"]);
  await node(page, "ask").click();
  await expect(tabs).toHaveText(["Config", "Input / Output", "Context"]);
  await (await intoView(page, node(page, "answer"))).click();
  await expect(tabs).toHaveText(["Config", "Input / Output", "Prompt", "Context"]);
});

test("a node that was stopped does not look like one that failed", async ({ page, host }) => {
  await openFlow(page, SLOW_TALK_FLOW);
  await page.getByTestId("run-button").click();
  const status = page.getByTestId("run-status");
  await expect(status).toHaveAttribute("data-status", "waiting");
  await page.getByTestId("pause-answer").fill("Where is my parcel 7731?");
  await page.getByTestId("pause-send").click();
  await expect(ring(page, "answer")).toHaveAttribute("data-state", "running");
  await page.getByTestId("stop-button").click();
  await expect(status).toHaveText("Stopped");
  await expect(ring(page, "answer")).toHaveAccessibleName("Stopped");
  const stopped = await look(page, "answer");
  const pill = await status.evaluate((element) => getComputedStyle(element).color);

  await runToEnd(host, failing({ code: "provider.timeout", message: "Too slow." }));
  await openLatestRun(page);
  await expect(status).toHaveText("Failed at Check");
  await expect(ring(page, "check")).toHaveAccessibleName("Failed");
  const failed = await look(page, "check");
  expect(failed.borderTopColor).not.toBe(stopped.borderTopColor);
  expect(failed.backgroundImage).not.toBe(stopped.backgroundImage);
  expect(await status.evaluate((element) => getComputedStyle(element).color)).not.toBe(pill);
});

test("a result of an older flow is called stale on its card", async ({ page }) => {
  await openFlow(page);
  await page.getByTestId("run-button").click();
  await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "waiting");
  await node(page, "start").click();
  await page.keyboard.press("d");
  const chip = page.getByTestId("stale-start");
  await expect(chip).toHaveText("Stale");
  await expect(chip).toBeInViewport({ ratio: 0.99 });
  await expect(ring(page, "start")).toHaveAttribute("data-stale", "true");
  await page.getByTestId("undo-button").click();
  await expect(chip).toHaveCount(0);
});

test("an unreachable server is named whole, with the way to its settings", async ({ page, host }) => {
  const reason = `Cannot reach \`openai\`: ${"a long way ".repeat(40)}connection refused at the very end.`;
  await runToEnd(host, failing({ code: "provider.unreachable", message: reason }));
  await openLatestRun(page);
  await page.getByTestId("run-status").click();
  const problem = page.getByTestId("problem").first();
  const message = problem.locator("[data-error-message]");
  await expect(message).toContainText("connection refused at the very end.");
  const cut = await message.evaluate((element) => {
    const { overflow, textOverflow, webkitLineClamp } = getComputedStyle(element);
    return { overflow, textOverflow, webkitLineClamp, hidden: element.scrollHeight - element.clientHeight };
  });
  expect(cut).toEqual({ overflow: "visible", textOverflow: "clip", webkitLineClamp: "none", hidden: 0 });
  await problem.getByRole("button", { name: "Settings of openai" }).click();
  await expect(page.getByTestId("provider-openai")).toBeVisible();
});

test("a template that goes through a text says what the text is and what to write instead", async ({ page, host }) => {
  const template = "{{#each items}}{{this}}{{/each}}";
  await runToEnd(host, {
    version: 1,
    name: "Support triage",
    nodes: {
      source: { type: "text", config: { template: "One, two" } },
      check: { type: "text", title: "Check", config: { template } },
    },
    edges: { a: { source: "source", sourceOutput: "text", target: "check", targetInput: "items" } },
    layout: { source: { x: 0, y: 0 }, check: { x: 300, y: 0 } },
  });
  await openLatestRun(page);
  await page.getByTestId("run-status").click();
  const problem = page.getByTestId("problem").first();
  await expect(problem).toContainText("{{#each}} goes through a list, but items is a text.");
  await expect(problem).toContainText("write {{name}} without {{#each}}");
  await problem.getByTitle(/on canvas$/).click();
  await expect(node(page, "check")).toHaveAttribute("data-selected", "true");
});

test("cards keep their size and place in a run, and show more of a reply below the card on hover", async ({ page }) => {
  await openFlow(page, TALK_FLOW);
  const boxes = () =>
    page
      .locator(".card")
      .evaluateAll((cards) => cards.map((card) => JSON.stringify(card.getBoundingClientRect().toJSON())));
  const before = await boxes();
  await page.getByTestId("run-button").click();
  await expect(page.getByTestId("pause-answer")).toBeFocused();
  await expect(node(page, "ask").locator(".summary")).toHaveText("Waiting for your answer");
  await page.keyboard.type("Where is my parcel 7731?");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("run-status")).toContainText("iteration 2");
  await expect(page.getByTestId("reply-answer")).toHaveText(/^It is at the depot in Lyon/);
  expect(await boxes()).toEqual(before);
  await expect(page.getByTestId("reply-beside-answer")).toHaveCount(0);
  await node(page, "answer").hover();
  await expect(page.getByTestId("reply-beside-answer")).toHaveText(
    "It is at the depot in Lyon. Shall I have it held there?",
  );
  await page.mouse.move(640, 130);
  await expect(page.getByTestId("reply-beside-answer")).toHaveCount(0);
  // The selected card shows it, to the pointer and to the keyboard, and what is below it can be pressed.
  await node(page, "answer").locator("header").click();
  await page.mouse.move(640, 130);
  await expect(page.getByTestId("reply-beside-answer")).toBeVisible();
  await page.keyboard.press("Control+a");
  await expect(page.getByTestId("reply-beside-answer")).toHaveCount(0);
});

test("the selected card is above the others", async ({ page }) => {
  await openFlow(page, {
    ...CHAT_FLOW,
    edges: {},
    layout: { ...CHAT_FLOW.layout, answer: { x: 300, y: 130 } },
  });
  const layer = (id: string) =>
    node(page, id).evaluate((card) => Number(getComputedStyle(card.parentElement ?? card).zIndex));
  expect(await layer("ask")).toBe(await layer("answer"));
  await node(page, "ask").click({ position: { x: 60, y: 12 } });
  await page.mouse.move(640, 110);
  expect(await layer("ask")).toBeGreaterThan(await layer("answer"));
});
