import type { Flow } from "../../src/bindings";
import { expect, node, openFlow, savedFlow, test } from "./fixture";

const FLOW: Flow = {
  version: 1,
  name: "Sub-flow",
  nodes: {
    ticket: { type: "text", title: "Ticket", config: { template: "7731" } },
    clean: { type: "json", title: "Clean", config: { query: "." } },
    draft: { type: "text", title: "Draft", config: { template: "About {{ticket}}" } },
    result: { type: "output", title: "Reply" },
  },
  edges: {
    a: { source: "ticket", sourceOutput: "text", target: "clean", targetInput: "value" },
    b: { source: "clean", sourceOutput: "result", target: "draft", targetInput: "ticket" },
    c: { source: "draft", sourceOutput: "text", target: "result", targetInput: "value" },
  },
  layout: {
    ticket: { x: 0, y: 0 },
    clean: { x: 280, y: 0 },
    draft: { x: 560, y: 0 },
    result: { x: 840, y: 0 },
  },
};

test("a selection becomes a sub-flow and its nodes again, each in one undo step", async ({ page }) => {
  await openFlow(page, FLOW);
  await node(page, "clean").locator(".summary").click();
  await node(page, "draft")
    .locator(".summary")
    .click({ modifiers: ["Shift"] });
  await node(page, "draft").locator(".summary").click({ button: "right" });
  await page.getByTestId("menu-subflow.convert").click();
  await page.getByTestId("rename-subflow").fill("Answer", { timeout: 10_000 });
  await page.keyboard.press("Enter");
  await expect(node(page, "clean")).toHaveCount(0);
  const converted = await savedFlow(page);
  expect(converted.nodes.subflow).toMatchObject({
    title: "Answer",
    config: { mapping: [{ from: "ticket", to: "clean.value" }] },
  });
  await expect(page.getByTestId("handle-subflow-in-ticket")).toBeVisible();

  await node(page, "subflow").locator(".summary, header").first().click({ button: "right" });
  await page.getByTestId("menu-subflow.dissolve").click();
  await expect(node(page, "clean")).toBeVisible();
  const back = await savedFlow(page);
  expect(back.nodes).toEqual(FLOW.nodes);
  expect(Object.values(back.edges)).toHaveLength(3);

  await page.keyboard.press("Control+z");
  await expect(node(page, "subflow")).toBeVisible();
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  expect(await savedFlow(page)).toMatchObject({ nodes: FLOW.nodes, edges: FLOW.edges, layout: FLOW.layout });
});

test("a selection that a sub-flow would change is refused with a reason", async ({ page }) => {
  await openFlow(page, FLOW);
  await node(page, "ticket").locator(".summary").click();
  await node(page, "draft")
    .locator(".summary")
    .click({ modifiers: ["Shift"] });
  await node(page, "draft").locator(".summary").click({ button: "right" });
  await page.getByTestId("menu-subflow.convert").click();
  await expect(page.getByText("“Clean” is between selected nodes")).toBeVisible();
  expect((await savedFlow(page)).nodes).toEqual(FLOW.nodes);
});
