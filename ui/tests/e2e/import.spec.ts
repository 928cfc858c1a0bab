import { expect, test } from "./fixture";

test("an imported file opens unsaved, with a report and placeholders that can't run", async ({ page }) => {
  await page.goto("/");
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("Import");
  await page.keyboard.press("Enter");
  await page.getByTestId("file-dialog-path").fill("/flows/mail.json");
  await page.getByTestId("file-dialog-ok").click();

  const dialog = page.getByTestId("import-dialog");
  await expect(dialog).toContainText("Imported from n8n");
  await expect(dialog).toContainText("1 of 2 nodes were translated. 1 of 1 edges were kept.");
  await expect(dialog).toContainText("Placeholders to replace");
  await expect(dialog).toContainText("Plait has no node for this service.");
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(dialog).toBeHidden();

  await expect(page.locator(".react-flow__node", { hasText: "Send mail" })).toBeVisible();
  // It was never saved, so a new flow asks first.
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("New flow");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("ask-dialog")).toContainText("Save changes");
});
