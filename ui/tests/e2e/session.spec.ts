/** The window begins where it was left. */
import { expect, node, openFlow, test } from "./fixture";

test("opens the last flow again, with its view, its dock tab and its panels", async ({ page }) => {
  await openFlow(page);
  await page.getByTestId("dock-tab-events").click();
  await node(page, "answer").click();
  for (let press = 0; press < 4; press += 1) await page.keyboard.press("Control+ArrowRight");
  const view = () =>
    page.locator(".react-flow__viewport").evaluate((element) => (element as HTMLElement).style.transform);
  const left = await view();
  const stored = () => page.evaluate(() => JSON.stringify({ ...localStorage }));
  const [, x = ""] = /translate\((-?[\d.]+)px/.exec(left) ?? [];
  await expect.poll(stored).toContain(x);
  await page.goto("/");
  await expect(page.getByTestId("flow-name")).toHaveText("Support triage");
  await expect.poll(view).toBe(left);
  await expect(page.getByTestId("dock-tab-events")).toHaveAttribute("aria-selected", "true");
});

test("begins empty when the last flow had no file", async ({ page }) => {
  await openFlow(page);
  const settings = () => page.evaluate(() => localStorage.getItem("plait.mock-host.settings"));
  await expect.poll(settings).toContain("test.flow.json");
  await page.goto("/?example=hello");
  await expect(page.locator(".canvas .card").first()).toBeVisible();
  await expect.poll(settings).not.toContain("test.flow.json");
  await page.goto("/");
  await expect(page.getByTestId("empty-canvas")).toBeVisible();
});
