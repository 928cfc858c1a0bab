/**
 * Every screen at every size that the window folds for, also at 200 % zoom, in both themes: axe-core finds nothing, and a picture
 * goes into the gallery that `cargo xtask test` makes.
 */
import type { Locator, Page } from "@playwright/test";
import type { Flow } from "../../src/bindings";
import { findViolationsInThemes } from "./axe";
import {
  CHAT_FLOW,
  expect,
  FAILING_FLOW,
  filePath,
  N8N_WORKFLOW,
  node,
  openEmpty,
  openFlow,
  putFile,
  runToEnd as runOnHost,
  takePicture,
  test,
} from "./fixture";

const SIZES = [
  { name: "1280×800", viewport: { width: 1280, height: 800 } },
  { name: "1000×700", viewport: { width: 1000, height: 700 } },
  { name: "1280×800 at 200 %", viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
] as const;

/** What shows that a panel is open, by what its command shows. */
const PANELS: Record<string, (panel: Locator) => Locator> = {
  flows: (panel) => panel.getByTestId("flows-panel"),
  runs: (panel) => panel.getByText("No runs yet"),
  conversations: (panel) => panel.getByTestId("conversation-begin"),
  "knowledge bases": (panel) => panel.getByTestId("knowledge-add"),
  memory: (panel) => panel.getByTestId("memory-add"),
  "MCP servers": (panel) => panel.getByTestId("mcp-panel"),
  "what this flow may do": (panel) => panel.getByTestId("grants-panel"),
};

const FRAMES_AND_LOOPS: Flow = {
  ...CHAT_FLOW,
  nodes: {
    ...CHAT_FLOW.nodes,
    loop: { type: "loop", title: "Refine" },
    draft: { type: "text", title: "Draft", parent: "loop" },
    folded: { type: "loop", title: "Folded" },
    kept: { type: "text", title: "Kept", parent: "folded" },
  },
  layout: {
    ...CHAT_FLOW.layout,
    loop: { x: 0, y: 420, width: 520, height: 250 },
    draft: { x: 150, y: 70 },
    folded: { x: 580, y: 420, width: 520, height: 250, folded: true },
    kept: { x: 150, y: 70 },
  },
  frames: {
    frame: { title: "Intake", nodes: ["start", "tools"], x: -30, y: -50, width: 270, height: 400, color: "amber" },
  },
};

/** Checks the screen in both themes. `what` names it. */
async function expectAccessible(page: Page, what: string): Promise<void> {
  const folder = test.info().titlePath.at(-2) ?? "";
  const found = await findViolationsInThemes(page, (theme) => takePicture(page, `${folder}, ${theme}/${what}`));
  expect.soft(found, what).toEqual([]);
}

/** Runs the flow until its person ends the conversation. */
async function runToEnd(page: Page): Promise<void> {
  await page.getByTestId("run-button").click();
  const status = page.getByTestId("run-status");
  await expect(status).toHaveAttribute("data-status", "waiting");
  await expectAccessible(page, "a question");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("end without an answer");
  await page.keyboard.press("Enter");
  await expect(status).toHaveAttribute("data-status", "finished");
}

/** Shows a part by its command, wherever its button is at this size. */
async function command(page: Page, title: string): Promise<void> {
  // A dialog that is closing still has the keyboard.
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("Control+k");
  // Text typed before the palette has the focus is lost.
  await expect(page.getByTestId("command-palette").getByRole("combobox")).toBeFocused();
  await page.keyboard.type(title);
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("command-palette")).toHaveCount(0);
}

