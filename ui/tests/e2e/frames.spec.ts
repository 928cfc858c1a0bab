import type { Page } from "@playwright/test";
import { findViolations } from "./axe";
import { drag, expect, middle, node, openFlow, savedFlow, takePicture, test } from "./fixture";

const frame = (page: Page) => page.getByTestId("frame-frame");

/** Puts a frame named Intake around the start and the tools. */
async function addIntake(page: Page): Promise<void> {
  await openFlow(page);
  await node(page, "start").locator(".summary").click();
  await node(page, "tools")
    .locator(".summary")
    .click({ modifiers: ["Shift"] });
  await page.keyboard.press("Alt+g");
  await page.getByTestId("rename-frame:frame").fill("Intake");
  await page.keyboard.press("Enter");
}

test("a frame is added around the selection, renamed, colored, undone and deleted; its nodes stay", async ({
  page,
}) => {
  await addIntake(page);
  await expect(frame(page)).toContainText("Intake");
  expect((await savedFlow(page)).frames?.frame).toMatchObject({ title: "Intake", nodes: ["start", "tools"] });

  await frame(page).getByText("Intake").dblclick();
  await page.getByTestId("rename-frame:frame").fill("Input");
  await page.keyboard.press("Enter");
  await expect(frame(page)).toContainText("Input");
  await page.keyboard.press("Control+z");
  await expect(frame(page)).toContainText("Intake");

  await frame(page).getByText("Intake").click({ button: "right" });
  await page.getByTestId("menu-color.amber").click();
  await expect(frame(page)).toHaveAttribute("data-color", "amber");
  await page.getByTestId("frame-title").fill("From outside");
  await page.keyboard.press("Enter");
  await expect(frame(page)).toContainText("From outside");

  await frame(page).getByText("From outside").click();
  await page.keyboard.press("Delete");
  await expect(frame(page)).toHaveCount(0);
  await expect(node(page, "start")).toBeVisible();
  expect(await savedFlow(page)).not.toHaveProperty("frames");
  await page.keyboard.press("Control+z");
  await expect(frame(page)).toBeVisible();
});

test("a frame moves with its nodes, by pointer and by keyboard, and one undo puts them back", async ({ page }) => {
  await addIntake(page);
  const before = await savedFlow(page);
  const start = await middle(node(page, "start"));
  const title = await middle(frame(page).getByText("Intake"));
  await page.mouse.move(title.x, title.y);
  await page.mouse.down();
  await page.mouse.move(title.x + 20, title.y + 30, { steps: 4 });
  // It stays below its nodes, also under the pointer. They follow while it is dragged.
  const level = await frame(page).evaluate((box) => getComputedStyle(box.parentElement ?? box).zIndex);
  expect(Number(level)).toBeLessThan(0);
  await expect.poll(async () => (await middle(node(page, "start"))).y - start.y).toBeGreaterThan(20);
  await page.mouse.up();
  const after = await savedFlow(page);
  const by = (after.layout.start?.x ?? 0) - (before.layout.start?.x ?? 0);
  expect(by).toBeGreaterThan(5);
  expect((after.frames?.frame?.x ?? 0) - (before.frames?.frame?.x ?? 0)).toBe(by);
  expect((after.layout.tools?.x ?? 0) - (before.layout.tools?.x ?? 0)).toBe(by);
  expect(after.layout.ask).toEqual(before.layout.ask);
  await page.keyboard.press("Control+z");
  expect(await savedFlow(page)).toEqual(before);

  await page.locator(".react-flow__node[data-id='frame:frame']").focus();
  await page.keyboard.press("ArrowRight");
  const nudged = await savedFlow(page);
  expect(nudged.layout.start?.x).toBe((before.layout.start?.x ?? 0) + 1);
  expect(nudged.frames?.frame?.x).toBe((before.frames?.frame?.x ?? 0) + 1);
});

test("nodes are dragged out of a frame and into it", async ({ page }) => {
  await addIntake(page);
  const canvas = await page.getByTestId("canvas").boundingBox();
  if (!canvas) throw new Error("There is no canvas.");
  await drag(page, node(page, "tools").locator(".summary"), { x: canvas.x + canvas.width / 2, y: canvas.y + 40 });
  expect((await savedFlow(page)).frames?.frame?.nodes).toEqual(["start"]);
  await drag(page, node(page, "tools").locator(".summary"), await middle(frame(page).getByText("Intake")));
  expect((await savedFlow(page)).frames?.frame?.nodes).toEqual(["start", "tools"]);
});

test("a frame is duplicated with its nodes", async ({ page }) => {
  await addIntake(page);
  await frame(page).getByText("Intake").click();
  await page.keyboard.press("Control+d");
  const { frames = {}, nodes } = await savedFlow(page);
  expect(Object.keys(nodes)).toHaveLength(7);
  expect(Object.values(frames).map((one) => one.nodes)).toEqual([
    ["start", "tools"],
    ["start-2", "tools-2"],
  ]);
});

