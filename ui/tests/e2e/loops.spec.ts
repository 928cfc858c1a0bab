import type { Locator, Page } from "@playwright/test";
import type { Edge, Flow } from "../../src/bindings";
import { findViolations } from "./axe";
import {
  drag,
  expect,
  handle,
  intoView,
  middle,
  node,
  openFlow,
  openLatestRun,
  runToEnd,
  SCRIPTED,
  savedFlow,
  takePicture,
  test,
} from "./fixture";

/** A draft that is criticized in a loop, and a second loop inside of nothing yet. */
const FLOW: Flow = {
  version: 1,
  name: "Draft and critique",
  nodes: {
    start: { type: "contextStart", title: "main" },
    topic: { type: "text", title: "Topic", config: { template: "Rivers" } },
    loop: {
      type: "loop",
      title: "Improve",
      config: { condition: "index == 0 || previous.score < 8", max_iterations: 5 },
    },
    draft: { type: "chat", title: "Draft", parent: "loop" },
    critique: { type: "chat", title: "Critique", parent: "loop" },
    inner: { type: "loop", title: "Each line", config: { kind: "forEach", concurrency: 4 } },
    outside: { type: "json", title: "Score" },
    result: { type: "output", title: "Result" },
  },
  edges: {
    a: { source: "start", sourceOutput: "context", target: "loop", targetInput: "context" },
    b: { source: "loop", sourceOutput: "context", target: "draft", targetInput: "context" },
    c: { source: "draft", sourceOutput: "context", target: "critique", targetInput: "context" },
    d: { source: "topic", sourceOutput: "text", target: "draft", targetInput: "message" },
    e: { source: "loop", sourceOutput: "previous", target: "critique", targetInput: "message" },
    f: { source: "critique", sourceOutput: "response", target: "loop", targetInput: "next" },
    g: { source: "loop", sourceOutput: "result", target: "result", targetInput: "value" },
  },
  layout: {
    start: { x: -280, y: 20 },
    topic: { x: -280, y: 150 },
    loop: { x: 0, y: 0, width: 800, height: 260 },
    draft: { x: 150, y: 60 },
    critique: { x: 440, y: 60 },
    inner: { x: 0, y: 360, width: 520, height: 250 },
    outside: { x: 580, y: 420 },
    result: { x: 880, y: 20 },
  },
};

// A gesture takes seconds on a busy machine.
test.describe.configure({ timeout: 120_000 });

/** The edges by where they begin: files have them in the order of their ids. */
function inOrder(edges: Flow["edges"]): Edge[] {
  return Object.values(edges).sort((a, b) => a.source.localeCompare(b.source));
}

/** The bar with the name of an open loop: where it is dragged, and clicked. */
function header(page: Page, id: string): Locator {
  return node(page, id).locator(".loop-header, .far-bar");
}

/** A handle inside of a loop's border. */
function innerHandle(page: Page, id: string, side: "in" | "out", port: string): Locator {
  return page.getByTestId(`handle-${id}-inner-${side}-${port}`);
}

/** A place in the empty part of a loop's body. */
async function bodyOf(page: Page, id: string): Promise<{ x: number; y: number }> {
  const at = await middle(node(page, id));
  return { x: at.x, y: at.y };
}

test("a node is dragged into a loop and out of it, each in one undo step, and stays under the pointer", async ({
  page,
}) => {
  await openFlow(page, FLOW);
  const card = node(page, "outside").locator("header");
  const to = await bodyOf(page, "inner");
  await drag(page, card, to);
  const dropped = await middle(card);
  expect(Math.hypot(dropped.x - to.x, dropped.y - to.y)).toBeLessThan(24);
  let flow = await savedFlow(page);
  expect(flow.nodes.outside?.parent).toBe("inner");
  const [loop, inside] = [flow.layout.inner, flow.layout.outside];
  expect((inside?.x ?? 0) + 208).toBeLessThan(loop?.width ?? 0);
  await page.keyboard.press("Control+z");
  flow = await savedFlow(page);
  expect(flow.nodes.outside?.parent).toBeUndefined();
  expect(flow.layout).toEqual(FLOW.layout);
  await page.keyboard.press("Control+Shift+z");
  const out = await middle(node(page, "result"));
  await drag(page, card, { x: out.x, y: out.y + 180 });
  expect((await savedFlow(page)).nodes.outside?.parent).toBeUndefined();
});

