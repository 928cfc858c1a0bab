/** Several flows in one window: each tab keeps its own document, history, view and run. */
import type { Page } from "@playwright/test";
import type { Flow } from "../../src/bindings";
import { CHAT_FLOW, drag, expect, filePath, intoView, node, openFlow, putFile, savedFlow, test } from "./fixture";

const OTHER = { ...CHAT_FLOW, name: "Research brief" };
const tab = (page: Page, name: string) => page.getByTestId(`tab-${name}`);
const tabNames = (page: Page) => page.getByTestId("tab-bar").getByRole("listitem");

async function open(page: Page, path: string, name: string): Promise<void> {
  await page.getByTestId("open-button").click();
  await page.getByTestId("file-dialog-path").fill(path);
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("flow-name")).toHaveText(name);
  await expect(node(page, "answer")).toBeVisible();
}

async function openTwo(page: Page): Promise<void> {
  putFile(filePath("other.flow.json"), OTHER);
  await openFlow(page);
  await open(page, filePath("other.flow.json"), OTHER.name);
  await expect(tabNames(page)).toHaveText([CHAT_FLOW.name, OTHER.name]);
}

async function rename(page: Page, id: string, name: string): Promise<void> {
  await node(page, id).click();
  await page.getByTestId("node-title").fill(name);
  await page.keyboard.press("Enter");
  await expect(node(page, id)).toContainText(name);
}

test("each tab keeps its edits, its history, its selection and its view", async ({ page }) => {
  await openTwo(page);
  await rename(page, "ask", "Mine");
  const view = () =>
    page.locator(".react-flow__viewport").evaluate((element) => (element as HTMLElement).style.transform);
  for (let press = 0; press < 3; press += 1) await page.keyboard.press("Control+ArrowRight");
  const left = await view();
  await expect(tab(page, OTHER.name)).toContainText("unsaved changes");

  await page.keyboard.press("Control+Tab");
  await expect(page.getByTestId("flow-name")).toHaveText(CHAT_FLOW.name);
  await expect(node(page, "ask")).not.toContainText("Mine");
  await expect(page.getByTestId("undo-button")).toBeDisabled();
  await expect.poll(view).not.toBe(left);

  await page.keyboard.press("Control+Shift+Tab");
  await expect(node(page, "ask")).toContainText("Mine");
  await expect(node(page, "ask")).toHaveAttribute("data-selected", "true");
  await expect.poll(view).toBe(left);
  await page.getByTestId("undo-button").click();
  await expect(node(page, "ask")).not.toContainText("Mine");
});

const noteText = (page: Page) => page.getByTestId("inspector").locator(".cm-content").first();
const typedNote = (flow: Flow) => flow.nodes.note?.config?.text;

test("undo in a code field reverts only what was typed there", async ({ page }) => {
  await openTwo(page);
  await node(page, "note").click();
  await page.keyboard.press("Control+Tab");
  await node(page, "note").click();
  await noteText(page).click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("Mine. ");
  // Ends the step.
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Control+Tab");
  await expect(page.getByTestId("flow-name")).toHaveText(OTHER.name);
  await noteText(page).click();
  await page.keyboard.press("Control+z");
  expect(typedNote(await savedFlow(page, filePath("other.flow.json")))).toBe("Iterates **until** the person ends it.");
  await page.keyboard.press("Control+Tab");
  expect(typedNote(await savedFlow(page))).toBe("Mine. Iterates **until** the person ends it.");

  // What the window has undone is no step of the field.
  await page.getByTestId("undo-button").click();
  await expect(noteText(page)).toHaveText("Iterates **until** the person ends it.");
  await noteText(page).click();
  await page.keyboard.press("Control+z");
  await expect(noteText(page)).toHaveText("Iterates **until** the person ends it.");
});

test("what is being typed belongs to the flow it was typed for", async ({ page }) => {
  await openTwo(page);
  await node(page, "ask").click();
  await page.keyboard.press("Control+Tab");
  await node(page, "ask").click();
  await page.getByTestId("node-title").fill("Mine");
  await page.keyboard.press("Control+Tab");
  await expect(page.getByTestId("flow-name")).toHaveText(OTHER.name);
  await expect(page.getByTestId("node-title")).toHaveValue("Ask the customer");
  await (await intoView(page, node(page, "answer"))).click();
  await expect(node(page, "ask")).toContainText("Ask the customer");
  await page.keyboard.press("Control+Tab");
  await expect(node(page, "ask")).toContainText("Mine");

  await page.getByTestId("node-title").fill("Mine again");
  expect((await savedFlow(page)).nodes.ask?.title).toBe("Mine again");
  await expect(page.getByTestId("node-title")).toBeFocused();
  await page.keyboard.press("End");
  await page.keyboard.type("!");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "waiting");
  await expect(node(page, "ask")).toContainText("Mine again!");
});

