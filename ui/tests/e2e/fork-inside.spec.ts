/** A part of a sub-flow's run is done again, from the canvas of that run: all of its tree is forked, once the person has seen the bill. */
import type { Page } from "@playwright/test";
import type { Flow, RunId } from "@/bindings";
import { findViolations } from "./axe";
import { expect, intoView, node, openFlow, SCRIPTED, type TestHost, takePicture, test } from "./fixture";

const saying = (title: string, prompt: string, parent?: string) => ({
  type: "chat",
  title,
  config: { prompt, skipHistory: true, options: { replies: [{ text: `${title} said.` }] } },
  ...(parent === undefined ? {} : { parent }),
});

/** A chat for each of two items, and one after both. */
const INNER: Flow = {
  version: 1,
  name: "Inner",
  nodes: {
    main: SCRIPTED,
    items: { type: "value", title: "Items", config: { value: ["one", "two"] } },
    each: { type: "loop", title: "Each", config: { kind: "forEach" } },
    write: saying("Write", "About {{item}}", "each"),
    sum: saying("Sum up", "All of {{parts}}"),
    out: { type: "output", title: "Out" },
  },
  edges: {
    a: { source: "items", sourceOutput: "value", target: "each", targetInput: "items" },
    b: { source: "main", sourceOutput: "context", target: "each", targetInput: "context" },
    c: { source: "each", sourceOutput: "context", target: "write", targetInput: "context" },
    d: { source: "each", sourceOutput: "item", target: "write", targetInput: "item" },
    e: { source: "write", sourceOutput: "response", target: "each", targetInput: "next" },
    f: { source: "main", sourceOutput: "context", target: "sum", targetInput: "context" },
    g: { source: "each", sourceOutput: "results", target: "sum", targetInput: "parts" },
    h: { source: "sum", sourceOutput: "response", target: "out", targetInput: "value" },
  },
  layout: {
    main: { x: 0, y: 0 },
    items: { x: 0, y: 140 },
    each: { x: 260, y: 0, width: 520, height: 320 },
    write: { x: 160, y: 60 },
    sum: { x: 840, y: 0 },
    out: { x: 1100, y: 0 },
  },
};

const OUTER: Flow = {
  version: 1,
  name: "Outer",
  nodes: {
    word: { type: "value", title: "Word", config: { value: "hi" } },
    sub: { type: "subflow", title: "Inner part", config: { flow: INNER, inputSource: "nodeOutput" } },
    out: { type: "output", title: "Result" },
  },
  edges: {
    a: { source: "word", sourceOutput: "value", target: "sub", targetInput: "value" },
    b: { source: "sub", sourceOutput: "text", target: "out", targetInput: "value" },
  },
  layout: { word: { x: 0, y: 0 }, sub: { x: 280, y: 0 }, out: { x: 560, y: 0 } },
};

const status = (page: Page) => page.getByTestId("run-status");
const lines = (page: Page) => page.getByTestId("bill-lines").locator("li");

/** Runs the outer flow and opens the run of the inner one. */
async function openInner(page: Page): Promise<void> {
  await openFlow(page, OUTER);
  await page.getByTestId("run-button").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await node(page, "sub").dblclick();
  await expect(page.getByTestId("crumb-here")).toHaveText("Inner");
  await expect(node(page, "write")).toBeVisible();
}

async function chooseOn(page: Page, id: string, command: string): Promise<void> {
  const header = (await intoView(page, node(page, id))).locator("header");
  await header.click();
  await header.click({ button: "right" });
  await page.getByTestId(`menu-${command}`).click();
  await expect(page.getByTestId("bill-start")).toBeFocused();
}

/** Starts the fork, and waits until it has ended: how many calls its tree bought. */
async function startFork(page: Page, host: TestHost): Promise<number> {
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("bill-dialog")).toHaveCount(0);
  await expect.poll(async () => (await host.call("runs.list", {})).length).toBe(2);
  const fork = async () => (await host.call("runs.list", {}))[0];
  await expect.poll(async () => (await fork())?.status).toBe("finished");
  return bought(host, (await fork())?.run ?? "");
}

async function bought(host: TestHost, run: RunId): Promise<number> {
  const { entries } = await host.call("runs.show", { run });
  const own = entries.filter((entry) => entry.type === "model.replied" && !entry.reused).length;
  const children = entries.flatMap((entry) => (entry.type === "child.started" ? [entry.run] : []));
  const below = await Promise.all(children.map((child) => bought(host, child)));
  return below.reduce((sum, count) => sum + count, own);
}

test("a node of a sub-flow's run and what follows from it are done again", async ({ page, host }) => {
  await openInner(page);
  await chooseOn(page, "write", "run.fromHere");
  await expect(page.getByTestId("bill-dialog")).toContainText("Run from “Write”");
  await expect(lines(page)).toHaveText([/write.*buys 2 replies/, /sum.*depends on what is bought/]);
  await takePicture(page, "fork-inside-bill");
  expect(await findViolations(page, { within: '[data-testid="bill-dialog"]' })).toEqual([]);
  expect(await startFork(page, host)).toBe(3);
});

test("one node of a sub-flow's run is done again, and the rest is reused", async ({ page, host }) => {
  await openInner(page);
  await chooseOn(page, "write", "run.again");
  expect(await startFork(page, host)).toBe(2);
});

test("one iteration in a sub-flow's run is sampled again", async ({ page, host }) => {
  await openInner(page);
  await chooseOn(page, "write", "run.sampleAgain");
  await expect(page.getByTestId("bill-summary")).toContainText(/reuses 1, buys 1/);
  expect(await startFork(page, host)).toBe(2);
});

test("a sub-flow's run is forked at an event of its past", async ({ page, host }) => {
  await openInner(page);
  // Before the end of the last chat.
  const position = page.getByTestId("time-position");
  await page.keyboard.press("F7");
  while (!(await position.textContent())?.includes("node.started · Sum up")) await page.keyboard.press("F7");
  await page.keyboard.press("Alt+F7");
  await expect(page.getByTestId("bill-start")).toBeFocused();
  await expect(page.getByTestId("bill-dialog")).toContainText(/Fork after event \d+/);
  await expect(page.getByTestId("bill-summary")).toContainText(/reuses 2, buys 1/);
  expect(await startFork(page, host)).toBe(1);
});
