/** The name of a run can be read wherever there is little room for it. */
import { drag, expect, middle, runToEnd, test } from "./fixture";

const NAME = "Quarterly triage of parcels";
const LEAST_LETTERS = 12;

test("in the narrowest panel, the name of a run has at least twelve letters", async ({ page, host }) => {
  const nodes = { word: { type: "value", config: { value: "x" } } };
  await runToEnd(host, { version: 1, name: NAME, nodes, edges: {}, layout: {} });
  // Its time is as long as times are.
  await page.clock.setFixedTime(Date.now() + 12 * 60_000);
  await page.goto("/");
  await page.getByTestId("rail-runs").click();
  const name = page.locator("[data-testid^=run-row-] b").first();
  await expect(name).toHaveText(NAME);
  await expect(page.locator("[data-testid^=run-row-] time").first()).toHaveText("12 min. ago");
  const seam = page.getByRole("separator", { name: "Resize left panel" });
  const { x, y } = await middle(seam);
  await drag(page, seam, { x: x - 30, y });
  // The width of as many letters of the same font.
  const [shown, least] = await name.evaluate((element, letters) => {
    const copy = element.cloneNode() as HTMLElement;
    copy.textContent = element.textContent?.slice(0, letters) ?? "";
    copy.style.cssText = "position: absolute; min-width: 0";
    element.after(copy);
    const width = copy.getBoundingClientRect().width;
    copy.remove();
    return [element.getBoundingClientRect().width, width];
  }, LEAST_LETTERS);
  expect(shown).toBeGreaterThanOrEqual(least ?? 0);
});
