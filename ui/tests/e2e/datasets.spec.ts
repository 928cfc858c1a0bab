/** A dataset runs as cases; its results are a table that is sorted, filtered, graded by hand and exported. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Flow } from "@/bindings";
import { findViolations } from "./axe";
import { expect, filePath, inThemes, openFlow, takePicture, test } from "./fixture";

const FLOW: Flow = {
  version: 1,
  name: "Capitals",
  nodes: {
    in: { type: "manualInput", title: "Question" },
    start: { type: "contextStart", title: "Start", config: { provider: "offline", model: "echo" } },
    chat: { type: "chat", title: "Answer", config: { prompt: "{{question}}" } },
    out: { type: "output", title: "Result" },
  },
  edges: {
    a: { source: "start", sourceOutput: "context", target: "chat", targetInput: "context" },
    b: { source: "in", sourceOutput: "value", target: "chat", targetInput: "question" },
    c: { source: "chat", sourceOutput: "response", target: "out", targetInput: "value" },
  },
  layout: { in: { x: 0, y: 120 }, start: { x: 0, y: 0 }, chat: { x: 300, y: 0 }, out: { x: 600, y: 0 } },
};

const WORDS = ["Rome", "Paris", "Bern", "Oslo", "Lima", "Cairo", "Delhi", "Tokyo", "Quito", "Dakar", "Hanoi", "Minsk"];

for (const { name, size } of [
  { name: "wide", size: { width: 1280, height: 800 } },
  { name: "small", size: { width: 1000, height: 700 } },
]) {
  test(`rows of a dataset are run, sorted, graded and exported, ${name}`, async ({ page }) => {
    const file = filePath(`datasets-${name}.flow.json`);
    const exported = filePath(`datasets-${name}-results.csv`);
    rmSync(exported, { force: true });
    const rows = Array.from({ length: 120 }, (_, index) => {
      const city = WORDS[index % WORDS.length];
      // Every tenth row expects something that is not said.
      return `${index + 1},${city},"Say ${city}, and that it is\nthe ${index + 1}. city",${index % 10 === 3 ? "nothing" : city}`;
    });
    writeFileSync(filePath(`datasets-${name}.csv`), `number,city,question,expected\r\n${rows.join("\r\n")}\r\n`);
    writeFileSync(
      filePath(`datasets-${name}.tests.yaml`),
      `cases:
  - name: cities
    dataset: { file: datasets-${name}.csv }
    live: true
    input: "{{question}}"
    checks:
      - contains: { text: "Say {{expected}}" }
`,
    );
    await page.setViewportSize(size);
    await openFlow(page, FLOW, file);
    await page.getByTestId("rail-tests").click();
    await expect(page.getByTestId("tests-summary")).toHaveText("0 passed, 120 not run");
    await page.getByTestId("tests-run-all").click();
    await expect(page.getByTestId("tests-summary")).toHaveText("108 passed, 12 failed", { timeout: 60_000 });
    await inThemes(page, (theme) => takePicture(page, `datasets-panel-${name}-${theme}`));

    await page.getByTestId("dataset-results").click();
    const dialog = page.getByTestId("results-dialog");
    await expect(dialog).toContainText("108 passed, 12 failed");
    const ids = dialog.locator("[data-testid^=result-][role=row]");
    const firstIds = async (count: number) =>
      (await ids.evaluateAll((all) => all.map((row) => row.getAttribute("data-testid")))).slice(0, count);
    expect(await firstIds(3)).toEqual(["result-1", "result-2", "result-3"]);
    await dialog.getByRole("button", { name: "number", exact: true }).click();
    await dialog.getByRole("button", { name: "number", exact: true }).click();
    expect(await firstIds(3)).toEqual(["result-120", "result-119", "result-118"]);
    await dialog.getByRole("button", { name: "number", exact: true }).click();
    await dialog.getByRole("button", { name: "Failed" }).click();
    await expect(ids).toHaveCount(12);
    await ids.first().click();
    await expect(dialog.getByTestId("result-details")).toContainText("Say nothing");

    // P and F grade the chosen row; the arrow keys go on.
    await dialog.getByTestId("results-table").focus();
    await page.keyboard.press("f");
    await expect(ids.first()).toContainText("Fail");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("p");
    await expect(ids.nth(1)).toContainText("Pass");
    await page.keyboard.press("ArrowDown");
    await dialog.getByTestId("grade-number").fill("2,5");
    await dialog.getByTestId("grade-note").fill("nearly right");
    await dialog.getByTestId("grade-note").blur();
    await expect(ids.nth(2)).toContainText("2.5");
    await expect(dialog).toContainText("3 graded");
    await inThemes(page, async (theme) => {
      await takePicture(page, `datasets-results-${name}-${theme}`);
      expect(await findViolations(page, { within: '[data-testid="results-dialog"]' }), theme).toEqual([]);
    });

    await dialog.getByTestId("results-export").click();
    await page.getByTestId("file-dialog-path").fill(exported);
    await page.getByTestId("file-dialog-path").press("Enter");
    await expect(page.getByText("Wrote 120 rows")).toBeVisible();
    const csv = readFileSync(exported, "utf8");
    expect(csv).toContain("case,variant,run,number,city,question,expected,out.value,passed");
    expect(csv).toContain(",2.5,nearly right,");
    await dialog.getByRole("button", { name: "Close" }).click();

    // A later run keeps the grades with the results that they are of.
    await page.getByTestId("tests-run-all").click();
    await expect(page.getByTestId("tests-stop")).toBeVisible();
    await expect(page.getByTestId("tests-stop")).toHaveCount(0, { timeout: 60_000 });
    await page.getByTestId("dataset-results").click();
    await expect(dialog).toContainText("108 passed, 12 failed");
    await expect(dialog).not.toContainText("3 graded");
    await dialog.getByTestId("result-4").click();
    await expect(dialog.getByTestId("earlier-grade")).toContainText("same output");
  });
}
