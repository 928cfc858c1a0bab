/** A run is exported as one file, opened again, and replayed without network. */
import { stat } from "node:fs/promises";
import type { Page } from "@playwright/test";
import type { Flow } from "@/bindings";
import { findViolations } from "./axe";
import { expect, filePath, openFlow, SCRIPTED, takePictures, test } from "./fixture";

const FLOW: Flow = {
  version: 1,
  name: "Two opinions",
  nodes: {
    start: SCRIPTED,
    chat: {
      type: "chat",
      title: "First",
      config: { prompt: "What do you think?", options: { replies: [{ text: "Good." }] } },
    },
    out: { type: "output", title: "Result" },
  },
  edges: {
    a: { source: "start", sourceOutput: "context", target: "chat", targetInput: "context" },
    b: { source: "chat", sourceOutput: "response", target: "out", targetInput: "value" },
  },
  layout: { start: { x: 0, y: 0 }, chat: { x: 300, y: 0 }, out: { x: 600, y: 0 } },
};

const status = (page: Page) => page.getByTestId("run-status");
const rows = (page: Page) => page.locator("[data-testid^=run-row-]");

async function chooseFile(page: Page, path: string): Promise<void> {
  await page.getByTestId("file-dialog-path").fill(path);
  await page.getByTestId("file-dialog-ok").click();
}

async function command(page: Page, title: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await expect(page.getByTestId("command-palette").getByRole("combobox")).toBeFocused();
  await page.keyboard.type(title);
  await page.keyboard.press("Enter");
}

test("a run is exported, opened and replayed", async ({ page }) => {
  await openFlow(page, FLOW);
  await page.getByTestId("run-button").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await page.getByRole("button", { name: "Runs", exact: true }).click();
  await expect(rows(page)).toHaveCount(1);

  const file = filePath("opinions.plait-recording");
  await command(page, "Export recording");
  await page.getByTestId("export-mask").fill("x");
  await page.getByTestId("export-choose").click();
  await chooseFile(page, file);
  // Nothing was written, and what was typed is there.
  await expect(page.getByText("is too short to be masked")).toBeVisible();
  await expect(page.getByTestId("export-mask")).toHaveValue("x");
  await page.getByTestId("export-mask").fill("Good\nAda Lovelace");
  await takePictures(page, "recordings-export");
  expect(await findViolations(page, { within: "[data-testid=export-recording]" })).toEqual([]);
  await page.getByTestId("export-choose").click();
  await chooseFile(page, file);
  await expect(page.getByText(`Recorded in ${file}`)).toBeVisible();
  expect((await stat(file)).size).toBeGreaterThan(500);

  await page.getByTestId("open-recording").click();
  await chooseFile(page, file);
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).first()).toHaveAttribute("data-shown", "true");
  await expect(rows(page).first()).toHaveAttribute("data-status", "finished");
  await expect(page.getByText("MASKED_1").first()).toBeVisible();
  await expect(page.getByText("Good.")).toHaveCount(0);
  await takePictures(page, "recordings-opened");
  expect(await findViolations(page, { within: "section[aria-label=Runs]" })).toEqual([]);

  await command(page, "Replay run without network");
  await expect(rows(page)).toHaveCount(3);
  await expect(rows(page).first()).toHaveAttribute("data-status", "finished");
});
