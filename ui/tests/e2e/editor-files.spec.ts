import { readFileSync, writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { CHAT_FLOW, expect, filePath, node, openFlow, putFile, savedFlow, test } from "./fixture";

const PATH = filePath("test.flow.json");

/** Another program writes the file. */
function writeBehind(change: (text: string) => string): void {
  writeFileSync(PATH, change(readFileSync(PATH, "utf8")));
}

async function rename(page: Page, id: string, name: string): Promise<void> {
  await node(page, id).click();
  await page.getByTestId("node-title").fill(name);
  await page.keyboard.press("Enter");
  await expect(node(page, id)).toContainText(name);
}

test("marks unsaved changes until they are undone or saved", async ({ page }) => {
  await openFlow(page);
  await expect(page.getByTestId("dirty-marker")).toHaveCount(0);
  await rename(page, "ask", "Another name");
  await expect(page.getByTestId("dirty-marker")).toBeVisible();
  await expect(page).toHaveTitle(/^• Support triage/);
  await page.getByTestId("undo-button").click();
  await expect(page.getByTestId("dirty-marker")).toHaveCount(0);
  await page.getByTestId("redo-button").click();
  await page.getByTestId("save-button").click();
  await expect(page.getByTestId("dirty-marker")).toHaveCount(0);
});

test("saves and reopens the same flow", async ({ page }) => {
  await openFlow(page);
  await rename(page, "answer", "Reply");
  const flow = await savedFlow(page);
  await page.getByTestId("rail-flows").click();
  await page.getByTestId("flows-flow.new").click();
  await expect(page.getByTestId("empty-canvas")).toBeVisible();
  await page.getByTestId(`recent-${PATH}`).click();
  await expect(node(page, "answer")).toContainText("Reply");
  expect(flow).toEqual({
    ...CHAT_FLOW,
    nodes: { ...CHAT_FLOW.nodes, answer: { type: "chat", title: "Reply" } },
  });
});

test("asks before it discards unsaved changes", async ({ page }) => {
  await openFlow(page);
  await rename(page, "ask", "Precious");
  await page.keyboard.press("Control+w");
  await expect(page.getByTestId("ask-dialog")).toContainText("Save changes");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("ask-dialog")).toBeHidden();
  await expect(node(page, "ask")).toContainText("Precious");
  await page.keyboard.press("Control+w");
  await page.getByTestId("ask-save").click();
  await expect(page.getByTestId("start-page")).toBeVisible();
  await page.goto(`/?open=${encodeURIComponent(PATH)}`);
  await expect(node(page, "ask")).toContainText("Precious");
});

test("overwrites a file changed on disk only after a confirmation", async ({ page }) => {
  await openFlow(page);
  await rename(page, "ask", "Mine");
  writeBehind((text) => text.replace("Ask the customer", "Theirs"));
  await page.keyboard.press("Control+s");
  await expect(page.getByTestId("ask-dialog")).toContainText("has changed on disk");
  await page.getByTestId("ask-reload").click();
  await expect(node(page, "ask")).toContainText("Theirs");

  await rename(page, "ask", "Mine after all");
  writeBehind((text) => text.replace("Theirs", "Theirs again"));
  await page.keyboard.press("Control+s");
  await page.getByTestId("ask-overwrite").click();
  await expect(page.getByTestId("dirty-marker")).toHaveCount(0);
  const flow = await savedFlow(page);
  expect(flow.nodes.ask?.title).toBe("Mine after all");
});

test("offers drafts after a crash, for saved and unsaved flows", async ({ page, host }) => {
  const drafts = async () => JSON.stringify(await host.call("autosave.list", {}));
  await openFlow(page);
  await rename(page, "ask", "Not saved");
  await expect.poll(drafts).toContain("Not saved");
  // A crash does not ask.
  await page.evaluate(() => window.addEventListener("beforeunload", (event) => event.stopImmediatePropagation(), true));
  await page.goto("/");
  // The flow that was open last opens again, and its draft is offered with it.
  const question = page.getByRole("alertdialog");
  await expect(question).toContainText("Support triage");
  await question.getByRole("button", { name: "Restore" }).click();
  await expect(node(page, "ask")).toContainText("Not saved");
  await expect(page.getByTestId("dirty-marker")).toBeVisible();
  await page.keyboard.press("Control+s");
  await expect(page.getByTestId("dirty-marker")).toHaveCount(0);
  await expect.poll(drafts).toBe("[]");

  await page.goto("/");
  await expect(node(page, "ask")).toBeVisible();
  await page.keyboard.press("Control+Alt+n");
  await expect(page.getByTestId("empty-canvas")).toBeVisible();
  await page.getByTestId("palette-text").dblclick();
  await expect.poll(drafts).toContain("text");
  await page.evaluate(() => window.addEventListener("beforeunload", (event) => event.stopImmediatePropagation(), true));
  await page.goto("/");
  await expect(page.getByTestId("drafts-dialog")).toContainText("Not saved");
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(page.getByTestId("drafts-dialog")).toHaveCount(0);
  await page.reload();
  await expect(page.getByTestId("start-page")).toBeVisible();
  await expect(page.getByTestId("drafts-dialog")).toHaveCount(0);
});

