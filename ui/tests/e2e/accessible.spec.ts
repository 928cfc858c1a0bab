/**
 * Every screen at every size that the window folds for, also at 200 % zoom, in both themes: axe-core finds nothing, and a picture
 * goes into the gallery that `cargo xtask test` makes.
 */
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, node, openEmpty, openFlow, takePicture, test } from "./fixture";

const SIZES = [
  { name: "1280×800", viewport: { width: 1280, height: 800 } },
  { name: "1000×700", viewport: { width: 1000, height: 700 } },
  { name: "1280×800 at 200 %", viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
] as const;

const PANELS = ["flows", "runs", "conversations", "knowledge bases", "memory", "MCP servers", "what this flow may do"];

/** `what` names the screen. */
async function expectAccessible(page: Page, what: string): Promise<void> {
  const folder = test.info().titlePath.at(-2) ?? "";
  await takePicture(page, `${folder}/${what}`);
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((one) => one.html.slice(0, 160)).join(" | ")}`);
  expect.soft(found, what).toEqual([]);
}

/** Runs the flow until its person ends the conversation. */
async function runToEnd(page: Page): Promise<void> {
  await page.getByTestId("run-button").click();
  const status = page.getByTestId("run-status");
  await expect(status).toHaveAttribute("data-status", "waiting");
  await expectAccessible(page, "a question");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("end without an answer");
  await page.keyboard.press("Enter");
  await expect(status).toHaveAttribute("data-status", "finished");
}

/** Shows a part by its command, wherever its button is at this size. */
async function command(page: Page, title: string): Promise<void> {
  await page.keyboard.press("Control+k");
  // What is typed before the palette has the focus is lost.
  await expect(page.getByTestId("command-palette").getByRole("combobox")).toBeFocused();
  await page.keyboard.type(title);
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("command-palette")).toHaveCount(0);
}

for (const colorScheme of ["dark", "light"] as const) {
  for (const { name, ...size } of SIZES) {
    test.describe(`${name}, ${colorScheme}`, () => {
      test.use({ colorScheme, ...size });
      // A check of a whole page takes seconds, and much longer on a busy machine.
      test.setTimeout(300_000);

      test("no accessibility violations on the empty canvas, in panels and dialogs", async ({ page }) => {
        await page.goto("/");
        await expect(page.getByTestId("start-page")).toBeVisible();
        await expectAccessible(page, "start page");
        await openEmpty(page);
        await expectAccessible(page, "empty canvas");
        await command(page, "Show node types");
        await expect(page.getByTestId("palette-search")).toBeVisible();
        await expectAccessible(page, "palette");
        await command(page, "Show settings");
        await expect(page.getByTestId("provider-openai")).toBeVisible();
        await expectAccessible(page, "settings");
        await page.keyboard.press("Control+k");
        await expect(page.getByTestId("command-palette")).toBeVisible();
        await expectAccessible(page, "command palette");
        await page.keyboard.press("Escape");
        await command(page, "Keyboard shortcuts");
        await expect(page.getByTestId("shortcuts-help")).toBeVisible();
        await expectAccessible(page, "shortcuts");
        await page.keyboard.press("Escape");
        await command(page, "Guide");
        await expect(page.getByTestId("guide")).toBeVisible();
        await expectAccessible(page, "guide");
        await page.keyboard.press("Escape");
        for (const panel of PANELS) {
          await command(page, `Show ${panel}`);
          await expectAccessible(page, panel);
        }
      });

      test("no accessibility violations in a finished run and the inspector's tabs", async ({ page }) => {
        await openFlow(page);
        await runToEnd(page);
        await expectAccessible(page, "a finished run");
        await node(page, "start").click();
        if (size.viewport.width < 1100) await page.keyboard.press("Control+i");
        for (const tab of ["config", "io", "context"]) {
          await page.getByTestId(`inspector-tab-${tab}`).click();
          await expectAccessible(page, `inspector ${tab}`);
        }
        if (size.viewport.width >= 1100) return;
        await page.keyboard.press("Control+i");
        await page.keyboard.press("Control+j");
        await expectAccessible(page, "dock over the canvas");
      });
    });
  }
}
