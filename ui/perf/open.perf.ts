/** Opening a large flow: what it costs until all of it is in view, and how much is in the page then. */
import { test } from "@playwright/test";
import { recordCost } from "./cost";
import { gridFlow } from "./flows";

for (const count of [1_000, 5_000]) {
  test(`opening ${count} nodes`, async ({ page, browser }) => {
    await page.addInitScript(
      (text) => localStorage.setItem("/flows/grid.flow.json", text),
      JSON.stringify(gridFlow(count)),
    );
    await page.goto("/");
    await page.getByTestId("start-page").waitFor();
    const cost = await recordCost(browser, page);
    const start = Date.now();
    await page.goto("/?open=%2Fflows%2Fgrid.flow.json");
    await page.locator(".canvas[data-detail=far]").waitFor({ timeout: 170_000 });
    await page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 60_000 })));
    const ms = Date.now() - start;
    const cards = await page.locator(".canvas .card").count();
    const spent = await cost.stop(1);
    const result = { measure: "open", nodes: count, ms, cards, ...spent };
    test.info().annotations.push({ type: "result", description: JSON.stringify(result) });
  });
}
