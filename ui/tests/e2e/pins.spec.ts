/** Pins: what a node gave is fixed, changed and freed, looks fixed, and is what the nodes after it get. */
import type { Page } from "@playwright/test";
import { findViolationsInThemes } from "./axe";
import { expect, intoView, node, openFlow, savedFlow, takePicture, test } from "./fixture";

const FLOW = {
  version: 1,
  name: "Greeting",
  nodes: {
    name: { type: "value", title: "Name", config: { value: "Ada" } },
    hello: { type: "text", title: "Greet", config: { template: "Hello {{name}}" } },
    out: { type: "output", title: "Result" },
  },
  edges: {
    a: { source: "name", sourceOutput: "value", target: "hello", targetInput: "name" },
    b: { source: "hello", sourceOutput: "text", target: "out", targetInput: "value" },
  },
  layout: { name: { x: 0, y: 0 }, hello: { x: 280, y: 0 }, out: { x: 280, y: 150 } },
};

const pin = (page: Page) => page.getByTestId("pin");
const badge = (page: Page) => node(page, "hello").getByTestId("pin-badge");

async function run(page: Page): Promise<void> {
  await page.getByTestId("run-button").click();
  await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "finished");
}

async function expectResult(page: Page, text: string): Promise<void> {
  await (await intoView(page, node(page, "out"))).click();
  await page.getByTestId("inspector-tab-io").click();
  await expect(page.getByTestId("io-output-value")).toContainText(text);
}

test("what a run gave is pinned, delivered in place of the node, and freed by undo", async ({ page }) => {
  await openFlow(page, FLOW as never);
  await run(page);
  await node(page, "hello").click({ button: "right" });
  await page.getByTestId("menu-pin.set").click();
  await expect(badge(page)).toHaveText("Pinned");
  // It shows what it is pinned to, so nothing of it is old.
  await expect(node(page, "hello")).not.toContainText("Stale");
  const saved = (await savedFlow(page)).nodes.hello;
  expect(saved?.pin).toEqual({ outputs: { text: "Hello Ada" }, run: expect.any(String) });
  await node(page, "name").click();
  await page.getByTestId("inspector-tab-config").click();
  const value = page.getByTestId("inspector").getByRole("textbox", { name: "Value" });
  await value.fill('"Bob"');
  await value.blur();
  await run(page);
  await (await intoView(page, node(page, "hello"))).click();
  await page.getByTestId("inspector-tab-io").click();
  // What came in beside what was pinned.
  await expect(page.getByTestId("io-input-name")).toContainText("Bob");
  await expect(page.getByTestId("io-output-text")).toContainText("Hello Ada");
  await expect(page.getByTestId("io-pinned")).toHaveText("Pinned");
  const found = await findViolationsInThemes(page, (theme) => takePicture(page, `pins-${theme}`));
  expect(found).toEqual([]);
  await page.keyboard.press("Control+k");
  await expect(page.getByTestId("command-palette").getByRole("combobox")).toBeFocused();
  await page.keyboard.type("run without pins");
  await page.keyboard.press("Enter");
  await expectResult(page, "Hello Bob");
  await expect(badge(page)).toBeVisible();
  await (await intoView(page, node(page, "hello"))).click();
  await page.keyboard.press("Shift+P");
  await expect(badge(page)).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await expect(badge(page)).toBeVisible();
  await page.keyboard.press("Control+Shift+z");
  await run(page);
  await expectResult(page, "Hello Bob");
});

test("a value is typed by keyboard alone before any run, and changed later", async ({ page }) => {
  await openFlow(page, FLOW as never);
  await node(page, "hello").click();
  await page.keyboard.press("p");
  const value = pin(page).getByLabel("text", { exact: true });
  await expect(value).toBeFocused();
  await page.keyboard.type("Good day");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(badge(page)).toBeVisible();
  await run(page);
  await expectResult(page, "Good day");
  await (await intoView(page, node(page, "hello"))).click();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("Edit pin");
  await page.keyboard.press("Enter");
  await expect(value).toBeFocused();
  await expect(value).toHaveValue("Good day");
  await value.fill("Good night");
  await page.getByRole("button", { name: "Change text" }).click();
  expect((await savedFlow(page)).nodes.hello?.pin).toEqual({ outputs: { text: "Good night" } });
  const found = await findViolationsInThemes(page, (theme) => takePicture(page, `pins-edit-${theme}`));
  expect(found).toEqual([]);
  await pin(page).getByRole("switch").click();
  await expect(badge(page)).toHaveCount(0);
});
