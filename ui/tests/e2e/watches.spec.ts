/** Watches: expressions with their values at a stop, after a change, in the past and at the end. */
import { findViolations } from "./axe";
import { expect, node, openFlow, takePicture, test } from "./fixture";

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
  layout: { name: { x: 0, y: 0 }, hello: { x: 280, y: 0 }, out: { x: 560, y: 0 } },
};

test("expressions are shown where the run stands", async ({ page, host }) => {
  await openFlow(page, FLOW as never);
  await node(page, "hello").click();
  await page.keyboard.press("F9");
  await page.getByTestId("dock-tab-watches").click();
  const watches = page.getByTestId("watches");
  const add = watches.getByLabel("Watch an expression");
  for (const expression of ["value.size()", "nodes.name.value + '!'", "nosuch"]) {
    await add.fill(expression);
    await add.press("Enter");
  }
  const row = (at: number) => watches.getByRole("listitem").nth(at);
  await expect(row(0)).toContainText("No value yet");
  await page.getByTestId("run-button").click();
  await expect(page.getByTestId("stop-bar")).toContainText("Paused before Greet");
  await expect(row(0)).toContainText("3");
  await expect(row(1)).toContainText("Ada!");
  await expect(row(2)).toContainText("Unknown name");
  await takePicture(page, "watches");
  expect(await findViolations(page, { within: '[data-testid="watches"]' })).toEqual([]);

  await page.getByTestId("go-continue").click();
  await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "finished");
  // Of the whole run: what it put out.
  await expect(row(0)).toContainText("9");
  await page.keyboard.press("Shift+F8");
  await expect(row(0)).toContainText("3");

  await watches.getByRole("button", { name: "Stop watching nosuch" }).click();
  await expect(watches.getByRole("listitem")).toHaveCount(2);
  // Settings are saved a moment after they change.
  await expect.poll(async () => JSON.stringify(await host.call("settings.get", {}))).not.toContain("nosuch");
  await page.reload();
  await page.getByTestId("dock-tab-watches").click();
  await expect(watches.getByRole("listitem")).toHaveCount(2);
});
