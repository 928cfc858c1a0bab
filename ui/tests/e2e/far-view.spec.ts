/** The canvas from far away: tiles with titles that can be read, then a map. */
import type { Page } from "@playwright/test";
import type { Flow } from "../../src/bindings";
import { expect, FAILING_FLOW, node, openFlow, openLatestRun, runToEnd, takePicture, test } from "./fixture";

const FLOW: Flow = {
  ...FAILING_FLOW,
  frames: {
    intake: { title: "Intake", color: "blue", nodes: ["start", "clock"], x: -20, y: -40, width: 260, height: 340 },
  },
};

async function zoomOutTo(page: Page, percent: number): Promise<void> {
  const level = async () => Number.parseInt((await page.getByTestId("zoom-level").innerText()) ?? "100", 10);
  await page.getByTestId("canvas").click({ position: { x: 20, y: 20 } });
  while ((await level()) > percent) {
    const before = await level();
    await page.keyboard.press("-");
    await expect.poll(level).toBeLessThan(before);
  }
  // The zoom is animated.
  await page.waitForTimeout(250);
}

/** The color that is painted at a place of an element, in shares of its width and height. */
async function colorAt(page: Page, id: string, across: number, down: number): Promise<string> {
  const box = await node(page, id).boundingBox();
  if (!box) throw new Error(`There is no ${id}.`);
  return page.getByTestId("far-picture").evaluate(
    (element, { x, y }) => {
      const canvas = element as HTMLCanvasElement;
      const corner = canvas.getBoundingClientRect();
      return [...(canvas.getContext("2d")?.getImageData(x - corner.x, y - corner.y, 1, 1).data ?? [])].join();
    },
    { x: box.x + across * box.width, y: box.y + down * box.height },
  );
}

test("cards are painted as tiles from far away, in the colors of their states", async ({ page }) => {
  await openFlow(page, FLOW);
  await expect(page.getByTestId("far-picture")).toHaveCount(0);
  await page.getByTestId("run-button").click();
  await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "failed");
  await zoomOutTo(page, 45);
  await expect(page.locator(".card")).toHaveCount(0);
  await expect(node(page, "draft")).toHaveText("Draft");
  await expect(page.getByTestId("node-status-draft")).toHaveAccessibleName("Done");
  const stateColor = (id: string) => colorAt(page, id, 0.95, 0.85);
  await expect.poll(async () => (await stateColor("draft")) === (await stateColor("clock"))).toBe(true);
  expect(await stateColor("draft")).not.toBe(await stateColor("check"));
  // Something is written in the middle of the tile.
  const written = new Set<string>();
  for (let at = 0; at < 20; at++) written.add(await colorAt(page, "draft", 0.3 + at / 60, 0.5));
  expect(written.size).toBeGreaterThan(3);
  await takePicture(page, "far-view/tiles");
});

/** A node that waits for a person, one that waits for it, one that works, and one that has ended. */
const WAITING: Flow = {
  version: 1,
  name: "Parcels",
  nodes: {
    start: { type: "contextStart", title: "main" },
    ask: { type: "userInput", title: "Ask", config: { prompt: "Which parcel?" } },
    answer: { type: "chat", title: "Answer" },
    hold: { type: "delay", title: "Hold", config: { ms: 60_000 } },
    done: { type: "text", title: "Note", config: { template: "Lyon" } },
  },
  edges: {
    a: { source: "start", sourceOutput: "context", target: "ask", targetInput: "context" },
    b: { source: "ask", sourceOutput: "context", target: "answer", targetInput: "context" },
    c: { source: "done", sourceOutput: "text", target: "hold", targetInput: "in" },
  },
  layout: {
    start: { x: 0, y: 0 },
    ask: { x: 300, y: 0 },
    answer: { x: 600, y: 0 },
    done: { x: 0, y: 240 },
    hold: { x: 300, y: 240 },
  },
};

/** A chat that fails, and one that is skipped for it. */
const SKIPPING: Flow = {
  ...FAILING_FLOW,
  nodes: { ...FAILING_FLOW.nodes, tell: { type: "chat", title: "Tell" } },
  edges: {
    ...FAILING_FLOW.edges,
    d: { source: "check", sourceOutput: "context", target: "tell", targetInput: "context" },
  },
  layout: { ...FAILING_FLOW.layout, tell: { x: 900, y: 0 } },
};

