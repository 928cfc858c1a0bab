/** The conversation on the right, as a column of full height. */
import { findViolations } from "./axe";
import { expect, node, openFlow, TALK_FLOW, takePicture, test } from "./fixture";

test("the conversation moves to the right and back, and stays where it was put", async ({ page, host }) => {
  await openFlow(page, TALK_FLOW);
  await page.getByTestId("chat-right").click();
  const chat = page.getByTestId("chat-column");
  await expect(chat).toBeVisible();
  await expect(page.getByTestId("dock-tab-conversation")).toHaveCount(0);
  await expect(page.getByTestId("dock-tab-timeline")).toHaveAttribute("aria-selected", "true");
  await page.getByTestId("run-button").click();
  await expect(chat.getByTestId("pause-answer")).toBeFocused();
  await page.keyboard.type("Where is my parcel 7731?");
  await page.keyboard.press("Enter");
  await expect(chat).toContainText("It is at the depot");
  // The question and its field are in view, also beside the inspector.
  await node(page, "start").locator("header").click();
  await expect(page.getByTestId("inspector")).toBeVisible();
  await expect(chat.getByTestId("pause-answer")).toBeInViewport({ ratio: 1 });
  const canvas = await page.getByTestId("canvas").boundingBox();
  expect(canvas?.width).toBeGreaterThanOrEqual(300);
  await expect.poll(async () => JSON.stringify(await host.call("settings.get", {}))).toContain('"chat":"right"');
  await page.reload();
  await expect(chat).toBeVisible();
  await chat.getByRole("button", { name: "Show conversation below canvas" }).click();
  await expect(chat).toHaveCount(0);
  await expect(page.getByTestId("dock-tab-conversation")).toHaveAttribute("aria-selected", "true");
});

test("a window without room for the column has the conversation in its dock", async ({ page }) => {
  await openFlow(page, TALK_FLOW);
  await page.getByTestId("chat-right").click();
  await page.setViewportSize({ width: 1000, height: 700 });
  await expect(page.getByTestId("chat-column")).toHaveCount(0);
  await page.getByTestId("run-button").click();
  await expect(page.getByTestId("line-question")).toBeVisible();
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(page.getByTestId("chat-column").getByTestId("pause-answer")).toBeVisible();
});

for (const theme of ["dark", "light"] as const) {
  test.describe(theme, () => {
    test.use({ colorScheme: theme });

    test("the column has no accessibility violations", async ({ page }) => {
      await openFlow(page, TALK_FLOW);
      await page.getByTestId("chat-right").click();
      await page.getByTestId("run-button").click();
      await expect(page.getByTestId("pause-answer")).toBeFocused();
      await page.keyboard.type("Where is my parcel 7731?");
      await page.keyboard.press("Enter");
      await expect(page.getByTestId("chat-column")).toContainText("It is at the depot");
      expect(await findViolations(page)).toEqual([]);
      await takePicture(page, `chat-column-${theme}`);
      await page.setViewportSize({ width: 1100, height: 700 });
      await takePicture(page, `chat-column-medium-${theme}`);
    });
  });
}
