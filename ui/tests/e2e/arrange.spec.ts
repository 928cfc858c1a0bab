import type { Flow } from "../../src/bindings";
import { expect, node, openFlow, savedFlow, test } from "./fixture";

const FLOW: Flow = {
  version: 1,
  name: "Arrange",
  nodes: {
    one: { type: "text", title: "One", config: { template: "1" } },
    two: { type: "text", title: "Two", config: { template: "2" } },
    three: { type: "text", title: "Three", config: { template: "3" } },
  },
  edges: {},
  layout: { one: { x: 0, y: 0 }, two: { x: 200, y: 90 }, three: { x: 633, y: 211 } },
};

test("several nodes are aligned and distributed in the menu", async ({ page }) => {
  await openFlow(page, FLOW);
  await node(page, "one").locator(".summary").click();
  await page.keyboard.press("Control+a");
  await node(page, "two").locator(".summary").click({ button: "right" });
  await page.getByTestId("menu-arrange.top").click();
  expect(Object.values((await savedFlow(page)).layout).map(({ y }) => y)).toEqual([0, 0, 0]);
  await node(page, "two").locator(".summary").click({ button: "right" });
  await page.getByTestId("menu-arrange.horizontal").click();
  expect((await savedFlow(page)).layout).toMatchObject({ one: { x: 0 }, two: { x: 317 }, three: { x: 633 } });
});
