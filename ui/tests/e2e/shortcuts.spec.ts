import type { Page } from "@playwright/test";
import { findViolations } from "./axe";
import { expect, openFlow, takePicture, test } from "./fixture";

async function openShortcuts(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
  await expect(page.getByTestId("shortcuts-search")).toBeVisible();
}

/** Opens the field that takes the keys of a command. */
async function record(page: Page, command: string): Promise<void> {
  await page.getByRole("button", { name: `Change shortcut of ${command}`, exact: true }).click();
  await expect(page.getByTestId("shortcut-recorder")).toBeFocused();
}

test("a letter that is a shortcut can still be typed into fields", async ({ page }) => {
  await openFlow(page);
  await openShortcuts(page);
  await page.getByTestId("shortcuts-search").fill("Save");
  await record(page, "Save");
  await page.keyboard.press("q");
  await expect(page.getByTestId("shortcut-flow.save")).toContainText("Q");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("quit");
  await expect(page.getByTestId("command-palette").getByRole("combobox")).toHaveValue("quit");
  await page.keyboard.press("Escape");
});

test("shortcuts are searched, changed, taken over, removed and reset", async ({ page, host }) => {
  await openFlow(page);
  await openShortcuts(page);
  await page.getByTestId("shortcuts-search").fill("ctrl+s");
  await expect(page.getByTestId("shortcut-flow.save")).toBeVisible();
  await expect(page.getByTestId("shortcut-edit.undo")).toHaveCount(0);

  // A conflict names the other command. Escape leaves the field, and not the dialog.
  await page.getByTestId("shortcuts-search").fill("toggle dock");
  await record(page, "Toggle dock");
  await page.keyboard.press("Control+s");
  await expect(page.getByRole("alert")).toHaveText("Ctrl+S is used by Save.");
  expect(await findViolations(page, { within: '[data-testid="shortcuts-help"]' })).toEqual([]);
  await takePicture(page, "shortcuts");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("shortcut-recorder")).toHaveCount(0);
  await expect(page.getByTestId("shortcut-view.fold.dock")).toContainText("Ctrl+J");

  await record(page, "Toggle dock");
  await page.keyboard.press("Control+s");
  await page.getByTestId("shortcut-take-over").click();
  await expect(page.getByTestId("shortcut-view.fold.dock")).toContainText("Ctrl+S");
  await page.getByTestId("shortcuts-search").fill("Save");
  await expect(page.getByTestId("shortcut-flow.save").locator("kbd")).toHaveCount(0);
  await record(page, "Save");
  await page.keyboard.press("Alt+Shift+s");
  await expect(page.getByTestId("shortcut-flow.save")).toContainText("Alt+Shift+S");
  await page.getByTestId("shortcuts-search").fill("command palette");
  await page.getByRole("button", { name: "Remove shortcut of Command palette", exact: true }).click();
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("shortcuts-help")).toHaveCount(0);

  // The keys do what they were given to, also after a reload, and are shown.
  await expect.poll(() => host.settings()).toContain('"help.palette":[]');
  await page.reload();
  await expect(page.getByTestId("flow-name")).toBeVisible();
  const dock = page.getByRole("button", { name: "Dock", exact: true });
  await expect(dock).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("Control+s");
  await expect(dock).toHaveAttribute("aria-pressed", "false");
  await page.keyboard.press("Control+k");
  await expect(page.getByTestId("command-palette")).toHaveCount(0);
  await expect(page.getByTestId("palette-button").locator("kbd")).toHaveCount(0);
  await page.getByTestId("save-button").hover();
  await expect(page.locator("kbd", { hasText: "Alt+Shift+S" })).toBeVisible();
  await page.getByTestId("palette-button").click();
  await page.keyboard.type("toggle dock");
  await expect(page.getByTestId("command-view.fold.dock")).toContainText("Ctrl+S");
  await page.keyboard.press("Escape");

  await openShortcuts(page);
  await page.getByTestId("shortcuts-reset").click();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await expect(page.getByTestId("command-palette")).toBeVisible();
});
