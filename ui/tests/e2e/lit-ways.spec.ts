/** What the pointer is on shows its way through the flow. */
import { expect, handle, node, openFlow, TALK_FLOW, takePicture, test } from "./fixture";

test("a port lights its edges and the cards at their ends, and dims the rest", async ({ page }) => {
  await openFlow(page, TALK_FLOW);
  const lit = () =>
    page.locator(".react-flow__edge[data-lit]").evaluateAll((all) => all.map((edge) => edge.getAttribute("data-id")));
  expect(await lit()).toEqual([]);
  await handle(page, "ask", "in", "context").hover();
  await expect.poll(async () => (await lit()).length).toBe(2);
  const opacityOf = (id: string) => node(page, id).evaluate((card) => getComputedStyle(card).opacity);
  await expect.poll(() => opacityOf("tools")).toBe("0.5");
  expect(await opacityOf("start")).toBe("1");
  await takePicture(page, "lit-ways/port");
  await page.getByTestId("canvas").hover({ position: { x: 30, y: 30 } });
  await expect.poll(lit).toEqual([]);
  expect(await opacityOf("tools")).toBe("1");
});

test("of the edges that end in one port, the one that is pointed at lights alone", async ({ page }) => {
  await openFlow(page, TALK_FLOW);
  const edge = page.getByTestId("edge-start.context->ask.context").locator(".react-flow__edge-interaction");
  const at = await edge.evaluate((path) => {
    const line = path as SVGPathElement;
    const { x, y } = line.getPointAtLength(line.getTotalLength() / 3);
    return new DOMPoint(x, y).matrixTransform(line.getScreenCTM() ?? undefined);
  });
  await page.mouse.move(at.x, at.y);
  const lit = page.locator(".react-flow__edge[data-lit]");
  await expect(lit).toHaveCount(1);
  await expect(lit).toHaveAttribute("data-id", "start.context->ask.context");
  const other = page.locator("[data-id='answer.context->ask.context'] .strand-line");
  await expect.poll(() => other.evaluate((line) => getComputedStyle(line).opacity)).toBe("0.2");
  await takePicture(page, "lit-ways/bundle");
});

test("the value on an edge is whole while the edge is pointed at", async ({ page }) => {
  await openFlow(page, TALK_FLOW);
  await page.getByTestId("run-button").click();
  await expect(page.getByTestId("pause-answer")).toBeFocused();
  await page.keyboard.type("Where is my parcel 7731? It was due on Monday.");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("run-status")).toContainText("iteration 2");
  const peek = page.getByTestId("peek-ask.message->answer.message");
  await expect(peek).toHaveAttribute("data-short", "true");
  const edge = page.getByTestId("edge-ask.message->answer.message").locator(".react-flow__edge-interaction");
  const at = await edge.evaluate((path) => {
    const line = path as SVGPathElement;
    const { x, y } = line.getPointAtLength(line.getTotalLength() / 4);
    return new DOMPoint(x, y).matrixTransform(line.getScreenCTM() ?? undefined);
  });
  await page.mouse.move(at.x, at.y);
  await expect(peek).toHaveAttribute("data-lit", "");
  expect(await peek.evaluate((label) => label.scrollWidth - label.clientWidth)).toBeLessThanOrEqual(1);
  expect((await peek.boundingBox())?.width).toBeGreaterThan(100);
  await takePicture(page, "lit-ways/value");
});
