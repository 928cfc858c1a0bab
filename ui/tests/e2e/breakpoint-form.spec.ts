/** Breakpoints on edges and for events: from the list in the dock, from the menu of an edge, and by keys. */
import type { Page } from "@playwright/test";
import type { Flow } from "@/bindings";
import { findViolations } from "./axe";
import { expect, node, openFlow, SCRIPTED, takePicture, test } from "./fixture";

const FLOW: Flow = {
  version: 1,
  name: "Two ways",
  nodes: {
    name: { type: "value", title: "Name", config: { value: "Ada" } },
    place: { type: "value", title: "Place", config: { value: "Lyon" } },
    loud: { type: "text", title: "Shout", config: { template: "{{value}}!" } },
    quiet: { type: "text", title: "Whisper", config: { template: "{{value}}…" } },
    start: { ...SCRIPTED, title: "Start" },
    chat: { type: "chat", title: "Ask", config: { prompt: "Who?", options: { replies: [{ text: "Ada." }] } } },
    out: { type: "output", title: "Result" },
  },
  edges: {
    a: { source: "name", sourceOutput: "value", target: "loud", targetInput: "value" },
    b: { source: "place", sourceOutput: "value", target: "quiet", targetInput: "value" },
    c: { source: "loud", sourceOutput: "text", target: "out", targetInput: "value" },
    d: { source: "quiet", sourceOutput: "text", target: "out", targetInput: "value" },
    e: { source: "start", sourceOutput: "context", target: "chat", targetInput: "context" },
  },
  layout: {
    name: { x: 0, y: 0 },
    place: { x: 0, y: 140 },
    loud: { x: 280, y: 0 },
    quiet: { x: 280, y: 140 },
    start: { x: 0, y: 280 },
    chat: { x: 280, y: 280 },
    out: { x: 560, y: 60 },
  },
};

const bar = (page: Page) => page.getByTestId("stop-bar");
const form = (page: Page) => page.getByTestId("breakpoint-form");
const list = (page: Page) => page.getByTestId("breakpoint-list").getByRole("listitem");
const status = (page: Page) => page.getByTestId("run-status");

async function openForm(page: Page): Promise<void> {
  await page.keyboard.press("Alt+Shift+5");
  await page.getByTestId("breakpoint-add").click();
  await expect(form(page)).toBeVisible();
}

test("an event is waited for, and what is wrong with it is said beside it", async ({ page }) => {
  await openFlow(page, FLOW);
  await openForm(page);
  await form(page).getByTestId("breakpoint-choice").selectOption({ label: "a context changes" });
  await form(page).getByLabel("Context").fill("nowhere");
  await page.getByTestId("breakpoint-form-add").click();
  await expect(form(page).getByRole("alert")).toContainText("which no node of its flow makes");
  await takePicture(page, "breakpoint-form-refused");
  await form(page).getByLabel("Context").fill("");
  await form(page).getByLabel("Condition").fill("value ==");
  await page.getByTestId("breakpoint-form-add").click();
  await expect(form(page).getByLabel("Condition")).toHaveAttribute("aria-invalid", "true");
  await expect(form(page).getByRole("alert")).toContainText("can't be used");
  await form(page).getByLabel("Condition").fill("");
  await takePicture(page, "breakpoint-form");
  expect(await findViolations(page, { within: '[data-testid="breakpoint-form"]' })).toEqual([]);
  await page.getByTestId("breakpoint-form-add").click();
  await expect(form(page)).toHaveCount(0);
  await expect(list(page)).toHaveText(["Any nodea context changes"]);
  await page.getByTestId("run-button").click();
  await expect(bar(page)).toContainText("Paused after Ask");
  await expect(bar(page)).toContainText("a context changes");
  await expect(page.getByTestId("breakpoint-event:changed")).toHaveAttribute("aria-current", "step");
  await takePicture(page, "breakpoint-event");
  await page.getByTestId("go-continue").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
});

test("a sum of money is read, and one that is none is refused", async ({ page, host }) => {
  await openFlow(page, FLOW);
  await openForm(page);
  await form(page).getByTestId("breakpoint-choice").selectOption({ label: "spending passes a sum" });
  await form(page).getByLabel("US dollars").fill("much");
  await page.keyboard.press("Enter");
  await expect(form(page).getByLabel("US dollars")).toHaveAttribute("aria-invalid", "true");
  await form(page).getByLabel("US dollars").fill("0.25");
  await form(page).getByTestId("breakpoint-node").selectOption({ label: "Ask" });
  await page.getByTestId("breakpoint-form-add").click();
  await expect(list(page)).toHaveText(["Askspending passes $0.2500"]);
  // As the terminal writes it.
  await expect.poll(async () => JSON.stringify(await host.call("settings.get", {}))).toContain("chat:event:spent=0.25");
});

test("one of two edges is chosen in the form, and runs pause on it alone", async ({ page }) => {
  await openFlow(page, FLOW);
  await openForm(page);
  await form(page).getByTestId("breakpoint-choice").selectOption({ label: "a value comes over an edge" });
  await form(page).getByTestId("breakpoint-edge").selectOption({ label: "Whisper · text → Result · value" });
  await form(page).getByLabel("Condition").fill("value == 'Lyon…'");
  await form(page).getByRole("switch", { name: "This branch only" }).click();
  await page.getByTestId("breakpoint-form-add").click();
  await expect(page.getByTestId("bead-edge-d")).toHaveAttribute("data-state", "on");
  await expect(page.getByTestId("bead-edge-c")).toHaveCount(0);
  await expect(list(page)).toHaveText(["Resultvalue, from Whisper › text"]);
  await page.getByTestId("run-button").click();
  await expect(bar(page)).toContainText("Paused before Result");
  await takePicture(page, "breakpoint-edge");
  // Turned off while the run stands there.
  await list(page).getByRole("switch").click();
  await expect(page.getByTestId("bead-edge-d")).toHaveAttribute("data-state", "off");
  await page.getByTestId("go-continue").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  // The edge goes, and runs start all the same.
  await page.getByTestId("edge-d").locator(".react-flow__edge-interaction").click({ force: true });
  await page.keyboard.press("Delete");
  await expect(list(page)).toContainText(["Edge is gone"]);
  await page.getByTestId("run-button").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
});

test("an edge has a breakpoint of its own in its menu, and by a key", async ({ page }) => {
  await openFlow(page, FLOW);
  const line = page.getByTestId("edge-c").locator(".react-flow__edge-interaction");
  await line.click({ button: "right", force: true });
  await page.getByTestId("menu-debug.edge").click();
  const bead = page.getByTestId("bead-edge-c");
  await expect(bead).toBeVisible();
  await expect(page.getByTestId("bead-out-before")).toHaveCount(0);
  await page.locator('.react-flow__edge[data-id="c"]').focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("F9");
  await expect(bead).toHaveCount(0);
  await page.keyboard.press("F9");
  await expect(bead).toBeVisible();
  await node(page, "loud").click();
  await page.keyboard.press("F9");
  await expect(page.getByTestId("bead-loud-before")).toBeVisible();
});
