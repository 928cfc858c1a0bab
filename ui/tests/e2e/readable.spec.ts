/**
 * A flow of 27 nodes with a loop and one of 300, before, in and after a run: pictures for the gallery, and the states that the tiles
 * have in them.
 */
import type { Page } from "@playwright/test";
import type { Edge, Flow, Node, Position } from "../../src/bindings";
import { findViolationsInThemes } from "./axe";
import { expect, failingChat, filePath, node, putFile, takePicture, test } from "./fixture";

const SIZES = [
  { width: 1280, height: 800 },
  { width: 1000, height: 700 },
  { width: 1920, height: 1080 },
];
const HOLD_MS = 5_000;

const STEPS = [
  ["Read the inbox", "Detect language", "Strip signature", "Find order number", "Load the order", "Load the customer"],
  ["Classify request", "Check warranty", "Check stock", "Compute refund", "Draft the answer", "Check the tone"],
  [
    "Translate answer",
    "Attach the label",
    "Hold for courier",
    "Ask for approval",
    "Send the answer",
    "Archive the case",
  ],
  ["Count the calls", "Update the report", "Notify the shift"],
];

type Parts = Pick<Flow, "nodes" | "edges" | "layout">;

function connect({ edges }: Parts, source: string, target: string, sourceOutput = "text", targetInput = source): void {
  const edge: Edge = { source, sourceOutput, target, targetInput };
  edges[`${source}->${target}`] = edge;
}

function add({ nodes, layout }: Parts, id: string, made: Node, at: Position): void {
  nodes[id] = made;
  layout[id] = at;
}

const text = (title: string, from?: string): Node => ({
  type: "text",
  title,
  config: { template: from === undefined ? "Parcel 7731" : `{{${from}}}` },
});

/** Rows of steps, one after the other, with a loop below them. `fails` has the last row end with a model that cannot be reached. */
function small(fails: boolean): Flow {
  const parts: Parts = { nodes: {}, edges: {}, layout: {} };
  for (const [row, titles] of STEPS.entries()) {
    let before: string | undefined;
    for (const [column, title] of titles.entries()) {
      const id = `n${row}_${column}`;
      const at = { x: column * 290, y: row * 190 };
      if (title === "Hold for courier") {
        add(parts, id, { type: "delay", title, config: { ms: HOLD_MS } }, at);
        connect(parts, before ?? "", id, "text", "in");
      } else {
        const input = before && parts.nodes[before]?.type === "delay" ? "out" : "text";
        add(parts, id, text(title, before), at);
        if (before !== undefined) connect(parts, before, id, input);
      }
      before = id;
    }
  }
  add(
    parts,
    "start",
    { type: "contextStart", title: "Support", config: { provider: "offline", model: "script" } },
    { x: 0, y: 800 },
  );
  add(
    parts,
    "refine",
    { type: "loop", title: "Refine until it is polite", config: { kind: "times", times: 2 } },
    { x: 290, y: 790, width: 900, height: 240 },
  );
  const inside = ["Reread", "Rephrase"];
  for (const [at, title] of inside.entries())
    add(
      parts,
      `in${at}`,
      { ...text(title, at === 0 ? undefined : "in0"), parent: "refine" },
      { x: 150 + at * 290, y: 70 },
    );
  connect(parts, "in0", "in1");
  connect(parts, "in1", "refine", "text", "next");
  connect(parts, "start", "refine", "context", "context");
  const last: Node = fails
    ? failingChat("Tell the customer", { code: "provider.unreachable", message: "The server is down." })
    : {
        type: "chat",
        title: "Tell the customer",
        config: { prompt: "Say it.", options: { replies: [{ text: "Done." }] } },
      };
  add(parts, "tell", last, { x: 1290, y: 800 });
  connect(parts, "refine", "tell", "context", "context");
  parts.nodes.note = { type: "note", config: { text: "Runs once for each letter" } };
  parts.layout.note = { x: 1290, y: 990, width: 208, height: 70 };
  const frames = {
    intake: {
      title: "Intake",
      color: "blue" as const,
      nodes: ["n0_0", "n0_1"],
      x: -30,
      y: -50,
      width: 560,
      height: 170,
    },
  };
  return { version: 1, name: "Twenty-seven nodes", ...parts, frames };
}

/** Rows of steps; in each third one, a step takes its time. */
function large(fails: boolean): Flow {
  const parts: Parts = { nodes: {}, edges: {}, layout: {} };
  const frames: NonNullable<Flow["frames"]> = {};
  add(
    parts,
    "start",
    { type: "contextStart", title: "Support", config: { provider: "offline", model: "script" } },
    { x: -290, y: 0 },
  );
  for (let row = 0; row < 15; row++) {
    let before: string | undefined;
    for (let column = 0; column < 20; column++) {
      const id = `n${row}_${column}`;
      const at = { x: column * 290, y: row * 190 + Math.floor(row / 3) * 90 };
      const title = STEPS.flat()[(row * 20 + column) % STEPS.flat().length] ?? "";
      if (column === 9 && row % 3 === 0) {
        add(parts, id, { type: "delay", title: "Wait for the depot", config: { ms: HOLD_MS } }, at);
        connect(parts, before ?? "", id, "text", "in");
      } else if (column === 19 && row === 14) {
        add(
          parts,
          id,
          fails ? failingChat(title, { code: "provider.unreachable", message: "Down." }) : text(title),
          at,
        );
        if (fails) connect(parts, "start", id, "context", "context");
      } else {
        add(parts, id, text(title, before), at);
        if (before !== undefined) connect(parts, before, id, parts.nodes[before]?.type === "delay" ? "out" : "text");
      }
      before = id;
    }
    if (row % 3 === 2) {
      const ids = [row - 2, row - 1, row].flatMap((one) =>
        Array.from({ length: 10 }, (_, column) => `n${one}_${column}`),
      );
      const y = (row - 2) * 190 + Math.floor(row / 3) * 90 - 50;
      frames[`f${row}`] = {
        title: `Depot ${(row + 1) / 3}`,
        color: "green",
        nodes: ids,
        x: -30,
        y,
        width: 2900,
        height: 540,
      };
    }
  }
  return { version: 1, name: "Three hundred nodes", ...parts, frames };
}

