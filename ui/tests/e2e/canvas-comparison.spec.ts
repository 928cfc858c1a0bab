/** Comparisons on the canvas: of two runs, of the flow with a version, and of a flow with an edit that an agent proposes. */
import { readFileSync, writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import type { Flow } from "@/bindings";
import { findViolations } from "./axe";
import { expect, filePath, node, openFlow, SCRIPTED, saying, TEST_FILE, takePictures, test } from "./fixture";

const FLOW: Flow = {
  version: 1,
  name: "Two opinions",
  nodes: {
    start: SCRIPTED,
    topic: { type: "text", title: "Topic", config: { template: "tea" } },
    first: saying("First", "Write about {{topic}}. Be brief.", "Good."),
    aside: { type: "text", title: "Aside", config: { template: "one" } },
    out: { type: "output", title: "Result" },
  },
  edges: {
    a: { source: "topic", sourceOutput: "text", target: "first", targetInput: "topic" },
    b: { source: "start", sourceOutput: "context", target: "first", targetInput: "context" },
    c: { source: "topic", sourceOutput: "text", target: "out", targetInput: "value" },
  },
  layout: {
    start: { x: 0, y: 160 },
    topic: { x: 0, y: 0 },
    first: { x: 300, y: 60 },
    aside: { x: 0, y: 330 },
    out: { x: 600, y: 0 },
  },
};

const status = (page: Page) => page.getByTestId("run-status");
const sign = (page: Page, id: string) => page.getByTestId(`compared-${id}`);

test("the nodes of two compared runs are marked, and gone through from the keyboard", async ({ page }) => {
  await openFlow(page, FLOW);
  await page.getByTestId("run-button").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  for (const [id, text] of [
    ["topic", "green tea"],
    ["aside", "two"],
  ] as const) {
    await node(page, id).click();
    await page.getByTestId("inspector").getByLabel("Template", { exact: true }).fill(text);
    await page.keyboard.press("Escape");
  }
  await page.keyboard.press("Control+Shift+Enter");
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await page.getByRole("button", { name: "Runs", exact: true }).click();
  const latest = page.locator("[data-testid^=run-row-]").first();
  await expect(latest).toContainText("repeat");
  await latest.hover();
  await latest.getByRole("button", { name: "Compare with the run that it repeats" }).click();

  const dialog = page.getByTestId("comparison-dialog");
  await dialog.getByRole("button", { name: "Nodes", exact: true }).click();
  const rows = page.getByTestId("compared-nodes").locator("tbody tr");
  await expect(rows).toHaveCount(5);
  await expect(rows.first()).toContainText("First difference");
  await page.getByTestId("compared-nodes").getByRole("button", { name: "Tokens" }).click();
  await expect(rows.first()).toContainText("First");
  await expect(rows.first()).toContainText("→");
  await takePictures(page, "compared-nodes");
  expect(await findViolations(page, { within: '[data-testid="comparison-dialog"]' })).toEqual([]);

  await dialog.getByTestId("comparison-on-canvas").click();
  const bar = page.getByTestId("comparison-bar");
  await expect(bar).toBeVisible();
  const [first, own] =
    (await sign(page, "topic").getAttribute("data-sign")) === "first" ? ["topic", "aside"] : ["aside", "topic"];
  await expect(sign(page, first)).toHaveAttribute("data-sign", "first");
  await expect(sign(page, own)).toHaveAttribute("data-sign", "own");
  await expect(sign(page, "first")).toHaveAttribute("data-sign", "follows");
  await expect(sign(page, "start")).toHaveAttribute("data-sign", "same");
  await expect(page.getByTestId("legend-follows")).toContainText("2");
  await takePictures(page, "comparison-canvas");
  expect(await findViolations(page, { within: '[data-testid="comparison-bar"]' })).toEqual([]);

  await page.keyboard.press("F4");
  await expect(page.getByTestId("comparison-at")).toContainText("1 of 4");
  await expect(node(page, first)).toHaveAttribute("data-selected", "true");
  await page.keyboard.press("Shift+F4");
  await expect(page.getByTestId("comparison-at")).toContainText("4 of 4");
  // The first run has the same marks.
  await bar.getByRole("button", { name: "Before" }).click();
  await expect(sign(page, first)).toHaveAttribute("data-sign", "first");
  await page.getByTestId("comparison-clear").click();
  await expect(bar).toHaveCount(0);
  await expect(sign(page, "topic")).toHaveCount(0);
});

test("a difference in a sub-flow is gone to in the run of the sub-flow", async ({ page }) => {
  const inner = (template: string): Flow => ({
    version: 1,
    name: "Inner",
    nodes: {
      text: { type: "text", title: "Inner text", config: { template } },
      out: { type: "output", title: "Inner result" },
    },
    edges: { a: { source: "text", sourceOutput: "text", target: "out", targetInput: "value" } },
    layout: { text: { x: 0, y: 0 }, out: { x: 300, y: 0 } },
  });
  const file = filePath("inner-of-comparison.flow.json");
  writeFileSync(file, JSON.stringify(inner("tea")));
  await openFlow(page, {
    version: 1,
    name: "Outer",
    nodes: {
      below: {
        type: "subflow",
        title: "Below",
        config: { file: "inner-of-comparison.flow.json", inputSource: "mapping" },
      },
      done: { type: "output", title: "Result" },
    },
    edges: { a: { source: "below", sourceOutput: "text", target: "done", targetInput: "value" } },
    layout: { below: { x: 0, y: 0 }, done: { x: 300, y: 0 } },
  });
  await page.getByTestId("run-button").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  writeFileSync(file, JSON.stringify(inner("coffee")));
  await page.getByRole("button", { name: "Runs", exact: true }).click();
  await page.getByTestId("run-button").click();
  const rows = page.locator("[data-testid^=run-row-]");
  await expect(rows).toHaveCount(2);
  await expect(page.getByText("coffee", { exact: true }).first()).toBeVisible();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await rows.nth(1).hover();
  await rows.nth(1).getByRole("button", { name: "Compare with the run that is shown" }).click();
  await page.getByTestId("comparison-on-canvas").click();
  await expect(sign(page, "below")).toHaveAttribute("data-sign", "follows");
  await page.keyboard.press("F4");
  await expect(page.getByTestId("crumb-here")).toHaveText("Inner");
  await expect(sign(page, "text")).toHaveAttribute("data-sign", "first");
  await expect(sign(page, "out")).toHaveAttribute("data-sign", "follows");
  await expect(node(page, "text")).toHaveAttribute("data-selected", "true");
  // The run that began later is after, though the other one was pointed at; its sub-flow belongs to it.
  await expect(page.getByTestId("comparison-bar").getByRole("button", { name: "After" })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await expect(node(page, "text")).toContainText("coffee");
  await takePictures(page, "comparison-subflow");
});

test("what a version had and the flow has not is drawn faint", async ({ page }) => {
  await openFlow(page, FLOW);
  await page.getByTestId("run-button").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await node(page, "first").click();
  await page.keyboard.press("Delete");
  await node(page, "topic").click();
  await page.getByTestId("inspector").getByLabel("Template", { exact: true }).fill("green tea");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("Versions");
  await page.keyboard.press("Enter");
  await page.getByTestId("versions-dialog").getByTestId("version-compare").click();

  await expect(page.getByTestId("ghost-first")).toHaveAttribute("data-sign", "removed");
  await expect(page.getByTestId("ghost-edge-topic-first")).toBeVisible();
  await expect(sign(page, "topic")).toHaveAttribute("data-sign", "changed");
  await expect(page.getByTestId("comparison-at")).toContainText("2 differences");
  await expect(page.getByTestId("legend-removed")).toContainText("1");
  await takePictures(page, "version-ghosts");
  await page.keyboard.press("F4");
  await page.keyboard.press("F4");
  await expect(page.getByTestId("comparison-at")).toContainText("First, Removed");
  // It follows what is edited.
  await page.getByTestId("undo-button").click();
  await page.getByTestId("undo-button").click();
  await expect(page.getByTestId("ghost-first")).toHaveCount(0);
  await expect(page.getByTestId("comparison-at")).toContainText("Nothing differs");
});

test("an edit that an agent proposes is looked at, accepted and undone", async ({ page, host }) => {
  await openFlow(page, FLOW);
  const edited: Flow = {
    ...FLOW,
    nodes: {
      ...FLOW.nodes,
      topic: { type: "text", title: "Topic", config: { template: "coffee" } },
      more: { type: "output", title: "Opinion" },
    },
    edges: {
      ...FLOW.edges,
      d: { source: "first", sourceOutput: "response", target: "more", targetInput: "value" },
    },
    layout: { ...FLOW.layout, more: { x: 600, y: 160 } },
  };
  const propose = (flow: Flow) => host.call("proposal.make", { path: TEST_FILE, flow, note: "Write about coffee." });
  await propose(edited);
  // It is said at once, without a click.
  await expect(page.getByText("An agent proposes an edit of Two opinions")).toBeVisible();
  await page.getByTestId("proposal-chip").click();
  const dialog = page.getByTestId("proposals-dialog");
  await expect(dialog).toContainText("Write about coffee.");
  await expect(dialog).toContainText("Adds Opinion · Changes Topic · 1 edge differs");
  await takePictures(page, "proposals");
  expect(await findViolations(page, { within: '[data-testid="proposals-dialog"]' })).toEqual([]);
  await dialog.getByTestId("proposal-look").click();
  await expect(page.getByTestId("ghost-more")).toHaveAttribute("data-sign", "added");
  await expect(sign(page, "topic")).toHaveAttribute("data-sign", "changed");
  await takePictures(page, "proposal-canvas");
  await page.getByTestId("proposal-accept").click();
  await expect(node(page, "more")).toBeVisible();
  await expect(page.getByTestId("proposal-chip")).toHaveCount(0);
  expect(readFileSync(TEST_FILE, "utf8"), "saving is the person's").not.toContain("Opinion");
  await page.getByTestId("undo-button").click();
  await expect(node(page, "more")).toHaveCount(0);

  await propose(edited);
  await page.getByTestId("proposal-chip").click();
  await dialog.getByRole("button", { name: "Drop" }).click();
  await expect(dialog).toContainText("No agent proposes anything.");
  expect(await host.call("proposal.list", {})).toEqual([]);
});
