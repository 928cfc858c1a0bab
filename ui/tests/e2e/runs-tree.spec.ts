/** Nested flows: a child opens in place, with a way back; the list of runs unfolds into a tree. */
import { expect, node, test } from "./fixture";

const WAIT = { timeout: 60_000 };

test.beforeEach(async ({ page }) => {
  await page.goto("/?example=sub-flows");
  await expect(node(page, "headline")).toBeVisible();
  await page.getByTestId("run-button").click();
  await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "finished", WAIT);
});

test("a double click opens the child's run, and the crumb leads back", async ({ page }) => {
  await node(page, "headline").dblclick();
  await expect(page.getByTestId("crumb-here")).toHaveText("A headline");
  await expect(node(page, "write")).toBeVisible();
  await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "finished", WAIT);
  // The child's input, and nothing else of its parent.
  await page.getByTestId("dock-tab-conversation").click();
  await expect(page.getByTestId("messages")).toContainText("the town library will open on Sundays");
  await expect(page.getByTestId("messages")).not.toContainText("From May on");

  await page.getByTestId("crumb-0").click();
  await expect(page.getByTestId("viewing-banner")).toHaveCount(0);
  await expect(node(page, "headline")).toBeVisible();
});

test("the inspector opens the child run of a node", async ({ page }) => {
  await node(page, "summary").click();
  await page.getByTestId("inspector-tab-io").click();
  await page.getByTestId("open-child-0").click();
  await expect(page.getByTestId("crumb-here")).toHaveText("A summary");
  await expect(node(page, "sum")).toBeVisible();
  await page.getByTestId("leave-view").click();
  await expect(node(page, "summary")).toBeVisible();
});

test("the list of runs shows the children below their parent, and deletes them with it", async ({ page }) => {
  await page.getByTestId("rail-runs").click();
  const rows = page.locator("[data-testid^=run-row-]");
  await expect(rows).toHaveCount(1);
  const unfold = page.locator("[data-testid^=run-unfold-]");
  await expect(unfold).toHaveText("2 sub-flows");
  await unfold.click();
  await expect(rows).toHaveCount(3);
  // Both start at once, so either may be first.
  const children = async () =>
    (await rows.allTextContents()).slice(1).map((text) => text.match(/^A (headline|summary)/)?.[0]);
  await expect.poll(async () => (await children()).sort()).toEqual(["A headline", "A summary"]);
  await rows.nth(0).hover();
  await page.locator("[data-testid^=run-delete-]").first().click();
  await page.getByRole("button", { name: "Delete run" }).click();
  await expect(rows).toHaveCount(0);
});
