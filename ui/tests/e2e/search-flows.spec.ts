/** The search across flows: what it finds in which of them, and how it goes there. */
import type { Page } from "@playwright/test";
import { CHAT_FLOW, expect, filePath, node, openFlow, putFile, test } from "./fixture";

const BESIDE = {
  ...CHAT_FLOW,
  name: "Research brief",
  nodes: {
    ...CHAT_FLOW.nodes,
    judge: { type: "chat", title: "Judge", config: { prompt: "Which claim is the weakest?" } },
  },
  layout: { ...CHAT_FLOW.layout, judge: { x: 4000, y: 2000 } },
};
const INNER = {
  ...CHAT_FLOW,
  name: "Outer",
  nodes: { outer: { type: "subflow", title: "Whole brief", config: { flow: { ...BESIDE, name: "Inner" } } } },
  edges: {},
  layout: { outer: { x: 0, y: 0 } },
};

const dialog = (page: Page) => page.getByTestId("flow-search");
const flows = (page: Page) => dialog(page).getByTestId("flow-search-flow");

async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press("Control+Shift+f");
  await expect(dialog(page)).toBeVisible();
  await page.keyboard.type(text);
}

test("a node of a flow beside a recent one is found by its prompt, and Enter goes to it", async ({ page }) => {
  putFile(filePath("beside.flow.json"), BESIDE);
  putFile(filePath("broken.flow.json"), "no flow");
  await openFlow(page);
  await search(page, "WEAKEST claim");
  await expect(flows(page)).toHaveText([`Research brief${filePath("beside.flow.json")}`]);
  await expect(dialog(page).locator("mark")).toHaveText(["claim", "weakest"]);
  await expect(page.getByTestId("flow-search-status")).toContainText("1 node in 1 flow");
  await expect(page.getByTestId("flow-search-status")).toContainText("1 flow couldn’t be read");

  await page.keyboard.press("Enter");
  await expect(page.getByTestId("flow-name")).toHaveText("Research brief");
  await expect(node(page, "judge")).toHaveAttribute("data-selected", "true");
  await expect(node(page, "judge")).toBeInViewport({ ratio: 1 });
});

test("unsaved nodes of another tab are found, and choosing one goes to that tab", async ({ page }) => {
  putFile(filePath("other.flow.json"), { ...CHAT_FLOW, name: "Other" });
  await openFlow(page);
  await node(page, "answer").click();
  await page.getByTestId("node-title").fill("Zebra");
  await page.keyboard.press("Enter");
  await expect(node(page, "answer")).toContainText("Zebra");
  await page.getByTestId("open-button").click();
  await page.getByTestId("file-dialog-path").fill(filePath("other.flow.json"));
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("flow-name")).toHaveText("Other");

  await search(page, "zebra");
  await expect(flows(page)).toHaveText([/Support triage.*Open, unsaved changes/]);
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("flow-name")).toHaveText("Support triage");
  await expect(node(page, "answer")).toHaveAttribute("data-selected", "true");
  await expect(page.getByTestId("tab-bar").getByRole("listitem")).toHaveCount(2);
});

test("arrow keys choose among the nodes, and a node of an inner flow opens there", async ({ page }) => {
  await openFlow(page, INNER);
  await page.getByTestId("rail-flows").click();
  await page.getByTestId("flows-flow.search").click();
  await page.keyboard.type("chat");
  await expect(page.getByTestId("flow-search-outer/answer")).toHaveAttribute("data-selected", "true");
  // The nodes that only the first letters find are between these two.
  await expect(page.getByTestId("flow-search-outer/ask")).toHaveCount(0);
  await page.keyboard.press("ArrowDown");
  await expect(page.getByTestId("flow-search-outer/judge")).toHaveAttribute("data-selected", "true");
  await page.keyboard.press("Enter");
  await expect(node(page, "judge")).toHaveAttribute("data-selected", "true");
  await expect(node(page, "judge")).toBeInViewport({ ratio: 1 });
});

test("the first node is selected when the selected one is found no longer", async ({ page }) => {
  await openFlow(page);
  await search(page, "a");
  await expect(dialog(page).getByTestId("flow-search-answer")).toHaveAttribute("data-selected", "true");
  await page.keyboard.type("s");
  await expect(dialog(page).getByTestId("flow-search-answer")).toHaveCount(0);
  await expect(dialog(page).getByTestId("flow-search-ask")).toHaveAttribute("data-selected", "true");
});
