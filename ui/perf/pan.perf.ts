/** Panning with many nodes: the idle editor, the editor while a run streams into 50 of them, and plain React Flow. */
import { type Browser, type Page, test } from "@playwright/test";
import { type Cost, recordCost } from "./cost";
import { gridFlow, openFlow } from "./flows";
import { type Frames, recordFrames } from "./frames";

const SECONDS = 4;
/** Some hundred nodes are in view. */
const FAR_ZOOM = 0.3;
const STREAMS = { eventsPerSecond: 2_000, seconds: 30, streams: 50 };

for (const count of [1_000, 5_000]) {
  test(`panning ${count} nodes`, async ({ page, browser }) => {
    const bare = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
    await bare.goto(`/perf/bare.html?nodes=${count}`);
    await bare.locator(".react-flow__node").first().waitFor();
    await openFlow(page, gridFlow(count, STREAMS));
    await alignZoom(page);

    const results: Record<string, Frames & Cost> = {};
    await bare.bringToFront();
    results.bare = await pan(browser, bare, ".react-flow__pane");
    await page.bringToFront();
    results.idle = await pan(browser, page, ".canvas .react-flow__pane");
    await page.getByTestId("run-button").click();
    await page.locator("[data-testid^=node-status-]:not([data-state=idle])").first().waitFor();
    results.streaming = await pan(browser, page, ".canvas .react-flow__pane");
    await bare.bringToFront();
    results.bareAgain = await pan(browser, bare, ".react-flow__pane");
    await bare.goto(`/perf/bare.html?nodes=${count}&zoom=${FAR_ZOOM}`);
    await bare.locator(".react-flow__node").first().waitFor();
    results.bareFar = await pan(browser, bare, ".react-flow__pane");
    await page.bringToFront();
    await page.getByTestId("stop-button").click();
    await zoomTo(page, FAR_ZOOM);
    results.far = await pan(browser, page, ".canvas .react-flow__pane");
    await page.getByTestId("run-button").click();
    await page.locator("[data-testid=run-status][data-status=running]").waitFor();
    results.farStreaming = await pan(browser, page, ".canvas .react-flow__pane");
    test
      .info()
      .annotations.push({ type: "result", description: JSON.stringify({ measure: "pan", nodes: count, ...results }) });
  });
}

/** As large as the bare page draws them, from the same corner; the two canvases differ in size only by the panels. */
async function alignZoom(page: Page): Promise<void> {
  for (const part of ["Dock", "Inspector"]) await page.getByRole("button", { name: part, exact: true }).click();
  // The third node of the third row in the middle, at full size: the upper left corner of the grid is in view.
  await page.keyboard.press("Control+k");
  await page.keyboard.type("go to node 102");
  await page.keyboard.press("Enter");
  await page.waitForTimeout(600);
}

/** Turns the wheel until the canvas is about as small. */
async function zoomTo(page: Page, zoom: number): Promise<void> {
  const level = async () => Number.parseInt(await page.getByTestId("zoom-level").innerText(), 10);
  await page.locator(".canvas .react-flow__pane").hover();
  while ((await level()) > zoom * 100) {
    await page.mouse.wheel(0, 40);
    await page.waitForTimeout(60);
  }
}

/** Drags the pane to and fro, as a hand does. */
async function pan(browser: Browser, page: Page, pane: string): Promise<Frames & Cost> {
  const box = await page.locator(pane).boundingBox();
  if (!box) throw new Error("There is no canvas.");
  await page.waitForTimeout(400);
  const cost = await recordCost(browser, page);
  const recorded = await recordFrames(page);
  const end = Date.now() + SECONDS * 1000;
  // From the empty strip between two rows of nodes.
  for (let turn = 0; Date.now() < end; turn++) {
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const by = (turn % 2 === 0 ? -1 : 1) * 300;
    await page.mouse.move(x - by, y);
    await page.mouse.down({ button: "middle" });
    await page.mouse.move(x + by, y + by / 3, { steps: 30 });
    await page.mouse.up({ button: "middle" });
  }
  const frames = await recorded.stop();
  return { ...frames, ...(await cost.stop(frames.frames)) };
}
