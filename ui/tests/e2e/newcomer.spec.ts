/**
 * The newcomer's path of the guide's first page, counted: a gesture is a press, a drag, a chord of keys, or a text with the Enter
 * that ends it. `tests/desktop/window/newcomer` takes the path in the real window, at the pace of a person.
 */
import { readFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import type { Flow } from "../../src/bindings";
import { drag, expect, filePath, handle, node, takePicture, test } from "./fixture";

const ANSWERS = ["Where is my parcel?", "Thank you."];

/** Takes the steps of a path, and counts them. */
class Gestures {
  count = 0;

  constructor(readonly page: Page) {}

  async click(target: Locator): Promise<void> {
    this.count += 1;
    await target.click();
  }

  async drag(from: Locator, to: Locator | { x: number; y: number }): Promise<void> {
    this.count += 1;
    await drag(this.page, from, to);
  }

  async press(keys: string): Promise<void> {
    this.count += 1;
    await this.page.keyboard.press(keys);
  }

  async enter(text: string): Promise<void> {
    this.count += 1;
    await this.page.keyboard.type(text);
    await this.page.keyboard.press("Enter");
  }
}

async function expectAnswered(page: Page, answer: string): Promise<void> {
  await expect(page.getByTestId("messages")).toContainText(`You said: ${answer}`);
  await expect(page.getByTestId("pause-answer")).toHaveValue("");
}

/** Names the file, which no path saves itself, and looks at the cycle in it. */
async function expectSavedCycle(page: Page): Promise<void> {
  await page.getByTestId("file-dialog-path").fill(filePath("newcomer.flow.json"));
  await page.getByTestId("file-dialog-ok").click();
  await expect(page.getByTestId("flow-file")).not.toHaveAttribute("data-dirty", "true");
  const flow = JSON.parse(readFileSync(filePath("newcomer.flow.json"), "utf8")) as Flow;
  expect(
    Object.values(flow.edges)
      .map(({ source, target }) => `${source} ${target}`)
      .sort(),
  ).toEqual(["chat userInput", "contextStart userInput", "userInput chat"]);
}

test("a chat is built, run, answered, looked at and saved with 16 gestures of the mouse", async ({ page }) => {
  const by = new Gestures(page);
  await page.goto("/");
  await by.click(page.getByTestId("start-flow.new"));
  const canvas = await page.getByTestId("canvas").boundingBox();
  if (!canvas) throw new Error("There is no canvas.");
  const at = (x: number, y: number) => ({ x: canvas.x + x, y: canvas.y + y });
  await by.drag(page.getByTestId("palette-contextStart"), at(140, 90));
  await by.drag(handle(page, "contextStart", "out", "context"), at(430, 90));
  await by.click(page.getByTestId("quick-add-userInput"));
  await by.drag(handle(page, "userInput", "out", "context"), at(430, 330));
  await by.click(page.getByTestId("quick-add-chat"));
  await by.drag(handle(page, "chat", "out", "context"), handle(page, "userInput", "in", "context"));
  await by.click(page.getByTestId("run-button"));
  for (const answer of ANSWERS) {
    await expect(page.getByTestId("pause-answer")).toBeFocused();
    await by.enter(answer);
    await expectAnswered(page, answer);
  }
  await by.click(page.getByTestId("pause-end"));
  await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "finished");
  await by.click(node(page, "chat").locator("header"));
  for (const tab of ["io", "prompt", "context"]) await by.click(page.getByTestId(`inspector-tab-${tab}`));
  await takePicture(page, "newcomer/mouse");
  await by.click(page.getByTestId("save-button"));
  expect(by.count).toBe(16);
  await expectSavedCycle(page);
});

test("a chat is built, run, answered and saved with 18 gestures of the keyboard", async ({ page }) => {
  const by = new Gestures(page);
  const leaveConfig = async (id: string) => {
    await expect(page.locator(`[data-config-of=${id}] :focus`)).toBeVisible();
    await by.press("Escape");
    await expect(page.locator(`.react-flow__node[data-id=${id}]`)).toBeFocused();
  };
  const connectTo = async (name: string) => {
    await by.press("c");
    await expect(page.getByTestId("menu-field")).toBeFocused();
    await by.enter(name);
  };
  await page.goto("/");
  await expect(page.getByTestId("start-page")).toBeVisible();
  await by.press("Control+Alt+n");
  await expect(page.getByTestId("empty-canvas")).toBeVisible();
  await by.press("/");
  await expect(page.getByTestId("palette-search")).toBeFocused();
  await by.enter("context start");
  await leaveConfig("contextStart");
  await connectTo("user input");
  await leaveConfig("userInput");
  await connectTo("chat");
  await leaveConfig("chat");
  await connectTo("user input");
  await expect(page.locator(".react-flow__edge")).toHaveCount(3);
  await expect(page.getByTestId("connect-dialog")).toHaveCount(0);
  await by.press("Control+Enter");
  for (const answer of ANSWERS) {
    await expect(page.getByTestId("pause-answer")).toBeFocused();
    await by.enter(answer);
    await expectAnswered(page, answer);
  }
  await expect(page.getByTestId("pause-answer")).toBeFocused();
  const end = page.getByTestId("pause-end");
  while (!(await end.evaluate((button) => button === document.activeElement))) await by.press("Shift+Tab");
  await by.press("Enter");
  await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "finished");
  await takePicture(page, "newcomer/keyboard");
  await by.press("Control+s");
  expect(by.count).toBe(18);
  await expectSavedCycle(page);
});
