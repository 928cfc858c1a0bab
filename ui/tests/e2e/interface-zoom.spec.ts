import type { Page } from "@playwright/test";
import { drag, expect, handle, middle, node, openFlow, savedFlow, takePicture, test } from "./fixture";

const zoomOf = (page: Page) => page.evaluate(() => Number(document.documentElement.style.zoom || 1));

test("the interface is enlarged and reduced by keys, also from a field, and stays so", async ({ page, host }) => {
  await openFlow(page);
  await page.keyboard.press("Control+=");
  await expect.poll(() => zoomOf(page)).toBe(1.1);
  await page.getByTestId("flow-settings-button").click();
  await page.getByRole("textbox", { name: "Name" }).focus();
  await page.keyboard.press("Control+=");
  await expect.poll(() => zoomOf(page)).toBe(1.25);
  await expect.poll(() => host.settings()).toContain('"zoom":125');
  await page.reload();
  await expect.poll(() => zoomOf(page)).toBe(1.25);
  await page.keyboard.press("Control+-");
  await expect.poll(() => zoomOf(page)).toBe(1.1);
  await page.keyboard.press("Control+0");
  await expect.poll(() => zoomOf(page)).toBe(1);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("zoom interface in");
  await page.keyboard.press("Enter");
  await expect.poll(() => zoomOf(page)).toBe(1.1);
});

for (const presses of [2, -2]) {
  test(`the canvas is hit where it is drawn, ${presses > 0 ? "enlarged" : "reduced"}`, async ({ page }) => {
    await openFlow(page);
    for (let press = 0; press < Math.abs(presses); press++) {
      await page.keyboard.press(presses > 0 ? "Control+=" : "Control+-");
    }
    await page.waitForTimeout(300);
    await page.keyboard.press("f");
    await page.waitForTimeout(500);
    await takePicture(page, `interface-zoom/${presses}`);

    // Handles are drawn on the edges of their cards, and edges end at them.
    const card = await node(page, "start").boundingBox();
    const port = await middle(handle(page, "start", "out", "context"));
    expect(Math.abs(port.x - (card?.x ?? 0) - (card?.width ?? 0))).toBeLessThan(3);

    // A card follows the pointer.
    const before = await middle(node(page, "tools").locator("header"));
    await page.mouse.move(before.x, before.y);
    await page.mouse.down();
    await page.mouse.move(before.x + 40, before.y + 20, { steps: 6 });
    await page.mouse.move(before.x + 60, before.y + 50, { steps: 6 });
    await page.mouse.up();
    const after = await middle(node(page, "tools").locator("header"));
    expect(Math.abs(after.x - before.x - 60)).toBeLessThan(12);
    expect(Math.abs(after.y - before.y - 50)).toBeLessThan(12);

    // An edge goes to the port that the pointer is at.
    await drag(page, handle(page, "tools", "out", "names"), handle(page, "answer", "in", "data"));
    await expect.poll(async () => Object.keys((await savedFlow(page)).edges)).toContain("tools.names->answer.data");

    // A dropped node lands under the pointer.
    const canvas = await page.getByTestId("canvas").boundingBox();
    const at = {
      x: (canvas?.x ?? 0) + (canvas?.width ?? 0) * 0.75,
      y: (canvas?.y ?? 0) + (canvas?.height ?? 0) * 0.85,
    };
    await page.getByTestId("rail-nodes").click();
    if (!(await page.getByTestId("palette-search").isVisible())) await page.getByTestId("rail-nodes").click();
    await drag(page, page.getByTestId("palette-value"), at);
    const dropped = await middle(node(page, "value"));
    expect(Math.hypot(dropped.x - at.x, dropped.y - at.y)).toBeLessThan(20);
    // A menu opens at the pointer.
    const free = { x: (canvas?.x ?? 0) + (canvas?.width ?? 0) * 0.5, y: (canvas?.y ?? 0) + 12 };
    await page.mouse.click(free.x, free.y, { button: "right" });
    const menu = await page.getByTestId("canvas-menu").boundingBox();
    expect(Math.hypot((menu?.x ?? 0) - free.x, (menu?.y ?? 0) - free.y)).toBeLessThan(20);
  });
}
