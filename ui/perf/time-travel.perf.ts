/** Going through the past of a run of 100,000 events: the first look back, and then positions all over the journal. */
import { expect, type Page, test } from "@playwright/test";
import { gridFlow, openFlow } from "./flows";
import type { Load } from "./load";
import { recordTasks, type Tasks } from "./tasks";

/** Partial output is not in the journal: of many streams, more events make the same number. */
const LOADS: Record<string, Load> = {
  streams: { eventsPerSecond: 20_000, seconds: 9.5, streams: 50 },
  conversation: { eventsPerSecond: 20_000, seconds: 0, streams: 2, turns: 11_112 },
};
const MIN_EVENTS = 100_000;
const POSITIONS = 60;

for (const [kind, load] of Object.entries(LOADS)) {
  test(`100,000 events of ${kind}, any of them`, async ({ page }) => {
    await openFlow(page, gridFlow(load.streams, load));
    await page.getByTestId("run-button").click();
    await page.locator("[data-testid=run-status][data-status=finished]").waitFor({ timeout: 120_000 });
    const events = Number(await page.getByTestId("time-slider").getAttribute("max"));
    expect(events).toBeGreaterThanOrEqual(MIN_EVENTS);
    // The last event but one needs all before it.
    const open = await visit(page, [events - 1]);
    const positions = await visit(page, positionsIn(events));
    const result = { measure: "time-travel", kind, events, open, positions };
    test.info().annotations.push({ type: "result", description: JSON.stringify(result) });
  });
}

/** Places that are far apart. */
function positionsIn(events: number): number[] {
  const step = Math.floor(events * 0.618);
  return Array.from({ length: POSITIONS }, (_, index) => 1 + ((index * step) % (events - 1)));
}

/** Moves the slider to each position: the milliseconds until it was painted, and the longest task on the way. */
async function visit(
  page: Page,
  positions: readonly number[],
): Promise<{ middleMs?: number; worstMs?: number } & Tasks> {
  const tasks = await recordTasks(page);
  const times = await page.evaluate(async (wanted) => {
    const slider = document.querySelector<HTMLInputElement>("[data-testid=time-slider]");
    const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
    const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const times: number[] = [];
    for (const position of wanted) {
      await painted();
      const start = performance.now();
      setValue?.call(slider, String(position));
      slider?.dispatchEvent(new Event("input", { bubbles: true }));
      await painted();
      times.push(performance.now() - start);
      const shown = document.querySelector("[data-testid=time-position] b")?.textContent;
      if (!shown?.includes(position.toLocaleString("en"))) throw new Error(`${shown} is shown, not ${position}.`);
    }
    return times.sort((a, b) => a - b);
  }, positions);
  return { middleMs: times[times.length >> 1], worstMs: times.at(-1), ...(await tasks.stop()) };
}
