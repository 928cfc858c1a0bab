import { CHAT_FLOW, expect, middle, node, openFlow, savedFlow, takePicture, test } from "./fixture";

const EDGE = "tools.tools->answer.tools";

test("an edge gets points, which are moved, taken away, and undone", async ({ page }) => {
  await openFlow(page);
  const line = page.getByTestId(`edge-${EDGE}`).locator(".react-flow__edge-interaction");
  const at = await line.evaluate((path: SVGPathElement) => {
    const { x, y } = path.getPointAtLength(path.getTotalLength() / 2).matrixTransform(path.getScreenCTM() ?? undefined);
    return { x, y };
  });
  await page.mouse.dblclick(at.x, at.y);
  const point = page.getByTestId(`point-${EDGE}-0`);
  await expect(point).toBeVisible();
  const first = (await savedFlow(page)).routes?.[EDGE]?.[0];

  const start = await middle(point);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(start.x + 40, start.y + 60, { steps: 5 });
  await page.mouse.up();
  const dragged = (await savedFlow(page)).routes?.[EDGE]?.[0];
  expect(dragged?.y).toBeGreaterThan((first?.y ?? 0) + 20);

  await point.focus();
  await page.keyboard.press("Shift+ArrowRight");
  const pushed = (await savedFlow(page)).routes?.[EDGE]?.[0];
  expect(pushed).toEqual({ x: (dragged?.x ?? 0) + 20, y: dragged?.y });

  await point.focus();
  await page.keyboard.press("Delete");
  await expect(point).toHaveCount(0);
  await expect(page.locator(`.react-flow__edge[data-id="${EDGE}"]`)).toBeFocused();
  const without = await savedFlow(page);
  expect(without.routes).toBeUndefined();
  expect(without.edges).toHaveProperty([EDGE]);
  await page.keyboard.press("Control+z");
  expect((await savedFlow(page)).routes?.[EDGE]?.[0]).toEqual(pushed);
});

test("points move with the nodes of both ends, and tidying up takes them away", async ({ page }) => {
  await openFlow(page);
  const line = page.getByTestId(`edge-${EDGE}`).locator(".react-flow__edge-interaction");
  await line.click({ button: "right", force: true });
  await page.getByTestId("menu-edge.addPoint").click();
  const before = await savedFlow(page);
  await node(page, "tools").locator(".summary").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Shift+ArrowDown");
  const after = await savedFlow(page);
  const shift = (after.layout.tools?.y ?? 0) - (before.layout.tools?.y ?? 0);
  expect(shift).toBeGreaterThan(0);
  expect(after.routes?.[EDGE]?.[0]?.y).toBe((before.routes?.[EDGE]?.[0]?.y ?? 0) + shift);
  await page.keyboard.press("Shift+L");
  // The layout arrives from a worker: saved before that, the file would be the one before.
  await expect(page.getByTestId("undo-button")).toHaveAccessibleName(/Tidy up/);
  expect((await savedFlow(page)).routes).toBeUndefined();
});

test("tidying up leads an edge around the card between its ends", async ({ page }) => {
  const text = (title: string, template: string) => ({ type: "text", title, config: { template } });
  const edge = (source: string, target: string) => ({
    source,
    sourceOutput: "text",
    target,
    targetInput: source,
  });
  await openFlow(page, {
    version: 1,
    name: "Around",
    nodes: { a: text("A", "1"), b: text("B", "{{a}}"), c: text("C", "{{b}}"), d: text("D", "{{a}} {{b}} {{c}}") },
    edges: { ab: edge("a", "b"), bc: edge("b", "c"), ad: edge("a", "d"), bd: edge("b", "d"), cd: edge("c", "d") },
    layout: { a: { x: 0, y: 0 }, b: { x: 300, y: 0 }, c: { x: 600, y: 0 }, d: { x: 900, y: 0 } },
  });
  await node(page, "a").waitFor();
  /** For each edge, the cards between its ends that it crosses. */
  const crossed = () =>
    page.evaluate(() => {
      const found: string[] = [];
      const cards = [...document.querySelectorAll<HTMLElement>(".react-flow__node")];
      for (const edge of document.querySelectorAll<HTMLElement>(".react-flow__edge")) {
        const path = edge.querySelector<SVGPathElement>(".strand-line");
        const length = path?.getTotalLength() ?? 0;
        for (let at = 0.02; path && at < 0.98; at += 0.02) {
          const { x, y } = path.getPointAtLength(at * length).matrixTransform(path.getScreenCTM() ?? undefined);
          for (const card of cards) {
            const box = card.getBoundingClientRect();
            const isEnd = edge.dataset.id?.includes(card.dataset.id ?? "");
            if (!isEnd && x > box.left && x < box.right && y > box.top && y < box.bottom)
              found.push(`${edge.dataset.id} over ${card.dataset.id}`);
          }
        }
      }
      return [...new Set(found)];
    });
  expect((await crossed()).length).toBeGreaterThan(0);
  await page.getByTestId("canvas").click({ position: { x: 20, y: 20 } });
  await page.keyboard.press("Shift+L");
  await expect(page.getByTestId("undo-button")).toHaveAccessibleName(/Tidy up/);
  await expect.poll(crossed).toEqual([]);
  await takePicture(page, "routes/around");
});

test("the focus stays with the points of an edge while they are removed", async ({ page }) => {
  await openFlow(page, {
    ...CHAT_FLOW,
    routes: {
      [EDGE]: [
        { x: 300, y: 220 },
        { x: 420, y: 200 },
      ],
    },
  });
  const points = page.locator(".route-point");
  await expect(points).toHaveCount(2);
  await points.last().focus();
  await page.keyboard.press("Delete");
  await expect(points).toHaveCount(1);
  await expect(points).toBeFocused();
});

test("an edge that ends in a fold gets no points, and its menu says why", async ({ page }) => {
  const frame = { title: "Parcels", nodes: ["tools"], x: -20, y: 190, width: 260, height: 160, folded: true };
  await openFlow(page, { ...CHAT_FLOW, frames: { frame } });
  const line = page.getByTestId(`edge-${EDGE}`).locator(".react-flow__edge-interaction");
  await line.click({ button: "right", force: true });
  const item = page.getByTestId("menu-edge.addPoint");
  await expect(item).toContainText("unfold that to add points");
  await expect(item).toBeDisabled();
  await page.keyboard.press("Escape");
  await line.dblclick({ force: true });
  await expect(page.locator("[data-sonner-toast]")).toContainText("unfold that to add points");
  await expect(page.locator(".route-point")).toHaveCount(0);
});
