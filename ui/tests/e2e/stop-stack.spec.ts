/** The stack at a stop: loops and their iterations, calls, and sub-flows. Each entry leads to its place. */
import type { Page } from "@playwright/test";
import type { Flow } from "../../src/bindings";
import { findViolations } from "./axe";
import { expect, intoView, node, openFlow, SCRIPTED, takePicture, test } from "./fixture";

const stack = (page: Page) => page.getByTestId("stop-stack");
const entries = (page: Page) => stack(page).getByRole("listitem");
const bar = (page: Page) => page.getByTestId("stop-bar");

const CALCULATE = [{ toolCalls: [{ name: "calculator", arguments: { expression: "4 - 1" } }] }, { text: "Three." }];

const LOOP_FLOW: Flow = {
  version: 1,
  name: "Letters",
  nodes: {
    start: SCRIPTED,
    list: { type: "value", title: "Names", config: { value: ["Ada", "Bob"] } },
    each: { type: "loop", title: "Write to each", config: { kind: "forEach" } },
    tools: { type: "tools", title: "Tools", parent: "each", config: { tools: ["calculator"] } },
    write: {
      type: "chat",
      title: "Write",
      parent: "each",
      config: { prompt: "Count.", options: { replies: CALCULATE } },
    },
  },
  edges: {
    a: { source: "list", sourceOutput: "value", target: "each", targetInput: "items" },
    b: { source: "start", sourceOutput: "context", target: "each", targetInput: "context" },
    c: { source: "each", sourceOutput: "context", target: "write", targetInput: "context" },
    d: { source: "tools", sourceOutput: "tools", target: "write", targetInput: "tools" },
    e: { source: "write", sourceOutput: "response", target: "each", targetInput: "next" },
  },
  layout: {
    start: { x: 0, y: 0 },
    list: { x: 0, y: 120 },
    each: { x: 260, y: 0, width: 620, height: 320 },
    tools: { x: 80, y: 160 },
    write: { x: 300, y: 60 },
  },
};

test("at a call in a loop has the item, the node and the call, and leads to each", async ({ page }) => {
  await openFlow(page, LOOP_FLOW);
  await node(page, "write").locator("header").click();
  await page.getByTestId("breakpoints").getByRole("switch", { name: "Pause before each call" }).click();
  await page.getByTestId("run-button").click();
  await expect(entries(page)).toHaveText(["Write to each · item 1", "Write", "Model call 1"]);
  await page.keyboard.press("F8");
  await expect(entries(page)).toHaveText(["Write to each · item 1", "Write", "Tool round 1: calculator"]);
  await page.keyboard.press("F8");
  await expect(entries(page).last()).toHaveText("Model call 2");
  await page.keyboard.press("F8");
  await expect(entries(page).first()).toHaveText("Write to each · item 2");
  await takePicture(page, "debugger-stack");
  expect(await findViolations(page)).toEqual([]);
  await entries(page).first().getByRole("button").click();
  await expect(node(page, "each")).toHaveAttribute("data-selected", "true");
  await expect(page.getByTestId("iteration-each")).toContainText("2");
  await entries(page).nth(1).getByRole("button").click();
  await expect(node(page, "write")).toHaveAttribute("data-selected", "true");
});

const SUBFLOW: Flow = {
  version: 1,
  name: "Outer",
  nodes: {
    start: SCRIPTED,
    said: { type: "manualInput", title: "Said", config: { text: "Hello", addToHistory: true } },
    sub: {
      type: "subflow",
      title: "Inner part",
      config: {
        flow: {
          version: 1,
          name: "Inner",
          nodes: {
            word: { type: "value", title: "Word", config: { value: "x" } },
            out: { type: "output", title: "Out" },
          },
          edges: { a: { source: "word", sourceOutput: "value", target: "out", targetInput: "value" } },
          layout: { word: { x: 0, y: 0 }, out: { x: 300, y: 0 } },
        },
      },
    },
  },
  edges: {
    a: { source: "start", sourceOutput: "context", target: "said", targetInput: "context" },
    b: { source: "said", sourceOutput: "context", target: "sub", targetInput: "context" },
  },
  layout: { start: { x: 0, y: 0 }, said: { x: 260, y: 0 }, sub: { x: 520, y: 0 } },
};

test("in a sub-flow leads down to where the run is held, and up again", async ({ page }) => {
  await openFlow(page, SUBFLOW);
  await (await intoView(page, node(page, "sub"))).locator(".summary").click();
  await page.keyboard.press("F9");
  await page.getByTestId("run-button").click();
  await expect(bar(page)).toContainText("Paused before Inner part");
  await expect(stack(page)).toHaveCount(0);
  await page.keyboard.press("F11");
  await expect(entries(page)).toHaveText(["Inner part · sub-flow"]);
  await entries(page).getByRole("button").click();
  await expect(node(page, "word")).toBeVisible();
  await expect(bar(page)).toContainText("Paused before Word");
  await expect(entries(page)).toHaveText(["Outer", "Word"]);
  await takePicture(page, "debugger-stack-subflow");
  await entries(page).first().getByRole("button").click();
  await expect(node(page, "sub")).toHaveAttribute("data-selected", "true");
});
