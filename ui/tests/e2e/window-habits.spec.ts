/** The window behaves as one of the desktop, not as a page of a browser: menus, keys, title, dialogs and palette. */
import type { Page } from "@playwright/test";
import { CHAT_FLOW, expect, node, openFlow, savedFlow, TEST_FILE, test } from "./fixture";

async function rename(page: Page, id: string, name: string): Promise<void> {
  await node(page, id).click();
  await page.getByTestId("node-title").fill(name);
  await page.keyboard.press("Enter");
  await expect(node(page, id)).toContainText(name);
}

test("reload and the page’s search and menu are not there, and nothing asks whether to leave", async ({ page }) => {
  await openFlow(page);
  await rename(page, "ask", "Mine");
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.type());
    void dialog.dismiss();
  });
  await page.evaluate(() => {
    const kept: string[] = [];
    Object.assign(window, { kept });
    const note = (event: Event) => {
      const name = event instanceof KeyboardEvent ? event.key : event.type;
      setTimeout(() => kept.push(`${name} ${event.defaultPrevented}`));
    };
    window.addEventListener("keydown", note);
    window.addEventListener("contextmenu", note);
  });
  for (const keys of ["F5", "Control+r", "Control+Shift+r", "Control+p"]) await page.keyboard.press(keys);
  // The window searches in place of the browser.
  await page.keyboard.press("Control+f");
  await expect(page.getByRole("dialog", { name: "Search this flow" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("command-palette")).toHaveCount(0);
  await page.getByTestId("flow-name").click({ button: "right" });
  const kept = () => page.evaluate(() => (window as unknown as { kept: string[] }).kept);
  await expect.poll(kept).toContain("contextmenu true");
  for (const key of ["F5 true", "r true", "f true", "p true"]) expect(await kept()).toContain(key);
  // The page is still the same one, with its unsaved change.
  await expect(node(page, "ask")).toContainText("Mine");
  expect(dialogs).toEqual([]);
  await page.getByTestId("node-title").click({ button: "right" });
  await expect.poll(kept).toContain("contextmenu false");
});

test("the window’s title is the flow and its changes", async ({ page }) => {
  await page.goto("/");
  await expect(page).toHaveTitle("Plait");
  await openFlow(page);
  await expect(page).toHaveTitle("Support triage – Plait");
  await rename(page, "ask", "Mine");
  await expect(page).toHaveTitle("• Support triage – Plait");
  await savedFlow(page);
  await expect(page).toHaveTitle("Support triage – Plait");
  await page.keyboard.press("Control+t");
  await expect(page).toHaveTitle("Plait");
});

test("Enter in a dialog presses its main button, at the right end; Cancel where nothing may be lost", async ({
  page,
}) => {
  await openFlow(page);
  await rename(page, "ask", "Mine");
  await page.keyboard.press("Control+w");
  const dialog = page.getByTestId("ask-dialog");
  await expect(dialog.getByRole("button")).toHaveText(["Cancel", "Don’t save", "Save"]);
  await expect(page.getByTestId("ask-save")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(dialog).toHaveCount(0);
  await expect(page.getByTestId("start-page")).toBeVisible();

  await page.goto(`/?open=${encodeURIComponent(TEST_FILE)}`);
  await expect(node(page, "ask")).toContainText("Mine");
  await page.getByTestId("rail-flows").click();
  await page.getByTestId("flows-flow.saveTemplate").click();
  await page.keyboard.press("Control+t");
  await page
    .getByRole("button", { name: /^Delete / })
    .first()
    .click();
  await expect(dialog.getByRole("button")).toHaveText(["Cancel", "Delete template"]);
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Delete / })).not.toHaveCount(0);
});

test("the command palette has node types first for what begins the name of one", async ({ page }) => {
  await openFlow(page);
  await node(page, "ask").locator(".summary").click();
  await page.keyboard.press("Control+k");
  const items = page.getByTestId("command-palette").getByRole("option");
  await expect(page.getByTestId("menu-field")).toBeFocused();
  await page.keyboard.type("re");
  await expect(items.first()).toHaveAttribute("data-testid", /^command-add-re/);
  await expect(page.getByTestId("command-edit.rename")).toBeVisible();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("save");
  await expect(items.first()).toHaveAttribute("data-testid", "command-flow.save");
});

test("Enter in the dialog that connects removes no edge", async ({ page }) => {
  await openFlow(page);
  await node(page, "ask").locator(".summary").click();
  await page.keyboard.press("c");
  await expect(page.getByTestId("connect-dialog")).toBeVisible();
  await page.keyboard.type("context start");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  expect((await savedFlow(page)).edges).toEqual(CHAT_FLOW.edges);
});
