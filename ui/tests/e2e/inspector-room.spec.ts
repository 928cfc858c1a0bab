/** The inspector is there while it is about something; the canvas has its room otherwise. */
import { expect, node, openFlow, takePicture, test } from "./fixture";

test("without a selection there is no inspector, and a selected node is not below it", async ({ page }) => {
  await openFlow(page);
  const column = page.locator("#part-right");
  const widthOf = async () => (await column.boundingBox())?.width ?? 0;
  expect(await widthOf()).toBe(0);
  await takePicture(page, "inspector-room/nothing-selected");
  await node(page, "answer").click();
  await expect(page.getByTestId("node-title")).toHaveValue("Answer");
  await expect
    .poll(async () => {
      const [card, inspector] = [await node(page, "answer").boundingBox(), await column.boundingBox()];
      return (card?.x ?? 0) + (card?.width ?? 0) <= (inspector?.x ?? 0);
    })
    .toBe(true);
  await page.getByTestId("canvas").click({ position: { x: 20, y: 20 } });
  await expect.poll(widthOf).toBe(0);
});

test("the canvas keeps its width while a node is dragged", async ({ page }) => {
  await openFlow(page);
  const canvas = page.getByTestId("canvas");
  const before = (await canvas.boundingBox())?.width ?? 0;
  const card = await node(page, "start").boundingBox();
  if (!card) throw new Error("There is no card.");
  await page.mouse.move(card.x + 60, card.y + 12);
  await page.mouse.down();
  await page.mouse.move(card.x + 80, card.y + 60, { steps: 4 });
  await expect(node(page, "start")).toHaveAttribute("data-selected", "true");
  expect((await canvas.boundingBox())?.width).toBe(before);
  await page.mouse.up();
  await expect.poll(async () => (await canvas.boundingBox())?.width ?? 0).toBeLessThan(before);
});

test("the button shows the settings of the flow in place of those of a node, and hides them", async ({ page }) => {
  await openFlow(page);
  await node(page, "answer").click();
  const button = page.getByTestId("flow-settings-button");
  await expect(button).toHaveAttribute("aria-pressed", "false");
  await button.click();
  await expect(page.getByTestId("inspector").getByRole("textbox", { name: "Name" })).toHaveValue("Support triage");
  await expect(node(page, "answer")).not.toHaveAttribute("data-selected", "true");
  await button.click();
  await expect(page.getByTestId("inspector")).toHaveCount(0);
});

test("an unpinned palette leaves its room to the canvas and opens on demand", async ({ page }) => {
  await openFlow(page);
  const widthOf = async () => (await page.getByTestId("canvas").boundingBox())?.width ?? 0;
  const before = await widthOf();
  await page.getByTestId("rail-pin").click();
  await expect.poll(widthOf).toBeGreaterThan(before + 200);
  await page.getByTestId("rail-nodes").click();
  await expect(page.getByTestId("floating-left")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("floating-left")).toHaveCount(0);
  await page.keyboard.press("/");
  await expect(page.getByTestId("floating-left")).toBeVisible();
  await page.keyboard.type("template");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("floating-left")).toHaveCount(0);
  await takePicture(page, "inspector-room/unpinned");
  await page.getByTestId("rail-pin").click();
  await expect(page.getByTestId("palette-search")).toBeVisible();
  await expect(page.getByTestId("floating-left")).toHaveCount(0);
});

test("the first start has each part in its planned size, with the node types open", async ({ page }) => {
  await openFlow(page);
  await node(page, "answer").click();
  await expect(page.getByTestId("palette-search")).toBeVisible();
  const sizeOf = async (part: string, side: "width" | "height") =>
    Math.round((await page.locator(`#part-${part}`).boundingBox())?.[side] ?? 0);
  expect(await sizeOf("left", "width")).toBe(226);
  expect(await sizeOf("dock", "height")).toBe(216);
  expect(await sizeOf("right", "width")).toBe(340);
});
