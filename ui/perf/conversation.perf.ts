/** A conversation of 1,000 turns: do its messages and its timeline scroll smoothly, and how much of them is in the page? */
import { expect, type Locator, type Page, test } from "@playwright/test";
import { gridFlow, openFlow } from "./flows";
import { type Frames, recordFrames } from "./frames";
import { recordTasks, type Tasks } from "./tasks";

const TURNS = 1_000;
const SECONDS = 4;

test(`${TURNS} turns`, async ({ page }) => {
  await openFlow(page, gridFlow(2, { eventsPerSecond: 5_000, seconds: 0, streams: 0, turns: TURNS }));
  await page.getByTestId("dock-tab-conversation").click();
  await page.getByTestId("run-button").click();
  await page.locator("[data-testid=run-status][data-status=finished]").waitFor();
  const last = page.getByTestId("messages").getByText(`at depot ${TURNS - 1}`);
  await expect(last).toBeVisible();
  const conversation = await scroll(page, page.getByTestId("messages"), 0);
  const rows = await page.getByTestId("messages").locator("[data-index]").count();
  await page.getByTestId("dock-tab-timeline").click();
  const timeline = page.getByTestId("timeline");
  for (let step = 0; step < 8; step++)
    await page.getByTestId("part-dock").getByRole("button", { name: "Zoom in" }).click();
  const scrolled = await scroll(page, timeline, 1);
  const result = { measure: "conversation", turns: TURNS, rows, messages: conversation, timeline: scrolled };
  test.info().annotations.push({ type: "result", description: JSON.stringify(result) });
});

/** Turns the wheel to and fro, as a hand does. */
async function scroll(page: Page, box: Locator, axis: 0 | 1): Promise<Frames & Tasks> {
  await box.hover();
  const tasks = await recordTasks(page);
  const recorded = await recordFrames(page);
  const end = Date.now() + SECONDS * 1000;
  for (let turn = 0; Date.now() < end; turn++) {
    const by = turn % 40 < 30 ? -240 : 480;
    await page.mouse.wheel(axis === 1 ? by : 0, axis === 1 ? 0 : by);
    await page.waitForTimeout(16);
  }
  return { ...(await recorded.stop()), ...(await tasks.stop()) };
}
