/** Where a text comes from: from a selection in a value back to where it began, as a list and on the canvas. */
import type { Flow } from "@/bindings";
import { findViolations } from "./axe";
import { expect, intoView, node, openFlow, takePicture, test } from "./fixture";

const FLOW: Flow = {
  version: 1,
  name: "Letter",
  nodes: {
    name: { type: "value", title: "Name", config: { value: "Ada" } },
    greet: { type: "text", title: "Greet", config: { template: "Dear {{name}}," } },
    letter: { type: "text", title: "Letter", config: { template: "{{text}} thank you." } },
    out: { type: "output", title: "Result" },
  },
  edges: {
    a: { source: "name", sourceOutput: "value", target: "greet", targetInput: "name" },
    b: { source: "greet", sourceOutput: "text", target: "letter", targetInput: "text" },
    c: { source: "letter", sourceOutput: "text", target: "out", targetInput: "value" },
  },
  layout: { name: { x: 0, y: 0 }, greet: { x: 250, y: 0 }, letter: { x: 500, y: 0 }, out: { x: 750, y: 0 } },
};

test("a part of a value leads back to where it began", async ({ page }) => {
  await openFlow(page, FLOW);
  await page.getByTestId("run-button").click();
  await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "finished");
  await intoView(page, node(page, "letter"));
  await node(page, "letter").click();
  await page.getByRole("tab", { name: "Input / Output" }).click();
  const value = page.getByTestId("inspector").getByText("Dear Ada, thank you.");
  // A double click selects the word.
  await value.dblclick({ position: { x: 42, y: 8 } });
  await page.getByRole("button", { name: "Where does this come from?" }).last().click();
  const steps = page.getByTestId("lineage").locator("ol > li");
  await expect(steps.last()).toContainText("Ada");
  await expect(page.getByTestId("lineage-source")).toHaveCount(1);
  await takePicture(page, "lineage");
  expect(await findViolations(page, { within: '[data-testid="lineage"]' })).toEqual([]);
  await steps.last().getByRole("button").click();
  await expect(node(page, "name")).toHaveAttribute("data-selected", "true");
});
