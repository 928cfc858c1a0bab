/** The canvas from far away: tiles with titles that can be read, then a map. */
import type { Page } from "@playwright/test";
import type { Flow } from "../../src/bindings";
import { expect, FAILING_FLOW, node, openFlow, takePicture, test } from "./fixture";

const FLOW: Flow = {
  ...FAILING_FLOW,
  frames: {
    intake: { title: "Intake", color: "blue", nodes: ["start", "clock"], x: -20, y: -40, width: 260, height: 340 },
  },
};

async function zoomOutTo(page: Page, percent: number): Promise<void> {
  const level = async () => Number.parseInt((await page.getByTestId("zoom-level").innerText()) ?? "100", 10);
  await page.getByTestId("canvas").click({ position: { x: 20, y: 20 } });
  while ((await level()) > percent) {
    const before = await level();
    await page.keyboard.press("-");
    await expect.poll(level).toBeLessThan(before);
  }
  // The zoom is animated.
  await page.waitForTimeout(250);
}

/** The size of a text on the screen, in pixels. */
function sizeOnScreen(page: Page, selector: string): Promise<number> {
  return page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const scale = element.getBoundingClientRect().width / (element as HTMLElement).offsetWidth;
      return Number.parseFloat(getComputedStyle(element).fontSize) * scale;
    });
}

test("a card is a tile from far away, with its title and the color of its state, and shows nothing else", async ({
  page,
}) => {
  await openFlow(page, FLOW);
  await expect(page.locator(".tile")).toHaveCount(0);
  await page.getByTestId("run-button").click();
  await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "failed");
  await zoomOutTo(page, 45);
  const draft = node(page, "draft");
  await expect(draft.locator(".tile")).toContainText("Draft");
  await expect(draft.locator(".tile")).toHaveAccessibleName("Draft, Done");
  await expect(draft.locator(".summary")).toBeHidden();
  await expect(page.getByTestId("handle-draft-out-response")).toBeHidden();
  expect(await sizeOnScreen(page, ".tile-title")).toBeGreaterThanOrEqual(11);
  const colorOf = (id: string) =>
    node(page, id)
      .locator(".tile")
      .evaluate((tile) => getComputedStyle(tile).backgroundColor);
  expect(await colorOf("draft")).toBe(await colorOf("clock"));
  expect(await colorOf("draft")).not.toBe(await colorOf("check"));
  await takePicture(page, "far-view/tiles");
});

test("only frames and loops have titles on the map, in a size that can be read", async ({ page }) => {
  await openFlow(page, FLOW);
  await zoomOutTo(page, 24);
  await expect(node(page, "draft").locator(".tile")).toHaveText("");
  await expect(node(page, "draft").locator(".tile")).toHaveAccessibleName("Draft");
  expect(await sizeOnScreen(page, ".frame-title")).toBeGreaterThanOrEqual(11);
  await takePicture(page, "far-view/map");
});

test("a tile is selected and dragged like its card, and renamed in place", async ({ page }) => {
  await openFlow(page, FLOW);
  await zoomOutTo(page, 45);
  const tile = node(page, "draft").locator(".tile");
  const before = await tile.boundingBox();
  if (!before) throw new Error("There is no tile.");
  await page.mouse.move(before.x + 20, before.y + 20);
  await page.mouse.down();
  await page.mouse.move(before.x + 60, before.y + 80, { steps: 6 });
  await page.mouse.up();
  expect((await tile.boundingBox())?.y).toBeGreaterThan(before.y + 20);
  await tile.click();
  await expect(node(page, "draft")).toHaveAttribute("data-selected", "true");
  await page.keyboard.press("F2");
  await page.getByTestId("rename-draft").fill("Reply");
  await page.keyboard.press("Enter");
  await expect(tile).toContainText("Reply");
});
