/** A run is made into a test, the test fails on an edited prompt, and opens in the debugger at the first difference. */
import { rmSync, writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import type { Flow } from "@/bindings";
import { findViolations } from "./axe";
import { expect, filePath, inThemes, openFlow, SCRIPTED, takePicture, takePictures, test } from "./fixture";

/** The files of one test: tests run side by side. */
const fileOf = (name: string): string => filePath(`${name}.flow.json`);

const flowWith = (question: string): Flow => ({
  version: 1,
  name: "Two opinions",
  nodes: {
    start: SCRIPTED,
    chat: {
      type: "chat",
      title: "First",
      config: { prompt: "What do you think?", options: { replies: [{ text: "Good." }] } },
    },
    second: { type: "chat", title: "Second", config: { prompt: question, options: { replies: [{ text: "Very." }] } } },
    out: { type: "output", title: "Result" },
  },
  edges: {
    a: { source: "start", sourceOutput: "context", target: "chat", targetInput: "context" },
    b: { source: "chat", sourceOutput: "context", target: "second", targetInput: "context" },
    c: { source: "second", sourceOutput: "response", target: "out", targetInput: "value" },
  },
  layout: { start: { x: 0, y: 0 }, chat: { x: 300, y: 0 }, second: { x: 600, y: 0 }, out: { x: 900, y: 0 } },
});

const status = (page: Page) => page.getByTestId("run-status");
const cases = (page: Page) => page.locator("[data-testid^=test-case-]");

async function command(page: Page, title: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await expect(page.getByTestId("command-palette").getByRole("combobox")).toBeFocused();
  await page.keyboard.type(title);
  await page.keyboard.press("Enter");
}

for (const { name, size } of [
  { name: "wide", size: { width: 1280, height: 800 } },
  { name: "small", size: { width: 1000, height: 700 } },
] as const) {
  const picture = (page: Page, what: string) =>
    inThemes(page, (theme) => takePicture(page, `tests-${what}-${name}-${theme}`));

  test(`a test of a run fails on an edited prompt and opens in the debugger, ${name}`, async ({ page }) => {
    const file = fileOf(name);
    for (const old of [file, filePath(`${name}.tests.yaml`), filePath(`${name}.tests`)])
      rmSync(old, { recursive: true, force: true });
    await page.setViewportSize(size);
    await openFlow(page, flowWith("How sure are you?"), file);
    await page.getByTestId("rail-tests").click();
    await expect(page.getByText("No tests yet")).toBeVisible();
    await picture(page, "none");
    await page.getByTestId("run-button").click();
    await expect(status(page)).toHaveAttribute("data-status", "finished");
    await command(page, "Make a test of this run");
    await expect(page.getByText("Added the test “Two opinions”")).toBeVisible();
    await expect(cases(page)).toHaveCount(1);
    await expect(cases(page)).toHaveAttribute("data-state", "passed");

    writeFileSync(file, JSON.stringify(flowWith("How certain are you?")));
    await openFlow(page, flowWith("How certain are you?"), file);
    await command(page, "Show tests");
    // The flow is another one than the test last ran with.
    await expect(cases(page)).toHaveAttribute("data-state", "open");
    await page.getByTestId("tests-run-all").click();
    await expect(cases(page)).toHaveAttribute("data-state", "failed");
    await expect(page.getByTestId("test-failures")).toContainText('it says "sure" where this one says "certain"');
    await expect(page.getByTestId("tests-summary")).toHaveText("0 passed, 1 failed");
    await picture(page, "failed");
    expect(await findViolations(page, { within: "section[aria-label=Tests]" })).toEqual([]);

    await page.getByTestId("test-debug").click();
    await expect(status(page)).toHaveAttribute("data-status", "stopped");
    await picture(page, "debugged");
    await expect(page.getByTestId("bead-second-call")).toHaveAttribute("data-here", "true");
  });
}

test("a live suite shows repeats with their interval", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  writeFileSync(
    filePath("live.tests.yaml"),
    `cases:
  - name: sure
    live: true
    repeats: 10
    passRate: 0.8
    checks:
      - contains: { text: Very }
  - name: unsure
    live: true
    repeats: 3
    checks:
      - contains: { text: Hardly }
`,
  );
  await openFlow(page, flowWith("How sure are you?"), fileOf("live"));
  await page.getByTestId("rail-tests").click();
  await expect(page.getByTestId("tests-summary")).toHaveText("0 passed, 2 not run");
  await page.getByTestId("tests-run-all").click();
  await expect(page.getByTestId("tests-summary")).toHaveText("1 passed, 1 failed");
  await expect(page.getByTestId("test-rate").first()).toHaveText(/10 of 10 passed, with 95 % confidence 72–100 %/);
  await inThemes(page, (theme) => takePicture(page, `tests-live-${theme}-1280`));
  // The panel is a flyout in a small window.
  await page.setViewportSize({ width: 1000, height: 700 });
  await page.getByTestId("rail-tests").click();
  await inThemes(page, (theme) => takePicture(page, `tests-live-${theme}-1000`));
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByTestId("test-matrix").first().click();
  const matrix = page.getByTestId("matrix-dialog");
  await expect(matrix).toContainText("What varies between 10 runs");
  await expect(matrix).toContainText("All outputs are the same in all runs.");
  const row = matrix.locator("tbody tr").first();
  await expect(row.locator("td")).toHaveText(Array.from({ length: 10 }, () => "A"));
  await row.getByRole("button").click();
  await expect(matrix).toContainText("10 of 10");
  await takePictures(page, "tests-matrix");
  expect(await findViolations(page, { within: '[data-testid="matrix-dialog"]' })).toEqual([]);
  await matrix.getByRole("button", { name: "Open run 3" }).click();
  await expect(page.getByTestId("viewing-banner")).toBeVisible();
});
