/** The view: of a large flow when it opens, and in the minimap. */
import type { Flow } from "../../src/bindings";
import { CHAT_FLOW, expect, intoView, middle, node, openFlow, test } from "./fixture";

const COLUMNS = 20;
/** A flow that is far larger than the window. */
const LARGE: Flow = {
  ...CHAT_FLOW,
  name: "Large",
  nodes: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`n${at}`, { type: "text" }])),
  edges: {},
  layout: Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [`n${at}`, { x: (at % COLUMNS) * 600, y: Math.floor(at / COLUMNS) * 400 }]),
  ),
};

test("a large flow opens at its start, and fits into view with all its nodes", async ({ page }) => {
  await openFlow(page, LARGE);
  await expect(node(page, "n0")).toBeInViewport({ ratio: 0.99 });
  await expect(node(page, "n0")).toHaveText(/^Text/);
  await page.getByTestId("fit-button").click();
  await expect(node(page, "n199")).toBeInViewport({ ratio: 0.99 });
  const canvas = await page.getByTestId("canvas").boundingBox();
  if (!canvas) throw new Error("There is no canvas.");
  for (const id of ["n0", "n19", "n180", "n199"]) {
    const box = await node(page, id).boundingBox();
    if (!box) throw new Error(`There is no ${id}.`);
    expect(box.x).toBeGreaterThanOrEqual(canvas.x);
    expect(box.y).toBeGreaterThanOrEqual(canvas.y);
    expect(box.x + box.width).toBeLessThanOrEqual(canvas.x + canvas.width);
    expect(box.y + box.height).toBeLessThanOrEqual(canvas.y + canvas.height);
  }
});

for (const width of [500, 700, 900, 1200]) {
  test(`no control covers a node of a flow of ${width} × 420 that opens`, async ({ page }) => {
    const layout = { a: { x: 0, y: 0 }, b: { x: 0, y: 420 }, c: { x: width, y: 420 } };
    const nodes = Object.fromEntries(Object.keys(layout).map((id) => [id, { type: "text" }]));
    await openFlow(page, { ...CHAT_FLOW, name: "Corners", nodes, edges: {}, layout });
    const controls = page.locator(".canvas .react-flow__panel:visible");
    // The buttons: the minimap is not there while all nodes are in view.
    await expect(controls).toHaveCount(1);
    await expect(node(page, "c")).toBeInViewport({ ratio: 0.99 });
    const boxes = await controls.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
    for (const id of Object.keys(layout)) {
      const card = await node(page, id).boundingBox();
      if (!card) throw new Error(`There is no ${id}.`);
      const covering = boxes.filter(
        (box) =>
          box.x < card.x + card.width &&
          box.x + box.width > card.x &&
          box.y < card.y + card.height &&
          box.y + box.height > card.y,
      );
      expect(covering, id).toEqual([]);
    }
  });
}

test("the minimap is there while a part of the flow is out of view", async ({ page }) => {
  await openFlow(page);
  const map = page.getByTestId("minimap");
  await expect(node(page, "answer")).toBeInViewport({ ratio: 1 });
  await expect(map).toBeHidden();
  await node(page, "answer").click();
  for (let press = 0; press < 6; press += 1) await page.keyboard.press("Control+ArrowRight");
  await expect(map).toBeVisible();
  await page.getByTestId("fit-button").click();
  await expect(map).toBeHidden();
});

test("a minimap that comes below a pressed pointer does not move the view", async ({ page }) => {
  await openFlow(page);
  const canvas = await page.getByTestId("canvas").boundingBox();
  const card = node(page, "answer");
  const before = await card.boundingBox();
  if (!canvas || !before) throw new Error("Nothing is drawn.");
  // Where the minimap would be.
  const from = { x: canvas.x + canvas.width - 120, y: canvas.y + canvas.height - 60 };
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  // Until the map shows that a part of the flow is out of view, and on below it.
  await page.mouse.move(from.x, from.y - 400, { steps: 6 });
  await expect(page.getByTestId("minimap")).toBeVisible();
  await page.mouse.move(from.x, from.y, { steps: 8 });
  await page.mouse.move(from.x + 100, from.y, { steps: 8 });
  await page.mouse.up();
  const after = await card.boundingBox();
  expect(after?.x).toBeCloseTo(before.x + 100, 0);
  expect(after?.y).toBeCloseTo(before.y, 0);
});

