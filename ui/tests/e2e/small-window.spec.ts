import type { Page } from "@playwright/test";
import { CHAT_FLOW, drag, expect, node, openFlow, takePicture, test } from "./fixture";

/** Runs the flow to its first question. */
async function runToQuestion(page: Page): Promise<void> {
  await page.getByTestId("run-button").click();
  await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "waiting", { timeout: 60_000 });
}

async function widthOf(page: Page, testId: string): Promise<number> {
  return (await page.getByTestId(testId).boundingBox())?.width ?? 0;
}

/** A picture for people to look at; nothing compares it. */
function picture(page: Page, name: string) {
  return takePicture(page, `small-window/${name}`);
}

test.describe("below 1280 pixels", () => {
  test.use({ viewport: { width: 1200, height: 800 } });

  test("the left panel floats over the canvas until a click beside it, Escape, or a placed node", async ({ page }) => {
    await openFlow(page);
    const panel = page.getByTestId("floating-left");
    await expect(panel).toHaveCount(0);
    const before = await widthOf(page, "canvas");
    await page.getByTestId("rail-nodes").click();
    await expect(panel).toBeVisible();
    expect(await widthOf(page, "canvas")).toBe(before);
    await picture(page, "palette-1200");

    await page.getByTestId("palette-search").fill("text");
    await page.keyboard.press("Escape");
    await expect(page.getByTestId("palette-search")).toHaveValue("");
    await page.keyboard.press("Escape");
    await expect(panel).toHaveCount(0);
    await expect(page.getByTestId("rail-nodes")).toBeFocused();

    await page.keyboard.press("Alt+2");
    await expect(panel).toBeVisible();
    await page.mouse.click(700, 500);
    await expect(panel).toHaveCount(0);

    await page.keyboard.press("/");
    await page.keyboard.type("template");
    await page.keyboard.press("Enter");
    await expect(panel).toHaveCount(0);
    await expect(page.locator(".card")).toHaveCount(Object.keys(CHAT_FLOW.nodes).length);
    await page.getByTestId("rail-nodes").click();
    await drag(page, page.getByTestId("palette-value"), { x: 800, y: 450 });
    await expect(panel).toHaveCount(0);
    await expect(node(page, "value")).toBeVisible();
  });

  test("what was open in a wide window is open again when the window is wide again", async ({ page }) => {
    await page.setViewportSize({ width: 1300, height: 800 });
    await openFlow(page);
    await page.getByTestId("rail-runs").click();
    const columns = ["part-left", "part-right"];
    const wide = await Promise.all(columns.map((part) => widthOf(page, part)));
    await page.setViewportSize({ width: 1000, height: 700 });
    for (const part of columns) await expect.poll(() => widthOf(page, part)).toBe(0);
    await page.setViewportSize({ width: 1300, height: 800 });
    await expect(page.getByTestId("rail-runs")).toHaveAttribute("aria-pressed", "true");
    await expect.poll(() => Promise.all(columns.map((part) => widthOf(page, part)))).toEqual(wide);
    await expect(page.getByTestId("dock-tab-conversation")).toBeVisible();
  });
});

test.describe("at 1000 × 700", () => {
  test.use({ viewport: { width: 1000, height: 700 } });

  test("the canvas has the window, and the dock is a line", async ({ page }) => {
    await openFlow(page);
    expect(await widthOf(page, "canvas")).toBeGreaterThanOrEqual(900);
    await expect(page.getByTestId("dock-line")).toContainText("No run yet");
    await page.keyboard.press("Control+i");
    await expect(page.getByTestId("floating-right")).toBeVisible();
    expect(await widthOf(page, "canvas")).toBeGreaterThanOrEqual(900);
    await node(page, "start").click();
    await expect(page.getByTestId("floating-right")).toContainText("main");
    await picture(page, "inspector-1000");
  });

  test("a question is answered in the line", async ({ page }) => {
    await openFlow(page);
    await runToQuestion(page);
    const line = page.getByTestId("dock-line");
    await expect(line).toContainText("Anything else I should know?");
    await expect(line.getByTestId("pause-answer")).toBeFocused();
    await picture(page, "question-1000");
    await page.keyboard.type("Where is my parcel 7731?");
    await page.keyboard.press("Enter");
    await expect(page.getByTestId("run-status")).toContainText("iteration 2", { timeout: 60_000 });
    await expect(line.getByTestId("pause-answer")).toHaveValue("");
    for (const bar of ["stop-button", "run-button", "run-cost", "run-status"]) {
      await expect(page.getByTestId(bar)).toBeInViewport({ ratio: 1 });
    }
    await expect(page.getByTestId("run-tokens")).toBeHidden();

    await page.getByTestId("dock-unfold").click();
    const dock = page.getByTestId("floating-dock");
    await expect(dock.getByTestId("pause-answer")).toBeVisible();
    await expect(page.getByTestId("pause-answer")).toHaveCount(1);
    await picture(page, "dock-1000");
    await page.getByTestId("dock-unfold").click();
    await expect(dock).toHaveCount(0);
    await page.getByTestId("line-events").click();
    await expect(dock.getByTestId("event").first()).toBeVisible();
  });
});

test.describe("below 900 pixels", () => {
  test.use({ viewport: { width: 640, height: 400 } });

  test("the rail is a menu, and nothing of a run folds away", async ({ page }) => {
    await openFlow(page);
    await runToQuestion(page);
    await expect(page.getByTestId("minimap")).toHaveCount(0);
    await expect(page.getByTestId("rail-nodes")).toHaveCount(0);
    await page.keyboard.type("Where is my parcel 7731?");
    await page.keyboard.press("Enter");
    await expect(page.getByTestId("run-status")).toContainText("iteration 2", { timeout: 60_000 });
    for (const part of ["stop-button", "run-button", "run-cost", "run-status", "pause-answer"]) {
      await expect(page.getByTestId(part)).toBeInViewport({ ratio: 1 });
    }
    await picture(page, "question-640");
    const header = page.getByRole("banner");
    expect(await header.evaluate((bar) => bar.scrollWidth - bar.clientWidth)).toBe(0);
    await page.getByTestId("rail-menu").click();
    await picture(page, "menu-640");
    await page.getByTestId("rail-runs").click();
    await expect(page.getByTestId("floating-left")).toBeVisible();
    await expect(page.locator("[data-testid^=run-row-]")).toHaveCount(1);
  });
});