test("a loop in a loop moves with it, and its body with both", async ({ page }) => {
  await openFlow(page, FLOW);
  await drag(page, node(page, "outside").locator("header"), await bodyOf(page, "inner"));
  const outer = await bodyOf(page, "loop");
  await drag(page, header(page, "inner"), { x: outer.x, y: outer.y + 40 });
  let flow = await savedFlow(page);
  expect(flow.nodes.inner?.parent).toBe("loop");
  expect(flow.nodes.outside?.parent).toBe("inner");
  const before = await middle(node(page, "outside"));
  const bar = await middle(header(page, "loop"));
  await drag(page, header(page, "loop"), { x: bar.x - 60, y: bar.y + 30 });
  const after = await middle(node(page, "outside"));
  expect(Math.abs(after.x - before.x + 60)).toBeLessThan(6);
  expect(Math.abs(after.y - before.y - 30)).toBeLessThan(6);
  const layout = flow.layout;
  flow = await savedFlow(page);
  expect(flow.layout.outside).toEqual(layout.outside);
  expect(flow.layout.inner).toEqual(layout.inner);
  await shoot(page, "nested");
});

test("ports inside of the border connect to the body alone", async ({ page }) => {
  const alone = { ...FLOW, edges: {} };
  await openFlow(page, alone);
  await drag(page, innerHandle(page, "loop", "out", "previous"), handle(page, "draft", "in", "message"));
  await drag(page, handle(page, "critique", "out", "response"), innerHandle(page, "loop", "in", "next"));
  await drag(page, innerHandle(page, "loop", "out", "index"), handle(page, "result", "in", "value"));
  await drag(page, handle(page, "draft", "out", "response"), handle(page, "result", "in", "value"));
  await expect(page.getByText("Values leave “Improve” only by its “next”.")).toBeVisible();
  await drag(page, handle(page, "topic", "out", "text"), handle(page, "critique", "in", "message"));
  const { edges } = await savedFlow(page);
  expect(inOrder(edges)).toEqual([
    { source: "critique", sourceOutput: "response", target: "loop", targetInput: "next" },
    { source: "loop", sourceOutput: "previous", target: "draft", targetInput: "message" },
    { source: "topic", sourceOutput: "text", target: "critique", targetInput: "message" },
  ]);
});

test("a folded loop is a card with its outer ports, and opens again", async ({ page }) => {
  await openFlow(page, FLOW);
  await page.getByTestId("fold-loop").click();
  await expect(node(page, "draft")).toHaveCount(0);
  await expect(page.getByTestId("edge-c")).toHaveCount(0);
  await expect(page.getByTestId("edge-d")).toBeAttached();
  expect((await savedFlow(page)).layout.loop?.folded).toBe(true);
  await shoot(page, "folded");
  await node(page, "loop").locator(".summary").dblclick({ force: true });
  await expect(node(page, "draft")).toBeVisible();
  expect((await savedFlow(page)).layout).toEqual(FLOW.layout);
});

test("an edge that leaves by the side is a problem that one press routes through next", async ({ page }) => {
  const flow: Flow = {
    ...FLOW,
    edges: { side: { source: "critique", sourceOutput: "response", target: "result", targetInput: "value" } },
  };
  await openFlow(page, flow);
  await page.getByRole("tab", { name: /Problems/ }).click();
  await page.locator("[data-code='loop.side_exit']").getByTestId("quick-fix").click();
  await expect(page.locator("[data-code='loop.side_exit']")).toHaveCount(0);
  expect(inOrder((await savedFlow(page)).edges)).toEqual([
    { source: "critique", sourceOutput: "response", target: "loop", targetInput: "next" },
    { source: "loop", sourceOutput: "result", target: "result", targetInput: "value" },
  ]);
});

