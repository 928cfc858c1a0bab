/** The guide in the window: the pages of `docs/`, their search and links. */
import type { Page } from "@playwright/test";
import { findViolations } from "./axe";
import { CHAT_FLOW, expect, node, openFlow, takePicture, test } from "./fixture";

const guide = (page: Page) => page.getByTestId("guide");
const text = (page: Page) => page.getByTestId("guide-text");

test.describe("the guide", () => {
  test("opens with F1, finds, leads on and back, and closes with Escape", async ({ page }) => {
    await openFlow(page, CHAT_FLOW);
    await node(page, "answer").click();
    await page.keyboard.press("F1");
    const title = text(page).getByRole("heading", { level: 1 });
    await expect(title).toHaveText("Your first flow");
    await expect(title).toHaveCSS("font-size", "22px");
    await page.getByTestId("guide-search").fill("pinned turns");
    await page.getByTestId("guide-result").filter({ hasText: "Pinned turns" }).first().click();
    const heading = text(page).getByRole("heading", { name: "Pinned turns" });
    await expect(heading).toBeInViewport();
    await expect(heading).toBeFocused();
    await text(page).getByRole("link", { name: "Configuration", exact: true }).first().click();
    await expect(text(page).getByRole("heading", { level: 1 })).toHaveText("Configuration");
    await page.keyboard.press("Alt+ArrowLeft");
    await expect(text(page).getByRole("heading", { level: 1 })).toHaveText("Loops");
    await page.getByRole("button", { name: "Forward" }).click();
    await expect(text(page).getByRole("heading", { level: 1 })).toHaveText("Configuration");
    await page.keyboard.press("Escape");
    await expect(guide(page)).toHaveCount(0);
    await expect(node(page, "answer")).toBeVisible();
  });

  test("shows the images of its pages", async ({ page }) => {
    await openFlow(page, CHAT_FLOW);
    await page.keyboard.press("F1");
    const image = text(page).getByRole("img", { name: "The flow after its run" });
    await image.scrollIntoViewIfNeeded();
    await expect.poll(() => image.evaluate((drawn) => (drawn as HTMLImageElement).naturalWidth)).toBe(1440);
    const [box, around] = [await image.boundingBox(), await text(page).boundingBox()];
    expect(box?.width).toBeLessThanOrEqual(around?.width ?? 0);
    await takePicture(page, "guide");
  });

  test("keys in it do nothing to the flow below", async ({ page }) => {
    await openFlow(page, CHAT_FLOW);
    await node(page, "answer").click();
    await page.keyboard.press("F1");
    await text(page).getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("Delete");
    await page.keyboard.press("Escape");
    await expect(guide(page)).toHaveCount(0);
    await expect(node(page, "answer")).toBeVisible();
  });

  test("makes way for a panel, and opens where it was left", async ({ page }) => {
    await openFlow(page, CHAT_FLOW);
    await page.keyboard.press("F1");
    await guide(page).getByRole("navigation").getByRole("button", { name: "Contexts", exact: true }).click();
    await page.getByTestId("rail-runs").click();
    await expect(guide(page)).toHaveCount(0);
    await page.keyboard.press("F1");
    await expect(text(page).getByRole("heading", { level: 1 })).toHaveText("Contexts");
    await expect(text(page).locator("kbd")).toHaveCount(0);
    await page.getByRole("button", { name: "Next page: Cycles and loops" }).click();
    await expect(text(page).locator("kbd").first()).toHaveText("Ctrl");
  });

  test("shows a node's reference from its help, and the address of a page outside", async ({ page }) => {
    const flow = {
      ...CHAT_FLOW,
      nodes: { ...CHAT_FLOW.nodes, query: { type: "json" } },
      layout: { ...CHAT_FLOW.layout, query: { x: 548, y: 260 } },
    };
    await openFlow(page, flow);
    await page.locator('.react-flow__node[data-id="query"]').click();
    await page.getByRole("button", { name: "Open in the guide" }).click();
    await expect(text(page).getByRole("heading", { name: "JSON query" })).toBeInViewport();
    await text(page).getByRole("link", { name: "jq" }).first().click();
    await expect(guide(page).getByRole("status").first()).toHaveText("Address copied: https://jqlang.org/manual/");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("https://jqlang.org/manual/");
  });

  test("explains the code of a problem", async ({ page }) => {
    const { start: _, ...nodes } = CHAT_FLOW.nodes;
    await openFlow(page, { ...CHAT_FLOW, nodes, edges: {}, layout: {} });
    await page.keyboard.press("Alt+Shift+4");
    const problem = page.getByTestId("problem").first();
    const code = (await problem.getAttribute("data-code")) ?? "";
    await problem.getByTestId("explain-error").click();
    const row = text(page).locator("tr[data-found]");
    await expect(row).toBeInViewport();
    await expect(row.locator("code").first()).toHaveText(code);
  });

  for (const theme of ["dark", "light"] as const) {
    test(`has no accessibility problems in the ${theme} theme`, async ({ page }) => {
      await page.emulateMedia({ colorScheme: theme });
      await openFlow(page, CHAT_FLOW);
      await page.keyboard.press("F1");
      for (const name of ["Your first flow", "Tools", "Nodes"]) {
        await guide(page).getByRole("navigation").getByRole("button", { name, exact: true }).click();
        await expect(text(page).getByRole("heading", { level: 1 })).toHaveText(name);
        expect(await findViolations(page, { within: '[data-testid="guide"]' })).toEqual([]);
      }
    });
  }
});
