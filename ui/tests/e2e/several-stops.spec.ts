/** Several branches that stand still at once: all are marked, one is chosen, and each goes on by itself. */
import type { Page } from "@playwright/test";
import type { Flow } from "../../src/bindings";
import { findViolations } from "./axe";
import { expect, node, openFlow, SCRIPTED, takePicture, test } from "./fixture";

const chat = (title: string, prompt: string, text: string) => ({
  type: "chat",
  title,
  config: { prompt, options: { replies: [{ text }] } },
});

const FLOW: Flow = {
  version: 1,
  name: "Two opinions",
  nodes: {
    main: SCRIPTED,
    apart: { type: "newContext", title: "Apart" },
    left: chat("Optimist", "What speaks for it?", "Much."),
    right: chat("Skeptic", "What speaks against it?", "Little."),
    both: { type: "join", title: "Both" },
    out: { type: "output", title: "Result" },
  },
  edges: {
    a: { source: "main", sourceOutput: "context", target: "left", targetInput: "context" },
    b: { source: "main", sourceOutput: "context", target: "apart", targetInput: "context" },
    f: { source: "apart", sourceOutput: "context", target: "right", targetInput: "context" },
    c: { source: "left", sourceOutput: "response", target: "both", targetInput: "values" },
    d: { source: "right", sourceOutput: "response", target: "both", targetInput: "values" },
    e: { source: "both", sourceOutput: "list", target: "out", targetInput: "value" },
  },
  layout: {
    main: { x: 0, y: 0 },
    left: { x: 280, y: 0 },
    apart: { x: 0, y: 220 },
    right: { x: 280, y: 160 },
    both: { x: 560, y: 60 },
    out: { x: 840, y: 60 },
  },
};

const status = (page: Page) => page.getByTestId("run-status");
const bar = (page: Page) => page.getByTestId("stop-bar");
const chooser = (page: Page) => page.getByTestId("stop-chooser");
const bead = (page: Page, id: string, side: string) => page.getByTestId(`bead-${id}-${side}`);

async function pauseBranchAt(page: Page, id: string, label: string): Promise<void> {
  await node(page, id).locator("header").click();
  const section = page.getByTestId("breakpoints");
  await section.getByRole("switch", { name: label }).click();
  await section.getByRole("button", { name: "This branch only" }).click();
}

async function pauseBoth(page: Page): Promise<void> {
  await openFlow(page, FLOW);
  await pauseBranchAt(page, "left", "Pause before each call");
  await pauseBranchAt(page, "right", "Pause before each call");
  await page.getByTestId("run-button").click();
  await expect(status(page)).toHaveText("Paused at 2 places");
}

test("two branches are paused at once, and each goes on by itself", async ({ page, host }) => {
  await pauseBoth(page);
  await expect(bead(page, "left", "call")).toHaveAttribute("data-here", "true");
  await expect(bead(page, "right", "call")).toHaveAttribute("data-here", "true");
  expect((await chooser(page).locator("option").allTextContents()).toSorted()).toEqual(["In Optimist", "In Skeptic"]);

  await chooser(page).selectOption({ label: "In Optimist" });
  await expect(bar(page)).toContainText("Paused in Optimist");
  await page.keyboard.press("Alt+F8");
  await expect(bar(page)).toContainText("Paused in Skeptic");
  await page.keyboard.press("Alt+F8");
  await expect(bar(page)).toContainText("Paused in Optimist");
  await page.getByTestId("go-continue").click();
  await expect(page.getByTestId("node-status-left")).toHaveAttribute("data-state", "done");
  await expect(bead(page, "left", "call")).not.toHaveAttribute("data-here", "true");
  await expect(bead(page, "right", "call")).toHaveAttribute("data-here", "true");
  await expect(chooser(page)).toHaveCount(0);
  await expect(bar(page)).toContainText("Paused in Skeptic");
  await expect(page.getByTestId("go-continue-all")).toHaveCount(0);
  const [run] = await host.call("runs.list", {});
  const calls = async () => JSON.stringify(await host.call("lens.show", { run: run?.run ?? "" }));
  expect(await calls()).toContain("What speaks for it?");
  expect(await calls()).not.toContain("What speaks against it?");

  // The whole run is paused beside the branch, and everything goes on together.
  await page.keyboard.press("F6");
  await expect(status(page)).toHaveText("Paused at 2 places");
  await expect(bar(page)).not.toContainText("other branches go on");
  await page.getByTestId("go-continue-all").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await expect(bar(page)).toHaveCount(0);
  expect(await calls()).toContain("What speaks against it?");
});

test("the conversation says that the call is paused", async ({ page }) => {
  await pauseBoth(page);
  await page.getByTestId("dock-tab-conversation").click();
  await expect(page.getByTestId("streaming").first()).toHaveText("Paused before model call 1");
  await page.getByTestId("go-continue-all").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
});

test("a card that is only selected has no port without a name", async ({ page }) => {
  await openFlow(page, FLOW);
  await node(page, "left").locator("header").click();
  await expect(node(page, "left")).toHaveAttribute("data-selected", "true");
  const nameless = node(page, "left").locator(".port[data-squeezed]");
  await expect(nameless).toHaveCount(1);
  await page.mouse.move(5, 5);
  await expect(nameless).toHaveCSS("border-top-color", "rgba(0, 0, 0, 0)");
  await takePicture(page, "card-selected");
  await node(page, "left").locator("header").hover();
  await expect(nameless).not.toHaveCSS("border-top-color", "rgba(0, 0, 0, 0)");
});

for (const theme of ["dark", "light"] as const) {
  test.describe(theme, () => {
    test.use({ colorScheme: theme });

    test("several paused places have no accessibility violations and fit in a small window", async ({ page }) => {
      await pauseBoth(page);
      await page.setViewportSize({ width: 1280, height: 800 });
      await takePicture(page, `several-stops-${theme}`);
      expect(await findViolations(page)).toEqual([]);
      await page.setViewportSize({ width: 1000, height: 700 });
      for (const id of ["stop-chooser", "go-continue", "go-all", "go-continue-all"]) {
        await expect(page.getByTestId(id)).toBeInViewport({ ratio: 1 });
      }
      await takePicture(page, `several-stops-small-${theme}`);
    });
  });
}