for (const { name, ...size } of SIZES) {
  test.describe(name, () => {
    test.use({ colorScheme: "dark", ...size });
    // A check of a whole page takes seconds, and much longer on a busy machine.
    test.setTimeout(300_000);

    test("no accessibility violations on the empty canvas, in panels and dialogs", async ({ page }) => {
      await page.goto("/");
      await expect(page.getByTestId("start-page")).toBeVisible();
      await expectAccessible(page, "start page");
      await openEmpty(page);
      await expectAccessible(page, "empty canvas");
      await command(page, "Show node types");
      await expect(page.getByTestId("palette-search")).toBeVisible();
      await expectAccessible(page, "palette");
      await command(page, "Show settings");
      await expect(page.getByTestId("provider-openai")).toBeVisible();
      await expectAccessible(page, "settings");
      await page.keyboard.press("Control+k");
      await expect(page.getByTestId("command-palette")).toBeVisible();
      await expectAccessible(page, "command palette");
      await page.keyboard.press("Escape");
      await command(page, "Keyboard shortcuts");
      await expect(page.getByTestId("shortcuts-help")).toBeVisible();
      await expectAccessible(page, "shortcuts");
      await page.keyboard.press("Escape");
      await command(page, "Guide");
      await expect(page.getByTestId("guide")).toBeVisible();
      await expectAccessible(page, "guide");
      await page.keyboard.press("Escape");
      for (const [panel, opened] of Object.entries(PANELS)) {
        await command(page, `Show ${panel}`);
        await expect(opened(page.getByRole("region", { name: "Left panel" })).filter({ visible: true })).toBeVisible();
        await expectAccessible(page, panel);
      }
    });

    test("no accessibility violations in a finished run and the inspector's tabs", async ({ page }) => {
      await openFlow(page);
      await runToEnd(page);
      await expectAccessible(page, "a finished run");
      await node(page, "start").click();
      if (size.viewport.width < 1100) await page.keyboard.press("Control+i");
      for (const tab of ["config", "io", "context"]) {
        await page.getByTestId(`inspector-tab-${tab}`).click();
        await expectAccessible(page, `inspector ${tab}`);
      }
      if (size.viewport.width >= 1100) return;
      await page.keyboard.press("Control+i");
      await page.keyboard.press("Control+j");
      await expectAccessible(page, "dock over the canvas");
    });

    test("no accessibility violations in the prompt, the timeline, the events and the problems of a run", async ({
      page,
      host,
    }) => {
      await runOnHost(host, FAILING_FLOW);
      await page.goto("/");
      // Keys that are pressed before the window is there are lost.
      await expect(page.getByTestId("start-page")).toBeVisible();
      await command(page, "Show runs");
      await page.locator("[data-testid^=run-row-]").first().getByRole("button").first().click();
      await expect(page.getByTestId("run-status")).toBeVisible();
      for (const [title, opened] of [
        ["Timeline", "timeline"],
        ["Events", "events"],
        ["Problems", "problem"],
      ] as const) {
        await command(page, `Show ${title}`);
        await expect(page.getByTestId(opened).filter({ visible: true }).first()).toBeVisible();
        await expectAccessible(page, title.toLowerCase());
      }
      const narrow = size.viewport.width < 1100;
      if (narrow) await page.keyboard.press("Control+j");
      await command(page, "Go to Draft");
      if (narrow) await page.keyboard.press("Control+i");
      await page.getByTestId("inspector-tab-prompt").click();
      await expect(page.getByTestId("prompt-lens")).toBeVisible();
      await expectAccessible(page, "inspector prompt");
    });

    test("no accessibility violations with frames, loops, tabs, menus and dialogs of the document", async ({
      page,
    }) => {
      putFile(filePath("other.flow.json"), { ...CHAT_FLOW, name: "Research brief" });
      await openFlow(page, FRAMES_AND_LOOPS);
      await expect(page.getByTestId("frame-frame")).toBeVisible();
      await expectAccessible(page, "frames and loops");
      await node(page, "start").click({ button: "right" });
      await expect(page.getByTestId("canvas-menu")).toBeVisible();
      await expectAccessible(page, "menu of a node");
      await page.keyboard.press("Escape");
      await page.locator(".react-flow__pane").click({ button: "right", position: { x: 12, y: 60 } });
      await expect(page.getByTestId("menu-menu.add")).toBeVisible();
      await expectAccessible(page, "menu of the canvas");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+Shift+f");
      await expect(page.getByTestId("flow-search")).toBeVisible();
      await page.keyboard.type("customer");
      await expectAccessible(page, "flow search");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      await command(page, "Versions");
      await expect(page.getByTestId("versions-dialog")).toBeVisible();
      await expectAccessible(page, "versions");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+o");
      await page.getByTestId("file-dialog-path").fill(filePath("other.flow.json"));
      await page.keyboard.press("Enter");
      await expect(page.getByTestId("flow-name")).toHaveText("Research brief");
      await expectAccessible(page, "several tabs");
      if (size.viewport.width < 1100) {
        await page.getByTestId("tab-menu").click();
        await expect(page.getByRole("menuitem", { name: "Close flow" })).toBeVisible();
        await expectAccessible(page, "menu of the tabs");
        await page.keyboard.press("Escape");
      }
      await command(page, "Import…");
      putFile(filePath("mail.json"), N8N_WORKFLOW);
      await page.getByTestId("file-dialog-path").fill(filePath("mail.json"));
      await page.getByTestId("file-dialog-ok").click();
      await expect(page.getByTestId("import-dialog")).toBeVisible();
      await expectAccessible(page, "import report");
    });
  });
}