test("a press selects a card though the pointer moves by a pixel, and nothing scrolls the canvas", async ({ page }) => {
  await openFlow(page);
  const at = await middle(node(page, "start"));
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 1, at.y);
  await page.mouse.up();
  await expect(node(page, "start")).toHaveAttribute("data-selected", "true");
  const scrolled = await node(page, "answer").evaluate((card) => {
    const before = card.getBoundingClientRect().x;
    const beyond = document.createElement("div");
    beyond.style.cssText = "position: absolute; left: 5000px; width: 10px; height: 10px;";
    card.append(beyond);
    beyond.scrollIntoView();
    beyond.remove();
    return before - card.getBoundingClientRect().x;
  });
  expect(scrolled).toBe(0);
});

test("the minimap contains the frame of a view far from the nodes", async ({ page }) => {
  await openFlow(page);
  const map = page.getByTestId("minimap");
  const frame = page.getByTestId("minimap-frame");
  const isInside = async () => {
    const [outer, inner] = [await map.boundingBox(), await frame.boundingBox()];
    if (!outer || !inner) return false;
    return (
      inner.width > 2 &&
      inner.x >= outer.x &&
      inner.y >= outer.y &&
      inner.x + inner.width <= outer.x + outer.width &&
      inner.y + inner.height <= outer.y + outer.height
    );
  };
  await node(page, "answer").click();
  for (const [arrow, presses] of [
    ["ArrowRight", 40],
    ["ArrowDown", 30],
    ["ArrowLeft", 90],
    ["ArrowUp", 70],
  ] as const) {
    for (let press = 0; press < presses; press += 1) await page.keyboard.press(`Control+${arrow}`);
    await expect.poll(isInside).toBe(true);
  }
  await expect(node(page, "answer")).not.toBeInViewport();
  // Dragging in the map goes back to the nodes: they are at its lower right now.
  const box = await map.boundingBox();
  if (!box) throw new Error("There is no minimap.");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 116, box.y + 77, { steps: 4 });
  await page.mouse.up();
  await expect.poll(isInside).toBe(true);
  await expect(node(page, "answer")).toBeInViewport();
});

test("new and pasted nodes land in view and on nothing", async ({ page }) => {
  await openFlow(page);
  const known = new Set(Object.keys(CHAT_FLOW.nodes));
  const added = async () => {
    const cards = page.locator(".react-flow__node");
    await expect(cards).toHaveCount(known.size + 1);
    const ids = await cards.evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.id ?? ""));
    const id = ids.find((one) => !known.has(one)) ?? "";
    await expect(node(page, id)).toBeInViewport({ ratio: 1 });
    const boxes = await Promise.all([id, ...known].map((one) => node(page, one).boundingBox()));
    const [fresh, ...others] = boxes;
    const canvas = await page.getByTestId("canvas").boundingBox();
    if (!fresh || !canvas) throw new Error(`There is no ${id}.`);
    expect(fresh.y + fresh.height).toBeLessThanOrEqual(canvas.y + canvas.height);
    for (const other of others) {
      if (!other) continue;
      const apart =
        fresh.x >= other.x + other.width ||
        other.x >= fresh.x + fresh.width ||
        fresh.y >= other.y + other.height ||
        other.y >= fresh.y + fresh.height;
      expect(apart, `${id} is on nothing`).toBe(true);
    }
    known.add(id);
  };
  for (let time = 0; time < 3; time += 1) {
    await page.keyboard.press("Control+k");
    await expect(page.getByTestId("menu-field")).toBeFocused();
    await page.keyboard.type("add template");
    await page.keyboard.press("Enter");
    await added();
    await page.keyboard.press("Escape");
  }
  await (await intoView(page, node(page, "answer"))).locator(".summary").click();
  await page.keyboard.press("Control+c");
  for (let time = 0; time < 2; time += 1) {
    await page.keyboard.press("Control+v");
    await added();
  }
});

test("the view zooms to the selection", async ({ page }) => {
  await openFlow(page, LARGE);
  await node(page, "n0").click();
  await page.keyboard.press("Shift+g");
  await expect(page.getByTestId("zoom-level")).toHaveText("150 %");
  await expect(node(page, "n0")).toBeInViewport({ ratio: 1 });
});

test("the ring of the keyboard differs from that of the selection", async ({ page }) => {
  await openFlow(page);
  const ring = (id: string) => node(page, id).evaluate((card) => getComputedStyle(card).outlineStyle);
  await page.keyboard.press("Alt+ArrowRight");
  await expect(node(page, "start")).toHaveAttribute("data-selected", "true");
  await expect.poll(() => ring("start")).toBe("double");
  await (await intoView(page, node(page, "ask"))).click();
  await expect.poll(() => ring("ask")).toBe("solid");
  expect(await ring("start")).toBe("none");
});
