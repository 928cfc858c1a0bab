/**
 * 10,000 events a second for 10 seconds: checks that nothing is lost or out of order on screen, and measures frame times.
 */
import { chromium, expect, type Page, test } from "@playwright/test";
import { gridFlow, openFlow } from "./flows";
import { recordFrames } from "./frames";
import { generate, type Load } from "./load";
import { recordTasks } from "./tasks";

const LOAD: Load = { eventsPerSecond: 10_000, seconds: 10, streams: 50 };

for (const tab of ["events", "conversation", "timeline"]) {
  test(`10,000 events a second, ${tab} in view`, async ({ page, launchOptions }) => {
    // A browser of its own: pages of one browser share a process that puts frames together.
    const other = await chromium.launch(launchOptions);
    const empty = await other.newPage();
    const flow = gridFlow(LOAD.streams, LOAD);
    await openFlow(page, flow);
    await page.getByTestId(`dock-tab-${tab}`).click();
    const tasks = await recordTasks(page);
    const emptyRecorded = await recordFrames(empty);
    const recorded = await recordFrames(page);
    await page.getByTestId("run-button").click();
    const disorder = await watchOrder(page);
    const frames = await recorded.stop();
    const emptyPage = await emptyRecorded.stop();
    const ours = await tasks.stop();
    await other.close();
    await page.getByTestId("dock-tab-events").click();
    const expected = expectation(Object.keys(flow.nodes));
    await expect(page.getByTestId("events-shown")).toHaveText(expected.events.toLocaleString("en"));
    await expect(page.getByTestId("event").last()).toHaveAttribute("data-seq", String(expected.events - 1));
    // Cards say it, tiles do not.
    await page.getByTestId("zoom-level").click();
    await page.locator("[data-testid=node-n2] .epoch").waitFor({ state: "attached" });
    const iterations = await page.evaluate(
      (ids) => ids.map((id) => document.querySelector(`[data-testid=node-${id}] .epoch`)?.textContent ?? "not drawn"),
      ["n0", "n1", "n2"],
    );
    expect(iterations).toEqual(["n0", "n1", "n2"].map((id) => `#${expected.iterations.get(id)}`));
    expect(disorder).toEqual([]);
    const result = { measure: "events", tab, ...LOAD, journal: expected.events, lost: 0, disorder: 0 };
    const measured = { ...result, ...frames, ...ours, emptyPage };
    test.info().annotations.push({ type: "result", description: JSON.stringify(measured) });
  });
}

/** Samples the visible event rows until the run is over, and reports rows that are out of order. */
async function watchOrder(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const found: string[] = [];
    let highest = -1;
    const isOver = () => document.querySelector("[data-testid=run-status][data-status=finished]") !== null;
    const end = performance.now() + 90_000;
    while (!isOver() && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      const rows = [...document.querySelectorAll<HTMLElement>("[data-testid=event]")].map((row) =>
        Number(row.dataset.seq),
      );
      for (let at = 1; at < rows.length; at++) {
        if (rows[at] !== (rows[at - 1] ?? 0) + 1) found.push(`${rows[at - 1]} then ${rows[at]}`);
      }
      const last = rows.at(-1) ?? highest;
      if (last < highest) found.push(`back from ${highest} to ${last}`);
      highest = Math.max(highest, last);
    }
    if (!isOver()) found.push("the run did not end");
    return found;
  });
}

/** The expected final state: the length of the journal and the iteration of each node. */
function expectation(ids: string[]): { events: number; iterations: Map<string, number> } {
  const iterations = new Map<string, number>();
  // The beginning and the end of the run.
  let events = 2;
  const generated = generate(ids, LOAD.streams);
  for (let count = 0; count < LOAD.eventsPerSecond * LOAD.seconds; count++) {
    const event = generated.next().value as { type: string; node: string; epoch: number[] };
    if (event.type !== "node.delta") events += 1;
    iterations.set(event.node, (event.epoch[0] ?? 0) + 1);
  }
  return { events, iterations };
}
