import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { findViolations } from "./axe";
import { expect, filePath, openFlow, test } from "./fixture";

const QUESTION = "Where is my parcel 7731?";
const rows = (page: Page) => page.getByTestId("conversations").getByRole("listitem");

async function say(page: Page, text: string): Promise<void> {
  await page.getByTestId("run-button").click();
  await expect(page.getByTestId("run-status")).toHaveText("Waiting for you · iteration 1");
  await page.getByTestId("pause-answer").fill(text);
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("run-status")).toHaveText("Waiting for you · iteration 2");
  await page.getByTestId("pause-end").click();
  await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "finished");
}

async function hover(page: Page, index: number): Promise<void> {
  await rows(page).nth(index).hover();
}

async function expectAccessible(page: Page, what: string): Promise<void> {
  const parts = ['section[aria-label="Left panel"]'];
  if (await page.getByTestId("conversation-chip").isVisible()) parts.push('[data-testid="conversation-chip"]');
  expect(await findViolations(page, { within: parts }), what).toEqual([]);
}

test("a conversation is created, continued, searched, renamed, forked, exported and deleted", async ({ page }) => {
  test.slow();
  await openFlow(page);
  // Without a conversation a run remembers nothing, and none begins automatically.
  await say(page, QUESTION);
  await page.getByTestId("rail-conversations").click();
  await expect(page.getByText("No conversations yet")).toBeVisible();
  await expect(page.getByTestId("conversation-chip")).toHaveCount(0);
  await expectAccessible(page, "no conversations");

  await page.getByTestId("conversation-begin").click();
  await expect(page.getByTestId("conversation-chip")).toHaveText("New conversation");
  await say(page, QUESTION);
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page).first()).toContainText("2 messages");
  await expect(rows(page).first()).toContainText(QUESTION);

  // The next run continues it, until the conversation is left.
  await say(page, "It was due on Monday.");
  await expect(rows(page).first()).toContainText("4 messages");
  await expect(rows(page).first().getByTestId("conversation-spent")).toHaveText(
    /^\S.* for \d[\d,]* tokens in \d+ calls?$/,
  );
  await page.getByTestId("conversation-leave").click();
  await say(page, "Sent elsewhere");
  await expect(rows(page).first()).toContainText("4 messages");

  // After a reload it is there, and continues only when a person says so.
  await page.reload();
  await expect(rows(page)).toHaveCount(1);
  await expect(page.getByTestId("conversation-chip")).toHaveCount(0);
  await hover(page, 0);
  await page.getByTestId(/^conversation-continue-/).click();
  await expect(rows(page).first()).toContainText("The next run continues here");

  await hover(page, 0);
  await page.getByTestId(/^conversation-rename-/).click();
  await page.getByTestId("conversation-title").fill("Parcels");
  await page.keyboard.press("Enter");
  await expect(rows(page).first()).toContainText("Parcels");
  await expect(page.getByTestId("conversation-chip")).toContainText("Parcels");

  await page.getByTestId("conversations-search").fill("nobody said this");
  await expect(page.getByText("No matches")).toBeVisible();
  await page.getByTestId("conversations-search").fill("monday parcel");
  await expect(rows(page)).toHaveCount(1);
  await expectAccessible(page, "the list");

  // A fork from a question has what came before it.
  await rows(page)
    .first()
    .getByRole("button", { name: /Parcels/ })
    .click();
  await expect(page.getByTestId("conversation-messages").getByRole("listitem")).toHaveCount(4);
  await expectAccessible(page, "the messages");
  await page.getByTestId("conversation-fork-2").click();
  await expect(page.getByTestId("conversation-messages").getByRole("listitem")).toHaveCount(2);
  await expect(page.getByTestId("conversation-chip")).toContainText("Parcels (fork)");
  await page.getByRole("button", { name: "Back to conversations" }).click();
  await page.getByTestId("conversations-search").fill("");
  await expect(rows(page)).toHaveCount(2);

  await hover(page, 1);
  await rows(page)
    .nth(1)
    .getByTestId(/^conversation-export-/)
    .click();
  await page.getByTestId("ask-markdown").click();
  await page.getByTestId("file-dialog-path").fill(filePath("parcels.md"));
  await page.getByTestId("file-dialog-ok").click();
  await expect(page.getByText(`Exported to ${filePath("parcels.md")}`)).toBeVisible();
  expect(readFileSync(filePath("parcels.md"), "utf8")).toContain(
    `# Parcels\n\nWith the flow *Support triage*.\n\n## User\n\n${QUESTION}\n`,
  );

  await hover(page, 0);
  await rows(page)
    .first()
    .getByTestId(/^conversation-delete-/)
    .click();
  await expect(page.getByTestId("ask-dialog")).toContainText("all 2 messages of “Parcels (fork)”");
  await page.getByTestId("ask-delete").click();
  await expect(rows(page)).toHaveCount(1);
  await expect(page.getByTestId("conversation-chip")).toHaveCount(0);
});

test("can be controlled by keyboard", async ({ page }) => {
  await openFlow(page);
  await page.keyboard.press("Alt+4");
  await page.getByTestId("conversation-begin").focus();
  await page.keyboard.press("Enter");
  await expect(rows(page)).toHaveCount(1);
  await rows(page).first().getByRole("button").first().focus();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Rename" })).toBeFocused();
});