test("invalid JSON stays with its flow", async ({ page }) => {
  const withSchema = (name: string): Flow => ({
    ...CHAT_FLOW,
    name,
    nodes: { ...CHAT_FLOW.nodes, pick: { type: "value", config: { value: { a: 1 } } } },
    layout: { ...CHAT_FLOW.layout, pick: { x: 0, y: 400 } },
  });
  putFile(filePath("other.flow.json"), withSchema(OTHER.name));
  await openFlow(page, withSchema(CHAT_FLOW.name));
  await open(page, filePath("other.flow.json"), OTHER.name);
  await node(page, "pick").click();
  await page.keyboard.press("Control+Tab");
  await node(page, "pick").click();
  const field = page.getByTestId("inspector").locator("[data-language=json] .cm-content").first();
  await field.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("oops");
  await expect(field).toContainText("oops");
  await page.getByTestId("dock-tab-problems").click();
  const problem = page.locator("[data-testid=problem][data-code='config.invalid']");
  await expect(problem).toContainText("holds invalid JSON");
  await node(page, "ask").click();
  await expect(page.getByTestId("inspector")).not.toContainText("oops");
  await problem.getByTitle(/^Show .* on canvas$/).click();
  await expect(field).toContainText("oops");
  await page.keyboard.press("Control+Tab");
  await expect(page.getByTestId("flow-name")).toHaveText(OTHER.name);
  await expect(problem).toHaveCount(0);
  await expect(field).toContainText('"a": 1');
  await expect(field).not.toContainText("oops");

  await page.keyboard.press("Control+Tab");
  await expect(page.getByTestId("flow-name")).toHaveText(CHAT_FLOW.name);
  await expect(field).toContainText("oops");
  await expect(page.getByTestId("inspector").getByText("Invalid JSON:", { exact: false })).toBeVisible();
  await page.getByTestId("inspector-tab-io").click();
  await page.getByTestId("inspector-tab-config").click();
  await expect(field).toContainText("oops");

  // Once it is valid again, nothing is left of it.
  await field.fill("7");
  await expect(problem).toHaveCount(0);
  await page.getByTestId("inspector-tab-io").click();
  await page.getByTestId("inspector-tab-config").click();
  await expect(field).toHaveText("7");
});

test("a file that is open goes to its tab", async ({ page }) => {
  await openTwo(page);
  await open(page, filePath("test.flow.json"), CHAT_FLOW.name);
  await expect(tabNames(page)).toHaveCount(2);
});

test("closing a tab asks about unsaved changes, and a closed flow opens again with them", async ({ page }) => {
  await openTwo(page);
  await rename(page, "ask", "Mine");
  await tab(page, OTHER.name).getByRole("button", { name: "Close" }).click();
  await page.getByTestId("ask-discard").click();
  await expect(tabNames(page)).toHaveText([CHAT_FLOW.name]);
  await page.keyboard.press("Control+Shift+t");
  await expect(tabNames(page)).toHaveCount(2);
  await expect(node(page, "ask")).toContainText("Mine");
  await page.getByTestId("undo-button").click();
  await tab(page, CHAT_FLOW.name).click({ button: "middle" });
  await expect(tabNames(page)).toHaveText([OTHER.name]);
});