async function takeBoth(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator("html")).toHaveAttribute("data-theme", colorScheme);
    await takePicture(page, `readable/${name}-${colorScheme}`);
  }
}

/** The smallest title of a card, loop, frame or comment, in screen pixels. Tiles choose their own sizes, which their unit tests check. */
function smallestTitle(page: Page): Promise<number> {
  return page.locator(".canvas").evaluate((canvas) => {
    const view = canvas.querySelector<HTMLElement>(".react-flow__viewport");
    const zoom = new DOMMatrix(view ? getComputedStyle(view).transform : "none").a;
    const titles = canvas.querySelectorAll(":is(.card-title, .frame-title, .comment):not(.far-element *)");
    return Math.min(...Array.from(titles, (title) => Number.parseFloat(getComputedStyle(title).fontSize) * zoom));
  });
}

/** The titles of cards and loops of which a part is not shown. */
function cutTitles(page: Page): Promise<string[]> {
  return page
    .locator(".card-title")
    .evaluateAll((titles) =>
      titles
        .filter((title) => title.scrollWidth > title.clientWidth + 1 || title.scrollHeight > title.clientHeight + 1)
        .map((title) => title.textContent ?? ""),
    );
}

async function open(page: Page, name: string, flow: Flow): Promise<void> {
  putFile(filePath(name), flow);
  await page.goto(`/?open=${encodeURIComponent(filePath(name))}`);
  await expect(page.getByTestId("flow-name")).toHaveText(flow.name);
  await expect(page.locator(".react-flow__node").first()).toBeVisible();
}

for (const [kind, flowOf] of [
  ["27", small],
  ["300", large],
] as const) {
  for (const viewport of SIZES) {
    const size = `${viewport.width}x${viewport.height}`;
    test(`${kind} nodes at ${size}, before, in and after a run`, async ({ page }) => {
      await page.setViewportSize(viewport);
      for (const fails of [false, true]) {
        await open(page, `${kind}-${fails}.flow.json`, flowOf(fails));
        if (kind === "300") await page.getByRole("button", { name: "Fit to view" }).click();
        await page.waitForTimeout(400);
        expect(await smallestTitle(page)).toBeGreaterThanOrEqual(11);
        expect(await cutTitles(page)).toEqual([]);
        if (!fails) await takeBoth(page, `${kind}-${size}-idle`);
        await page.getByTestId("run-button").click();
        if (!fails) {
          await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "running");
          await page.waitForTimeout(kind === "27" ? 500 : 2_000);
          await takeBoth(page, `${kind}-${size}-running`);
        }
        const end = fails ? "failed" : "finished";
        await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", end);
        await page.waitForTimeout(300);
        await takeBoth(page, `${kind}-${size}-${end}`);
        // Cards, of which some are skipped.
        if (fails && kind === "27" && viewport.width === 1920) expect(await findViolationsInThemes(page)).toEqual([]);
      }
      if (kind === "27") {
        await expect(page.getByTestId("node-status-tell")).toHaveAttribute("data-state", "failed");
        await expect(page.getByTestId("node-status-n0_0")).toHaveAttribute("data-state", "done");
        await expect(node(page, "in1")).toHaveAttribute("data-state", "done");
      }
    });
  }
}

const IMPORTED = [
  "Fetch HuggingFace Papers",
  "Parse Reddit LocalLLaMA",
  "Fetch HN Top Story IDs",
  "AI Analysis (Ollama)",
];

/** As an import makes it: folded frames, with titles that are too long for tiles, in more columns than fit into the canvas. */
function imported(): Flow {
  const parts: Parts = { nodes: {}, edges: {}, layout: {} };
  const frames: NonNullable<Flow["frames"]> = {};
  for (let column = 0; column < 10; column++) {
    const title = IMPORTED[column % IMPORTED.length] ?? "";
    const at = { x: column * 248, y: (column % 3) * 140 };
    const [first, second] = [`a${column}`, `b${column}`];
    add(parts, first, text(title), { x: at.x + 16, y: at.y + 36 });
    add(parts, second, text(`${title}: text`, first), { x: at.x + 290, y: at.y + 36 });
    connect(parts, first, second);
    const size = { width: 514, height: 150 };
    frames[`f${column}`] = { title, nodes: [first, second], main: first, ...at, ...size, folded: true };
    if (column > 0) connect(parts, `b${column - 1}`, first);
  }
  return { version: 1, name: "Imported digest", ...parts, frames };
}

test("a flow whose titles tiles would cut begins at its start with whole titles", async ({ page }) => {
  for (const viewport of SIZES) {
    await page.setViewportSize(viewport);
    await open(page, `imported-${viewport.width}.flow.json`, imported());
    await expect(page.getByTestId("frame-f0")).toBeInViewport({ ratio: 1 });
    await expect(page.getByTestId("far-picture")).toHaveCount(0);
    expect(await cutTitles(page)).toEqual([]);
    expect(await smallestTitle(page)).toBeGreaterThanOrEqual(11);
  }
});
