import type { Page } from "@playwright/test";
import { findViolationsInThemes } from "./axe";
import { expect, node, openFlow, TALK_FLOW, test } from "./fixture";

async function expectAccessible(page: Page, what: string): Promise<void> {
  expect(await findViolationsInThemes(page), what).toEqual([]);
}

async function runThrough(page: Page): Promise<void> {
  await openFlow(page, TALK_FLOW);
  await page.getByTestId("run-button").click();
  for (const [iteration, text] of ["Where is my parcel 7731?", "It was due on Monday."].entries()) {
    await expect(page.getByTestId("run-status")).toHaveText(`Waiting for you · iteration ${iteration + 1}`, {
      timeout: 10_000,
    });
    await page.getByTestId("pause-answer").fill(text);
    await page.keyboard.press("Enter");
  }
  await expect(page.getByTestId("run-status")).toHaveText("Waiting for you · iteration 3", { timeout: 10_000 });
}

test("a run has no accessibility violations in any of its views", async ({ page }) => {
  // A check of a whole page takes seconds, and much longer on a busy machine.
  test.setTimeout(300_000);
  await runThrough(page);
  await expectAccessible(page, "conversation");
  for (const tab of ["timeline", "events", "problems"]) {
    await page.getByTestId(`dock-tab-${tab}`).click();
    await expectAccessible(page, tab);
  }
  await page.getByTestId("dock-tab-events").click();
  await page.getByTestId("event").last().click();
  await expectAccessible(page, "an event");
  await node(page, "answer").click();
  for (const tab of ["io", "prompt", "context"]) {
    await page.getByTestId(`inspector-tab-${tab}`).click();
    await expectAccessible(page, `inspector ${tab}`);
  }
  await page.getByTestId("rail-runs").click();
  await expect(page.locator("[data-testid^=run-row-]")).toHaveCount(1);
  await expectAccessible(page, "runs");
});

test.describe("with motion", () => {
  test.use({ contextOptions: { reducedMotion: "no-preference" } });

  test("values that pass are seen on their edges, and make no layer of them", async ({ page }) => {
    await page.addInitScript(() => {
      const pulses: object[] = [];
      Object.assign(window, { pulses });
      const animate = Element.prototype.animate;
      Element.prototype.animate = function (this: Element, ...args) {
        const animation = animate.apply(this, args);
        if (!this.matches(".strand-pulse")) return animation;
        animation.currentTime = 200;
        const { visibility, opacity, strokeOpacity } = getComputedStyle(this);
        pulses.push({ visibility, opacity, stroke: Number(strokeOpacity) > 0.2 });
        return animation;
      };
    });
    await runThrough(page);
    const pulses = await page.evaluate(() => (window as unknown as { pulses: object[] }).pulses);
    expect(pulses.length).toBeGreaterThan(0);
    for (const pulse of pulses) expect(pulse).toEqual({ visibility: "visible", opacity: "1", stroke: true });
    // Nothing of them is left.
    const left = page.locator(".strand-pulse");
    await expect
      .poll(() => left.evaluateAll((all) => all.every((one) => getComputedStyle(one).visibility === "hidden")))
      .toBe(true);
  });
});

for (const [width, height] of [
  [1440, 900],
  [1280, 800],
] as const) {
  test(`fits ${width}×${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await runThrough(page);
    await node(page, "answer").click();
    await page.getByTestId("inspector-tab-prompt").click();
    const cut = await page.evaluate(() => {
      const { scrollWidth, scrollHeight, clientWidth, clientHeight } = document.documentElement;
      const bars = [...document.querySelectorAll("header, [role=tablist]")].filter(
        (bar) => bar.scrollWidth > bar.clientWidth + 1,
      );
      return [
        scrollWidth > clientWidth,
        scrollHeight > clientHeight,
        ...bars.map((bar) => bar.outerHTML.slice(0, 120)),
      ];
    });
    expect(cut).toEqual([false, false]);
    const pause = await page.getByTestId("pause-ask").boundingBox();
    expect(pause && pause.y + pause.height).toBeLessThanOrEqual(height);
  });
}
