import type { Page } from "@playwright/test";
import type { MemoryContent } from "../../src/bindings";
import { findViolations } from "./axe";
import { expect, openFlow, runToEnd, type TestHost, test } from "./fixture";

const TEXTS: MemoryContent[] = [
  { kind: "fact", text: "The customer prefers messages by email." },
  { kind: "fact", text: "Refunds over $50 need approval." },
  { kind: "episode", text: "Held a parcel after two questions." },
  {
    kind: "procedure",
    text: "Promise a delivery date",
    steps: ["Call track_parcel", "Ask the depot if it is late", "Name the day, not the hour"],
  },
];

/** Four memories that a person wrote, then one that a flow stored. */
async function remember(host: TestHost): Promise<void> {
  for (const content of TEXTS) await host.call("memories.add", { content });
  await runToEnd(host, {
    version: 1,
    name: "Support triage",
    nodes: {
      text: { type: "text", config: { template: "Parcel 7731 is on hold until Thursday." } },
      learn: { type: "remember" },
    },
    edges: { a: { source: "text", sourceOutput: "text", target: "learn", targetInput: "value" } },
    layout: {},
  });
}

test.beforeEach(({ host }) => remember(host));

async function expectAccessible(page: Page, what: string): Promise<void> {
  expect(await findViolations(page, { within: 'section[aria-label="Left panel"]' }), what).toEqual([]);
}

test("memories are read by kind, searched, corrected and erased", async ({ page }) => {
  await openFlow(page);
  await page.getByTestId("rail-memory").click();
  const rows = page.getByTestId("memory-row");
  await expect(page.getByTestId("memory-count")).toHaveText("5");
  await expect(page.getByTestId("memory-kind-fact")).toHaveText("Facts 3");
  await expect(rows).toHaveCount(3);
  await expect(rows.first()).toContainText("Parcel 7731 is on hold until Thursday.");
  await expect(rows.first()).toContainText("Support triage · learn");
  await expectAccessible(page, "list");

  await page.getByTestId("memory-search").fill("email");
  await expect(rows).toHaveCount(1);
  await page.getByRole("button", { name: "Edit “The customer prefers" }).click();
  await page.getByTestId("memory-form-text").fill("The customer prefers phone calls.");
  await expectAccessible(page, "form");
  await page.getByTestId("memory-save").click();
  await expect(page.getByTestId("memory-form")).toHaveCount(0);
  await page.getByTestId("memory-search").fill("phone");
  await expect(rows).toContainText(["The customer prefers phone calls."]);
  await expect(rows).toContainText(["edited"]);

  await page.getByTestId("memory-search").fill("");
  await expect(rows).toHaveCount(3);
  await expect(page.getByTestId("memory-erase")).toBeDisabled();
  await page.getByLabel("Select “Refunds").check();
  await page.getByTestId("memory-erase").click();
  await expect(page.getByText("Erase 1 memory?")).toBeVisible();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(rows).toHaveCount(3);
  await page.getByTestId("memory-erase").click();
  await page.getByTestId("ask-erase").click();
  await expect(rows).toHaveCount(2);
  await expect(page.getByText("Refunds over $50")).toHaveCount(0);
  await expect(page.getByTestId("memory-count")).toHaveText("4");

  await page.getByTestId("memory-kind-procedure").click();
  await expect(rows).toContainText(["Ask the depot if it is late"]);
});

test("a procedure is added and memories are exported", async ({ page }) => {
  await openFlow(page);
  await page.keyboard.press("Alt+8");
  await page.getByTestId("memory-add").click();
  await expect(page.getByTestId("memory-save")).toBeDisabled();
  await page.getByTestId("memory-form-kind").selectOption("procedure");
  await page.getByTestId("memory-form-text").fill("Book a trip");
  await expect(page.getByTestId("memory-save")).toBeDisabled();
  await page.getByTestId("memory-form-steps").fill("Ask for the date\nSearch for trains");
  await page.getByTestId("memory-save").click();
  await expect(page.getByTestId("memory-kind-procedure")).toHaveText("Procedures 2");
  await expect(page.getByTestId("memory-row").first()).toContainText("Search for trains");

  await page.getByTestId("memory-export").click();
  await page.getByTestId("ask-markdown").click();
  await page.getByTestId("file-dialog-ok").click();
  await expect(page.getByText("Exported 6 memories to")).toBeVisible();
});

test("each user has memories of their own", async ({ page }) => {
  await openFlow(page);
  await page.getByTestId("rail-memory").click();
  await expect(page.getByTestId("memory-user")).toHaveValue("local");
  await page.getByTestId("user-add").click();
  await page.getByTestId("user-name").fill("Local");
  await page.getByTestId("user-submit").click();
  await expect(page.getByRole("alert")).toContainText("already a user");
  await page.getByTestId("user-name").fill("ada");
  await page.getByTestId("user-submit").click();
  await expect(page.getByTestId("memory-user")).toHaveValue("ada");
  await expect(page.getByText("No memories yet")).toBeVisible();
  await expectAccessible(page, "empty");

  // The rail, and the palette.
  await page.getByTestId("rail-user").click();
  await page.getByTestId("user-local").click();
  await expect(page.getByTestId("memory-row")).toHaveCount(3);
  await page.keyboard.press("Control+k");
  await page.getByTestId("menu-field").fill("switch ada");
  await page.getByTestId("command-user-ada").click();
  await expect(page.getByTestId("memory-user")).toHaveValue("ada");

  await page.getByTestId("user-remove").click();
  await page.getByTestId("ask-local").click();
  await expect(page.getByText("Remove the user “local”?")).toBeVisible();
  await page.getByTestId("ask-remove").click();
  await expect(page.getByTestId("memory-user").locator("option")).toHaveCount(1);
  await expect(page.getByTestId("user-remove")).toBeDisabled();
});
