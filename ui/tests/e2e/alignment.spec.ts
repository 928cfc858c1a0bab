import type { Locator, Page } from "@playwright/test";
import type { Flow } from "../../src/bindings";
import { expect, middle, node, openFlow, savedFlow, test } from "./fixture";

const FLOW: Flow = {
  version: 1,
  name: "Guides",
  nodes: {
    one: { type: "text", title: "One", config: { template: "1" } },
    two: { type: "text", title: "Two", config: { template: "2" } },
    three: { type: "text", title: "Three", config: { template: "3" } },
  },
  edges: {},
  layout: { one: { x: 0, y: 0 }, two: { x: 320, y: 150 }, three: { x: 700, y: 300 } },
};

/** Drags a node by so many screen pixels, and does something before it is let go. */
async function dragBy(page: Page, id: string, dx: number, dy: number, before = async () => {}): Promise<void> {
  await drag(page, node(page, id).locator(".summary"), dx, dy, before);
}

async function drag(page: Page, what: Locator, dx: number, dy: number, before = async () => {}): Promise<void> {
  const start = await middle(what);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  // The node follows from where the drag is recognized.
  const { x, y } = { x: start.x + 3, y: start.y };
  await page.mouse.move(x, y);
  await page.mouse.move(x + dx / 2, y + dy / 2, { steps: 4 });
  await page.mouse.move(x + dx, y + dy, { steps: 4 });
  await before();
  await page.mouse.up();
}

/** Screen pixels for each canvas unit. */
async function zoomOf(page: Page): Promise<number> {
  return page.locator(".react-flow__viewport").evaluate((one) => new DOMMatrix(getComputedStyle(one).transform).a);
}

test("a dragged node snaps to the edges of others, and shows a line", async ({ page }) => {
  await openFlow(page, FLOW);
  const zoom = await zoomOf(page);
  await dragBy(page, "two", 30 * zoom, -146 * zoom, async () => {
    await expect(page.getByTestId("alignment-guides").locator("line")).not.toHaveCount(0);
  });
  await expect(page.getByTestId("alignment-guides")).toHaveCount(0);
  expect((await savedFlow(page)).layout.two?.y).toBe(0);
  await page.keyboard.press("Control+z");
  expect((await savedFlow(page)).layout.two).toEqual({ x: 320, y: 150 });
});

test("frames snap to nodes, and nodes to frames", async ({ page }) => {
  const frame = { title: "Frame", nodes: ["two"], x: 300, y: 420, width: 300, height: 200 };
  await openFlow(page, { ...FLOW, layout: { ...FLOW.layout, two: { x: 340, y: 480 } }, frames: { frame } });
  const zoom = await zoomOf(page);
  const guides = page.getByTestId("alignment-guides").locator("line");
  await drag(page, page.getByTestId("frame-frame").getByText("Frame"), -297 * zoom, 0, async () => {
    await expect(guides).not.toHaveCount(0);
  });
  await expect(guides).toHaveCount(0);
  const moved = await savedFlow(page);
  expect(moved.frames?.frame).toMatchObject({ x: 0, y: 420 });
  expect(moved.layout.two).toEqual({ x: 40, y: 480 });
  // The inspector of the frame would cover the third node.
  await page.getByTestId("canvas").click({ position: { x: 10, y: 10 } });
  await expect(page.getByTestId("inspector")).toHaveCount(0);
  await dragBy(page, "three", 0, 117 * zoom, async () => {
    await expect(guides).not.toHaveCount(0);
  });
  expect((await savedFlow(page)).layout.three?.y).toBe(420);
});

test("Alt held lets a node go anywhere", async ({ page }) => {
  await openFlow(page, FLOW);
  const zoom = await zoomOf(page);
  await page.keyboard.down("Alt");
  await dragBy(page, "two", 33 * zoom, -146 * zoom, async () => {
    await expect(page.getByTestId("alignment-guides")).toHaveCount(0);
  });
  await page.keyboard.up("Alt");
  expect(Math.abs(((await savedFlow(page)).layout.two?.y ?? 0) - 4)).toBeLessThanOrEqual(1);
});

test("guides and grid are switches of the canvas that are remembered", async ({ page }) => {
  await openFlow(page, FLOW);
  const zoom = await zoomOf(page);
  const toggle = async (id: string) => {
    await page.locator(".canvas").click({ button: "right", position: { x: 60, y: 500 } });
    await page.getByTestId(`menu-${id}`).click();
  };
  await toggle("arrange.guides");
  await toggle("arrange.grid");
  await dragBy(page, "two", 33 * zoom, -143 * zoom, async () => {
    await expect(page.getByTestId("alignment-guides")).toHaveCount(0);
  });
  expect((await savedFlow(page)).layout.two).toEqual({ x: 360, y: 0 });
  await dragBy(page, "two", 13 * zoom, 27 * zoom);
  expect((await savedFlow(page)).layout.two).toEqual({ x: 380, y: 20 });
  await page.reload();
  await expect(node(page, "two")).toBeVisible();
  await page.locator(".canvas").click({ button: "right", position: { x: 60, y: 500 } });
  await expect(page.getByTestId("menu-arrange.grid").getByLabel("On")).toBeVisible();
  await expect(page.getByTestId("menu-arrange.guides").getByLabel("On")).toHaveCount(0);
});