test("a frame folds to a card that edges end at, and unfolds; going to a node in it unfolds it", async ({ page }) => {
  await addIntake(page);
  const before = await savedFlow(page);
  const edges = page.locator(".react-flow__edge");
  const edgeCount = await edges.count();
  await page.getByRole("button", { name: "Fold frame", exact: true }).click();
  await expect(frame(page)).toContainText("Intake");
  await expect(frame(page)).toContainText("2 nodes");
  await expect(node(page, "start")).toHaveCount(0);
  await expect(node(page, "ask")).toBeVisible();
  await expect(edges).toHaveCount(edgeCount);
  await expect(frame(page).locator(".body-handle")).toHaveAttribute("data-side", "out");
  const box = await frame(page).boundingBox();
  const lines = await page.locator(".react-flow__edge .strand-line").all();
  expect(lines).toHaveLength(edgeCount);
  for (const line of lines)
    expect((await line.boundingBox())?.x).toBeGreaterThan((box?.x ?? 0) + (box?.width ?? 0) - 12);
  expect((await savedFlow(page)).frames?.frame).toEqual({ ...before.frames?.frame, folded: true });
  expect(await findViolations(page, { within: '[data-testid="canvas"]' })).toEqual([]);
  await takePicture(page, "frame-folded");
  await page.emulateMedia({ colorScheme: "dark" });
  await takePicture(page, "frame-folded-dark");

  const card = page.locator(".react-flow__node[data-id='frame:frame']");
  await page.keyboard.press("Alt+ArrowRight");
  await expect(card).not.toBeFocused();
  await page.keyboard.press("Alt+ArrowLeft");
  await expect(card).toBeFocused();

  // The card has the focus: the shortcut works at once. Undo folds it again.
  await page.keyboard.press("Shift+F");
  await expect(node(page, "start")).toBeVisible();
  expect(await savedFlow(page)).toEqual(before);
  await takePicture(page, "frame-open");
  await page.keyboard.press("Control+z");
  await expect(node(page, "start")).toHaveCount(0);

  await page.keyboard.press("Control+k");
  await page.getByTestId("menu-field").fill("go to start");
  await page.getByTestId("command-go-start").click();
  await expect(node(page, "start")).toBeVisible();
  await expect(node(page, "start")).toHaveAttribute("data-selected", "true");
});

test("a folded frame moves with what is in it, and opens with a double click", async ({ page }) => {
  await addIntake(page);
  await page.getByRole("button", { name: "Fold frame", exact: true }).click();
  const before = await savedFlow(page);
  const from = await middle(frame(page).locator(".summary"));
  await drag(page, frame(page).locator(".summary"), { x: from.x + 40, y: from.y + 60 });
  const after = await savedFlow(page);
  const by = (after.frames?.frame?.y ?? 0) - (before.frames?.frame?.y ?? 0);
  expect(by).toBeGreaterThan(20);
  expect((after.layout.start?.y ?? 0) - (before.layout.start?.y ?? 0)).toBe(by);
  expect((after.layout.tools?.y ?? 0) - (before.layout.tools?.y ?? 0)).toBe(by);
  expect(after.frames?.frame?.width).toBe(before.frames?.frame?.width);
  await frame(page).locator(".summary").dblclick();
  await expect(node(page, "start")).toBeVisible();
});

test("a folded frame shows the state of a run of its nodes", async ({ page }) => {
  await addIntake(page);
  await page.getByRole("button", { name: "Fold frame", exact: true }).click();
  await expect(frame(page).getByRole("img", { name: "Not run yet" })).toBeVisible();
  await page.keyboard.press("Control+Enter");
  await expect(frame(page).getByRole("img", { name: /^Done/ })).toBeVisible({ timeout: 30_000 });
});

test("a flow that opens in the far view has the edges of its folded frames from near, too", async ({ page }) => {
  const frame = (id: string, x: number) => ({ title: id, nodes: [id], x, y: 0, width: 240, height: 150, folded: true });
  await openFlow(page, {
    version: 1,
    name: "Wide",
    nodes: {
      alone: { type: "text" },
      from: { type: "manualInput" },
      to: { type: "text", config: { template: "{{x}}" } },
    },
    edges: { e: { source: "from", sourceOutput: "value", target: "to", targetInput: "x" } },
    layout: { alone: { x: 0, y: -300 }, from: { x: 16, y: 36 }, to: { x: 4016, y: 36 } },
    frames: { left: frame("from", 0), right: frame("to", 4000) },
  });
  await expect(page.getByTestId("far-picture")).toBeAttached();
  await expect(page.locator(".react-flow__edge")).toHaveCount(1);
  await page.keyboard.press("0");
  await expect(page.getByTestId("far-picture")).toHaveCount(0);
  await expect(page.locator(".react-flow__edge .strand-line")).toHaveCount(1);
});