test("nodes are wrapped in a loop, moved by command, and the loop is taken away again", async ({ page }) => {
  await openFlow(page, FLOW);
  await node(page, "outside").locator("header").click();
  await page.keyboard.press("Control+g");
  await expect(node(page, "loop-2")).toBeVisible();
  let flow = await savedFlow(page);
  expect(flow.nodes.outside?.parent).toBe("loop-2");
  await page.keyboard.press("Control+Shift+g");
  flow = await savedFlow(page);
  expect(flow).toEqual(FLOW);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("Move into loop");
  await page.keyboard.press("Enter");
  await page.getByTestId("move-into-inner").click();
  expect((await savedFlow(page)).nodes.outside?.parent).toBe("inner");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("Move out of loop");
  await page.keyboard.press("Enter");
  expect((await savedFlow(page)).nodes.outside?.parent).toBeUndefined();
});

test("a node type is dropped into a loop; a copy and a deletion take the body along", async ({ page }) => {
  await openFlow(page, FLOW);
  await page.getByTestId("palette-search").fill("Text");
  await drag(page, page.getByTestId("palette-text"), await bodyOf(page, "inner"));
  let flow = await savedFlow(page);
  expect(flow.nodes.text?.parent ?? flow.nodes["text-2"]?.parent).toBe("inner");
  await header(page, "loop").click();
  await page.keyboard.press("Control+d");
  flow = await savedFlow(page);
  expect(flow.nodes["draft-2"]?.parent).toBe("loop-2");
  expect(flow.layout["draft-2"]).toEqual(flow.layout.draft);
  await page.keyboard.press("Delete");
  flow = await savedFlow(page);
  expect(Object.keys(flow.nodes).filter((id) => id.endsWith("-2") && id !== "text-2")).toEqual([]);
});