for (const percent of [45, 24]) {
  test(`at ${percent} %, each state has a color of its own, and the edge of a tile its context's`, async ({
    page,
    host,
  }) => {
    const colors: Record<string, string> = {};
    await openFlow(page, WAITING);
    await page.getByTestId("run-button").click();
    await expect(page.getByTestId("node-status-ask")).toHaveAttribute("data-state", "paused");
    await expect(page.getByTestId("node-status-hold")).toHaveAttribute("data-state", "running");
    await zoomOutTo(page, percent);
    await expect(page.getByTestId("node-status-done")).toHaveAccessibleName("Done");
    const stateColor = (id: string) => colorAt(page, id, 0.95, 0.85);
    for (const [state, id] of Object.entries({ waiting: "ask", "not yet": "answer", running: "hold", done: "done" }))
      colors[state] = await stateColor(id);
    // The edge is three pixels wide, and its first one is often a mixture: where the tile begins within a pixel.
    const edge = async (id: string) => {
      const { width = 1 } = (await node(page, id).boundingBox()) ?? {};
      return await colorAt(page, id, 1.5 / width, 0.5);
    };
    expect(await edge("start")).not.toBe(await edge("done"));
    expect(await edge("answer")).toBe(await edge("ask"));

    await page.getByTestId("stop-button").click();
    await expect(page.getByTestId("run-status")).toHaveText("Stopped");
    await expect.poll(() => stateColor("hold")).not.toBe(colors.running);
    colors.stopped = await stateColor("hold");
    await runToEnd(host, SKIPPING);
    await openLatestRun(page);
    await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "failed");
    await zoomOutTo(page, percent);
    // The picture is painted some time after the status is there.
    await expect.poll(() => stateColor("draft")).toBe(colors.done);
    colors.failed = await stateColor("check");
    colors.skipped = await stateColor("tell");
    const different = new Set(Object.values(colors));
    expect({ ...colors, count: different.size }).toEqual({ ...colors, count: 7 });
  });
}

test("an old result is neither the color of a new one nor of none", async ({ page }) => {
  await openFlow(page, FAILING_FLOW);
  await page.getByTestId("run-button").click();
  await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "failed");
  await zoomOutTo(page, 24);
  const stateColor = (id: string) => colorAt(page, id, 0.95, 0.85);
  const [done, failed] = [await stateColor("draft"), await stateColor("check")];
  await node(page, "draft").click();
  await page.getByLabel("Prompt", { exact: true }).fill("What day is it?");
  await page.getByTestId("canvas").click({ position: { x: 20, y: 20 } });
  await expect.poll(() => stateColor("draft")).not.toBe(done);
  expect(await stateColor("draft")).not.toBe(failed);
});

test("on the map, nodes are boxes of one color", async ({ page }) => {
  await openFlow(page, FLOW);
  await zoomOutTo(page, 24);
  const written = new Set<string>();
  for (let at = 0; at < 10; at++) written.add(await colorAt(page, "draft", 0.2 + at / 20, 0.5));
  expect(written.size).toBe(1);
  await takePicture(page, "far-view/map");
});

test("a tile is selected, dragged and opened for its menu like its card, and renamed in place", async ({ page }) => {
  await openFlow(page, FLOW);
  await zoomOutTo(page, 45);
  const tile = node(page, "draft");
  const before = await tile.boundingBox();
  if (!before) throw new Error("There is no tile.");
  await page.mouse.move(before.x + 20, before.y + 20);
  await page.mouse.down();
  await page.mouse.move(before.x + 60, before.y + 80, { steps: 6 });
  await page.mouse.up();
  expect((await tile.boundingBox())?.y).toBeGreaterThan(before.y + 20);
  await tile.click();
  await expect(tile).toHaveAttribute("data-selected", "true");
  await page.keyboard.press("F2");
  await page.getByTestId("rename-draft").fill("Reply");
  await page.keyboard.press("Enter");
  await expect(tile).toHaveText("Reply");
  await tile.click({ button: "right" });
  await expect(page.getByTestId("menu-edit.duplicate")).toBeVisible();
  await page.keyboard.press("Escape");
  await tile.dblclick();
  await expect(page.getByTestId("far-picture")).toHaveCount(0);
  await expect(node(page, "draft").locator(".card-title")).toHaveText("Reply");
});
