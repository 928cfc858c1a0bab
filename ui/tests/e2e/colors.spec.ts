import { expect, intoView, node, openFlow, savedFlow, test } from "./fixture";

test("nodes get a color from the menu and the inspector, which undo takes away", async ({ page }) => {
  await openFlow(page);
  await node(page, "ask").locator(".summary").click();
  const answer = await intoView(page, node(page, "answer"));
  await answer.locator(".summary").click({ modifiers: ["Shift"] });
  await node(page, "answer").locator(".summary").click({ button: "right" });
  await page.getByTestId("menu-color.blue").click();
  await expect(node(page, "ask")).toHaveAttribute("data-color", "blue");
  const { layout } = await savedFlow(page);
  expect([layout.ask?.color, layout.answer?.color, layout.start?.color]).toEqual(["blue", "blue", undefined]);

  await (await intoView(page, node(page, "start"))).locator(".summary").click();
  await page.getByTestId("color-amber").click();
  await expect(node(page, "start")).toHaveAttribute("data-color", "amber");
  await expect(page.getByTestId("color-amber")).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("Control+z");
  await expect(node(page, "start")).not.toHaveAttribute("data-color", /./);
  await expect(node(page, "ask")).toHaveAttribute("data-color", "blue");
});
