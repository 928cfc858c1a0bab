/** Flows with more nodes than could be drawn as cards at once. */
import type { Locator, Page } from "@playwright/test";
import type { Flow } from "../../src/bindings";
import { CHAT_FLOW, expect, filePath, node, putFile, test } from "./fixture";

const COLUMNS = 40;
const COUNT = 400;
const LARGE: Flow = {
  ...CHAT_FLOW,
  name: "Large",
  nodes: Object.fromEntries(
    Array.from({ length: COUNT }, (_, at) => [`n${at}`, { type: "text", title: `Text ${at}` }]),
  ),
  edges: {},
  layout: Object.fromEntries(
    Array.from({ length: COUNT }, (_, at) => [
      `n${at}`,
      { x: (at % COLUMNS) * 300, y: Math.floor(at / COLUMNS) * 200 },
    ]),
  ),
};

/** Where something is painted, in pixels of the picture. */
function paintedIn(picture: Locator): Promise<{ left: number; top: number; right: number; bottom: number }> {
  return picture.evaluate((element) => {
    const canvas = element as HTMLCanvasElement;
    const { data, width } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? {
      data: [],
      width: 1,
    };
    let [left, top, right, bottom] = [Infinity, Infinity, 0, 0];
    for (let at = 3; at < data.length; at += 4) {
      if (!data[at]) continue;
      const pixel = (at - 3) / 4;
      left = Math.min(left, pixel % width);
      right = Math.max(right, pixel % width);
      top = Math.min(top, Math.floor(pixel / width));
      bottom = Math.max(bottom, Math.floor(pixel / width));
    }
    return { left, top, right, bottom };
  });
}

/** Shows all of the flow and returns the place of its first node on the screen. */
async function fitAll(page: Page): Promise<{ x: number; y: number; picture: Locator }> {
  const picture = page.getByTestId("far-picture");
  await page.getByRole("button", { name: "Fit to view" }).click();
  // The zoom is animated.
  await page.waitForTimeout(400);
  await expect(picture).toHaveAccessibleName(/Overview of 400 nodes/);
  const box = await picture.boundingBox();
  if (!box) throw new Error("There is no picture.");
  const painted = await paintedIn(picture);
  expect(painted.right - painted.left).toBeGreaterThan(box.width * 0.6);
  return { x: box.x + painted.left + 3, y: box.y + painted.top + 2, picture };
}

async function openLarge(page: Page): Promise<void> {
  putFile(filePath("large.flow.json"), LARGE);
  await page.goto(`/?open=${encodeURIComponent(filePath("large.flow.json"))}`);
  // In a size in which titles can be read.
  await expect(node(page, "n0")).toHaveText(/^Text 0/);
  await expect(node(page, "n0")).toBeInViewport({ ratio: 0.99 });
}

test("a large flow begins at its start, and the fit shows a picture of all of it with hardly an element", async ({
  page,
}) => {
  await openLarge(page);
  const { x, y, picture } = await fitAll(page);
  expect(await page.locator(".react-flow__node").count()).toBeLessThan(5);
  await page.mouse.click(x, y);
  await expect(node(page, "n0")).toHaveAttribute("data-selected", "true");
  await expect(picture).toBeVisible();
  await page.mouse.dblclick(x, y);
  await expect(picture).toHaveCount(0);
  await expect(node(page, "n0").locator(".card-title")).toBeVisible();
});

test("the pointer drags, boxes and opens the menu of tiles that are no elements until it comes", async ({ page }) => {
  await openLarge(page);
  const { x, y } = await fitAll(page);
  await page.mouse.click(x, y, { button: "right" });
  await expect(page.getByTestId("menu-edit.duplicate")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x - 2, y + 60, { steps: 5 });
  await page.mouse.up();
  expect((await node(page, "n0").boundingBox())?.y).toBeGreaterThan(y + 40);
  await page.keyboard.press("Control+z");
  await expect.poll(async () => (await node(page, "n0").boundingBox())?.y).toBeLessThan(y + 5);
  // A box around the first nodes.
  await page.keyboard.down("Shift");
  await page.mouse.move(x - 15, y - 15);
  await page.mouse.down();
  await page.mouse.move(x + 40, y + 20, { steps: 5 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await page.keyboard.press("Control+c");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(Object.keys(JSON.parse(copied).nodes).length).toBeGreaterThan(2);
});

test("the keyboard goes from tile to tile", async ({ page }) => {
  await openLarge(page);
  const { x, y } = await fitAll(page);
  await page.mouse.click(x, y);
  await page.keyboard.press("Tab");
  await expect(page.locator(".react-flow__node[data-id=n1]")).toBeFocused();
  // In the order of the names.
  await page.keyboard.press("Tab");
  await expect(page.locator(".react-flow__node[data-id=n10]")).toBeFocused();
  await expect(node(page, "n10")).toHaveAttribute("data-selected", "true");
  await page.keyboard.press("Shift+Tab");
  await expect(page.locator(".react-flow__node[data-id=n1]")).toBeFocused();
});

test("the cards of a large flow that are not in view at first are never drawn", async ({ page }) => {
  putFile(filePath("large.flow.json"), LARGE);
  await page.addInitScript(() => {
    const drawn = new Set<Node>();
    // Also nodes that were taken out of the page before the next frame.
    new MutationObserver((changes) => {
      for (const change of changes)
        for (const added of change.addedNodes)
          if (added instanceof Element) {
            if (added.matches(".card")) drawn.add(added);
            for (const card of added.querySelectorAll(".card")) drawn.add(card);
          }
    }).observe(document, { subtree: true, childList: true });
    Object.assign(window, { drawnCards: drawn });
  });
  await page.goto(`/?open=${encodeURIComponent(filePath("large.flow.json"))}`);
  await expect(node(page, "n0")).toHaveCount(1);
  const drawn = await page.evaluate(() => (window as unknown as { drawnCards: Set<Node> }).drawnCards.size);
  expect(drawn).toBeLessThan(120);
});

test("the picture of a large flow follows the theme", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  putFile(filePath("large.flow.json"), LARGE);
  await page.goto(`/?open=${encodeURIComponent(filePath("large.flow.json"))}`);
  const picture = page.getByTestId("far-picture");
  await page.getByRole("button", { name: "Fit to view" }).click();
  await expect(picture).toBeVisible();
  const colors = () =>
    picture.evaluate((element) => {
      const canvas = element as HTMLCanvasElement;
      const { data } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
      const counts = new Map<string, number>();
      for (let at = 0; at < data.length; at += 4) {
        if (data[at + 3] !== 255) continue;
        const color = `${data[at]},${data[at + 1]},${data[at + 2]}`;
        counts.set(color, (counts.get(color) ?? 0) + 1);
      }
      return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
    });
  const dark = await colors();
  await page.emulateMedia({ colorScheme: "light" });
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await expect.poll(colors).not.toBe(dark);
});