test("the menu of a tab closes the others and copies the path of its file", async ({ page }) => {
  await openTwo(page);
  await tab(page, CHAT_FLOW.name).click({ button: "right" });
  const menu = page.getByTestId("flow-tab-menu");
  await menu.getByRole("menuitem", { name: "Copy path" }).click();
  await expect(page.locator("[data-sonner-toast]")).toContainText("Path copied");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(filePath("test.flow.json"));
  await expect(page.getByTestId("flow-name")).toHaveText(OTHER.name);

  await rename(page, "ask", "Mine");
  await tab(page, CHAT_FLOW.name).locator(".flow-tab-name").focus();
  await page.keyboard.press("Shift+F10");
  await menu.getByRole("menuitem", { name: "Close others" }).click();
  await page.getByTestId("ask-discard").click();
  await expect(tabNames(page)).toHaveText([CHAT_FLOW.name]);

  await tab(page, CHAT_FLOW.name).click({ button: "right" });
  await expect(menu.getByRole("menuitem", { name: "Close others" })).toHaveAttribute("aria-disabled", "true");
  await menu.getByRole("menuitem", { name: "Close", exact: false }).first().click();
  await expect(page.getByTestId("start-page")).toBeVisible();
});

test("tabs change places by dragging and by keys", async ({ page }) => {
  await openTwo(page);
  const first = await tab(page, CHAT_FLOW.name).boundingBox();
  if (!first) throw new Error("It is drawn.");
  await drag(page, tab(page, OTHER.name), { x: first.x + 4, y: first.y + 10 });
  await expect(tabNames(page)).toHaveText([OTHER.name, CHAT_FLOW.name]);
  await page.keyboard.press("Control+Shift+PageDown");
  await expect(tabNames(page)).toHaveText([CHAT_FLOW.name, OTHER.name]);
});

test("a run goes on behind, its dot says so, and its question is offered", async ({ page }) => {
  // It asks once its tab is behind.
  putFile(filePath("other.flow.json"), {
    ...OTHER,
    nodes: {
      ...OTHER.nodes,
      begin: { type: "text", config: { template: "Now" } },
      hold: { type: "delay", config: { ms: 3_000 } },
    },
    edges: {
      ...OTHER.edges,
      a: { source: "begin", sourceOutput: "text", target: "hold", targetInput: "in" },
      b: { source: "hold", sourceOutput: "out", target: "ask", targetInput: "after" },
    },
  });
  await openTwo(page);
  await page.getByTestId("run-button").click();
  await page.keyboard.press("Control+Tab");
  await expect(page.getByTestId("flow-name")).toHaveText(CHAT_FLOW.name);
  await expect(page.getByTestId("run-status")).toHaveCount(0);
  await expect(tab(page, OTHER.name)).toContainText("waiting for you");
  const toast = page.locator("[data-sonner-toast]");
  await expect(toast).toContainText("“Research brief” is waiting for you");
  await toast.getByRole("button", { name: "Open" }).click();
  // Typed at once: no letter is a command of the window.
  await page.keyboard.type("d f / Where is it?");
  await expect(page.getByTestId("pause-answer")).toHaveValue("d f / Where is it?");
  await expect(page.getByTestId("flow-name")).toHaveText(OTHER.name);
  const status = page.getByTestId("run-status");
  await expect(status).toHaveAttribute("data-status", "waiting");
  await page.keyboard.press("Control+Tab");
  await expect(status).toHaveCount(0);
  await page.keyboard.press("Control+Tab");
  await expect(status).toHaveAttribute("data-status", "waiting");
});

test("a narrow window lists the flows in a menu at the flow’s name", async ({ page }) => {
  await page.setViewportSize({ width: 1000, height: 700 });
  putFile(filePath("other.flow.json"), OTHER);
  await openFlow(page);
  await open(page, filePath("other.flow.json"), OTHER.name);
  await expect(page.getByTestId("tab-bar")).toBeHidden();
  await expect(page.getByTestId("tab-menu")).toHaveText("2 flows");
  await page.getByTestId("tab-menu").click();
  await page.getByRole("menuitem", { name: CHAT_FLOW.name }).click();
  await expect(page.getByTestId("flow-name")).toHaveText(CHAT_FLOW.name);
});

test("a version that a run has kept is restored in one step, which can be undone", async ({ page }) => {
  await openFlow(page);
  await page.getByTestId("run-button").click();
  await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "waiting");
  await rename(page, "ask", "Renamed");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("Versions");
  await page.keyboard.press("Enter");
  const dialog = page.getByTestId("versions-dialog");
  await expect(dialog).toContainText("Changes Ask the customer");
  await dialog.getByRole("button", { name: "Restore this version" }).click();
  await expect(node(page, "ask")).toContainText("Ask the customer");
  await page.getByTestId("undo-button").click();
  await expect(node(page, "ask")).toContainText("Renamed");
});
