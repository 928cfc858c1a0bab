/** Flows with more nodes than could be drawn as cards at once. */
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

test("a large flow begins at its start, the fit shows a picture of all of it, and a click leads to a card", async ({
  page,
}) => {
  putFile(filePath("large.flow.json"), LARGE);
  await page.goto(`/?open=${encodeURIComponent(filePath("large.flow.json"))}`);
  const picture = page.getByTestId("overview");
  // In a size in which titles can be read.
  await expect(node(page, "n0").locator(".tile")).toHaveText("Text 0");
  await expect(node(page, "n0")).toBeInViewport({ ratio: 0.99 });
  await page.getByRole("button", { name: "Fit to view" }).click();
  await expect(picture).toHaveAccessibleName(/Overview of 400 nodes/);
  await expect(page.locator(".canvas .card")).toHaveCount(0);
  // Nothing of the opaque view covers it.
  const layer = (selector: string) =>
    page.locator(selector).evaluate((element) => Number(getComputedStyle(element).zIndex));
  expect(await layer(".overview")).toBeGreaterThanOrEqual(await layer(".react-flow__renderer"));
  // The picture has the nodes where the cards would be.
  const box = await picture.boundingBox();
  if (!box) throw new Error("There is no picture.");
  const painted = await picture.evaluate((element) => {
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
  expect(painted.right - painted.left).toBeGreaterThan(box.width * 0.6);
  await page.mouse.click(box.x + painted.left + 3, box.y + painted.top + 2);
  await expect(node(page, "n0")).toHaveAttribute("data-selected", "true");
  await expect(picture).toHaveCount(0);
  await page.getByRole("button", { name: "Fit to view" }).click();
  await expect(picture).toBeVisible();
  await expect(page.locator(".canvas .card")).toHaveCount(0);
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
  await expect(node(page, "n0")).toBeVisible();
  const drawn = await page.evaluate(() => (window as unknown as { drawnCards: Set<Node> }).drawnCards.size);
  expect(drawn).toBeLessThan(120);
});

test("the picture of a large flow follows the theme", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  putFile(filePath("large.flow.json"), LARGE);
  await page.goto(`/?open=${encodeURIComponent(filePath("large.flow.json"))}`);
  const picture = page.getByTestId("overview");
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