test("a box in a loop selects its nodes, one around it the loop as well; nodes dragged together keep their loops", async ({
  page,
}) => {
  await openFlow(page, FLOW);
  const [draft, critique] = [await node(page, "draft").boundingBox(), await node(page, "critique").boundingBox()];
  if (!draft || !critique) throw new Error("They are drawn.");
  await page.keyboard.down("Shift");
  await page.mouse.move(draft.x - 6, draft.y - 6);
  await page.mouse.down();
  await page.mouse.move(critique.x + 20, critique.y + 30, { steps: 5 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await expect(node(page, "draft")).toHaveAttribute("data-selected", "true");
  await expect(node(page, "critique")).toHaveAttribute("data-selected", "true");
  await expect(node(page, "loop")).not.toHaveAttribute("data-selected", "true");
  const outside = await intoView(page, node(page, "outside"));
  await outside.locator("header").click({ modifiers: ["Shift"] });
  const score = await middle(node(page, "outside").locator("header"));
  await drag(page, node(page, "outside").locator("header"), { x: score.x + 12, y: score.y + 8 });
  let flow = await savedFlow(page);
  expect(flow.nodes.draft?.parent).toBe("loop");
  expect(flow.nodes.outside?.parent).toBeUndefined();
  // The inspector has taken a part of the canvas.
  await page.keyboard.press("f");
  await expect(node(page, "result")).toBeInViewport({ ratio: 1 });
  await page.waitForTimeout(300);
  const box = await node(page, "loop").boundingBox();
  if (!box) throw new Error("It is drawn.");
  await page.keyboard.down("Shift");
  await page.mouse.move(box.x - 5, box.y - 8);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width + 5, box.y + box.height + 5, { steps: 5 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await page.keyboard.press("Delete");
  flow = await savedFlow(page);
  expect(Object.keys(flow.nodes).sort()).toEqual(["inner", "outside", "result", "start", "topic"]);
});

/** Three iterations of a draft and its critique. */
const script = (...texts: string[]) => ({
  options: { replies: texts.map((text) => ({ text })) },
});
const REPLIES_FLOW: Flow = {
  ...FLOW,
  nodes: {
    start: SCRIPTED,
    loop: { type: "loop", title: "Improve", config: { condition: "index < 3", max_iterations: 5 } },
    draft: {
      type: "chat",
      title: "Draft",
      parent: "loop",
      config: { prompt: "Write.", ...script("Draft 1", "Draft 2", "Draft 3") },
    },
    critique: {
      type: "chat",
      title: "Critique",
      parent: "loop",
      config: { prompt: "Criticize.", ...script("Critique 1", "Critique 2", "Critique 3") },
    },
    result: { type: "output", title: "Result" },
  },
  edges: {
    a: { source: "start", sourceOutput: "context", target: "loop", targetInput: "context" },
    b: { source: "loop", sourceOutput: "context", target: "draft", targetInput: "context" },
    c: { source: "draft", sourceOutput: "context", target: "critique", targetInput: "context" },
    f: { source: "critique", sourceOutput: "response", target: "loop", targetInput: "next" },
    g: { source: "loop", sourceOutput: "result", target: "result", targetInput: "value" },
  },
};

test("the body shows the newest iteration of a run, and earlier ones on request", async ({ page, host }) => {
  await runToEnd(host, REPLIES_FLOW);
  await openLatestRun(page);
  const picked = page.getByTestId("iteration-loop");
  await expect(picked).toHaveText("3 of 3");
  await expect(page.getByTestId("loop-iteration-loop")).toHaveText("iteration 3 of 3");
  await expect(page.getByTestId("node-status-draft")).toHaveAttribute("data-state", "done");
  await expect(page.getByTestId("node-status-loop")).toHaveAttribute("data-state", "done");
  await page.getByTestId("iteration-previous-loop").click();
  await expect(picked).toHaveText("2 of 3");
  await expect(page.getByTestId("peek-f")).toHaveText("“Critique 2”");
  // The body of a loop is not transparent: what is behind it looks like something old.
  const layerOf = (item: Locator) => item.evaluate((element) => Number(getComputedStyle(element).zIndex));
  const layer = await layerOf(page.getByTestId("peek-f"));
  expect(layer).toBeGreaterThan(await layerOf(page.locator(".react-flow__node-loop[data-id=loop]")));
  expect(layer).toBeGreaterThanOrEqual(await layerOf(page.locator("svg:has(> .react-flow__edge[data-id=f])")));
  expect(layer).toBeLessThanOrEqual(await layerOf(page.locator(".react-flow__node-card[data-id=critique]")));
  await page.getByTestId("iteration-previous-loop").click();
  await expect(page.getByTestId("peek-f")).toHaveText("“Critique 1”");
  await node(page, "critique").locator("header").click();
  await page.getByTestId("inspector-tab-io").click();
  await expect(page.getByRole("tabpanel").getByText("Critique 1").first()).toBeVisible();
  await page.getByRole("tab", { name: "Timeline" }).click();
  await shoot(page, "run");
  await page.getByTestId("iteration-newest-loop").click();
  await expect(picked).toHaveText("3 of 3");
  await (await intoView(page, page.getByTestId("fold-loop"))).click();
  await expect(node(page, "draft")).toHaveCount(0);
  await shoot(page, "run-folded");
});

test("values of a loop's border are on its edges and in the inspector, also of an earlier iteration", async ({
  page,
}) => {
  await openFlow(page, {
    version: 1,
    name: "Names",
    nodes: {
      list: { type: "value", title: "Names", config: { value: ["Ada Lovelace", "Grace Hopper"] } },
      each: { type: "loop", title: "Each", config: { kind: "forEach" } },
      greet: { type: "text", title: "Greet", parent: "each", config: { template: "{{index}}: {{name}}" } },
    },
    edges: {
      a: { source: "list", sourceOutput: "value", target: "each", targetInput: "items" },
      b: { source: "each", sourceOutput: "item", target: "greet", targetInput: "name" },
      c: { source: "each", sourceOutput: "index", target: "greet", targetInput: "index" },
      d: { source: "greet", sourceOutput: "text", target: "each", targetInput: "next" },
    },
    layout: { list: { x: 0, y: 0 }, each: { x: 260, y: 0, width: 700, height: 240 }, greet: { x: 320, y: 60 } },
  });
  await page.getByTestId("run-button").click();
  await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "finished");
  await expect(page.getByTestId("peek-b")).toHaveText("“Grace Hopper”");
  await expect(page.getByTestId("peek-c")).toHaveAttribute("title", "1");
  await page.getByTestId("iteration-previous-each").click();
  await expect(page.getByTestId("peek-b")).toHaveText("“Ada Lovelace”");
  await node(page, "greet").locator("header").click();
  await page.getByTestId("inspector-tab-io").click();
  await expect(page.getByTestId("io-input-name")).toContainText("Ada Lovelace");
  await expect(page.getByTestId("io-input-index")).toContainText("0");
  await shoot(page, "border-values");
});

test("a flow inside a node is edited on the same canvas, saved with the document, and one step of undo", async ({
  page,
}) => {
  const flow: Flow = {
    version: 1,
    name: "Report",
    nodes: { text: { type: "text", title: "Question" }, sub: { type: "subflow", title: "Research" } },
    edges: {},
    layout: { text: { x: 0, y: 0 }, sub: { x: 300, y: 0 } },
  };
  await openFlow(page, flow);
  await node(page, "sub").locator(".summary").dblclick();
  await expect(page.getByTestId("inner-flow-here")).toHaveText("Research");
  await expect(node(page, "text")).toHaveCount(0);
  await page.getByTestId("palette-search").fill("Text");
  const pane = await middle(page.getByTestId("canvas"));
  await drag(page, page.getByTestId("palette-text"), pane);
  await drag(page, page.getByTestId("palette-text"), { x: pane.x, y: pane.y + 120 });
  await shoot(page, "inner-flow");
  const inside = (await savedFlow(page)).nodes.sub?.config?.flow as Flow;
  expect(Object.keys(inside.nodes)).toEqual(["text", "text-2"]);
  await page.getByTestId("outer-flow-0").click();
  await expect(page.getByTestId("inner-flow-banner")).toHaveCount(0);
  await expect(page.getByTestId("flow-file")).not.toHaveAttribute("data-dirty", "true");
  await expect(node(page, "sub")).toBeVisible();
  await page.keyboard.press("Control+z");
  expect((await savedFlow(page)).nodes).toEqual(flow.nodes);
});

for (const theme of ["dark", "light"] as const) {
  test.describe(theme, () => {
    test.use({ colorScheme: theme });

    test("looks as designed at both sizes, also while a node is dragged over it", async ({ page }) => {
      await openFlow(page, FLOW);
      await page.keyboard.press("Control+j");
      await page.keyboard.press("Control+i");
      await page.keyboard.press("f");
      await shoot(page, `open-${theme}`);
      await header(page, "loop").click();
      const card = await middle(node(page, "outside"));
      const over = await bodyOf(page, "inner");
      await page.mouse.move(card.x, card.y);
      await page.mouse.down();
      await page.mouse.move(over.x, over.y, { steps: 6 });
      await expect(node(page, "inner")).toHaveAttribute("data-drop-target", "true");
      await shoot(page, `dragging-${theme}`);
      await page.mouse.up();
      await page.setViewportSize({ width: 1000, height: 700 });
      await page.keyboard.press("f");
      await shoot(page, `small-${theme}`);
      await page.keyboard.press("Alt+ArrowLeft");
      await page.keyboard.press("Alt+ArrowUp");
      await shoot(page, `focus-${theme}`);
      expect(await findViolations(page, { within: ".canvas" })).toEqual([]);
    });
  });
}

/** A picture for people to look at; nothing compares it. */
async function shoot(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(250);
  await takePicture(page, `loops/${name}`);
}