test("keeps nodes of unknown types and unknown fields", async ({ page }) => {
  const flow = {
    ...CHAT_FLOW,
    futureKey: { kept: [1, 2] },
    nodes: { ...CHAT_FLOW.nodes, odd: { type: "fromTheFuture", config: { deep: { er: true } }, later: "kept" } },
    edges: {
      ...CHAT_FLOW.edges,
      odd: {
        source: "ask",
        sourceOutput: "message",
        target: "odd",
        targetInput: "whatever",
        metadata: { color: "red" },
        later: 1,
      },
    },
    layout: { ...CHAT_FLOW.layout, odd: { x: 548, y: 260 } },
  };
  await openFlow(page, flow);
  await expect(node(page, "odd")).toHaveAttribute("data-unknown", "true");
  await expect(page.getByTestId("problem-odd")).toBeVisible();
  await expect(page.getByTestId("handle-odd-in-whatever")).toBeVisible();
  await expect(page.getByTestId("edge-odd")).toBeVisible();
  await rename(page, "odd", "Odd one");
  const saved = await savedFlow(page);
  expect(saved).toEqual({ ...flow, nodes: { ...flow.nodes, odd: { ...flow.nodes.odd, title: "Odd one" } } });
});

test("reports a file that can't be opened and keeps the document", async ({ page }) => {
  await openFlow(page);
  putFile(filePath("broken.flow.json"), '{"version": 1');
  for (const [path, said] of [
    [filePath("broken.flow.json"), "The file is incomplete"],
    [filePath("none.flow.json"), "There is no file"],
  ] as const) {
    await page.getByTestId("open-button").click();
    await page.getByTestId("file-dialog-path").fill(path);
    await page.keyboard.press("Enter");
    await expect(page.locator("[data-sonner-toast]").first()).toContainText(said);
  }
  await expect(node(page, "ask")).toBeVisible();
});

test("opens an example and saves it under a name", async ({ page }) => {
  await page.goto("/");
  await page.getByTestId("start-page").locator("[data-testid^=example-]").first().click();
  await page.keyboard.press("Control+s");
  await expect(page.getByTestId("file-dialog-path")).toHaveValue(/\.flow\.json$/);
  await page.getByTestId("file-dialog-cancel").click();
  await expect(page.getByTestId("flow-file")).toContainText("Not saved");
});

test("templates, imports, windows and help can be reached by pointer", async ({ page, context }) => {
  await openFlow(page);
  const toast = page.locator("[data-sonner-toast]");
  await page.getByTestId("rail-flows").click();
  await page.getByTestId("flows-flow.saveTemplate").click();
  await expect(toast).toContainText("Support triage");
  await page.getByTestId("flows-flow.import").click();
  await page.getByTestId("file-dialog-path").press("Escape");
  const opened = context.waitForEvent("page");
  await page.getByTestId("flows-window.new").click();
  await (await opened).close();
  await page.getByTestId("rail-help").click();
  await expect(page.getByTestId("guide")).toBeVisible();
  await page.getByTestId("rail-help").click();
  await expect(page.getByTestId("guide")).toHaveCount(0);
  await page.getByTestId("flows-flow.new").click();
  await expect(page.getByTestId("flows-flow.saveTemplate")).toBeDisabled();

  await page.setViewportSize({ width: 800, height: 700 });
  await page.getByTestId("tab-menu").click();
  for (const name of ["New tab", "Import…", "Save as template", "New window"])
    await expect(page.getByRole("menuitem", { name, exact: true })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByTestId("rail-menu").click();
  await page.getByRole("menuitem", { name: "Help" }).click();
  await expect(page.getByTestId("guide")).toBeVisible();
});
