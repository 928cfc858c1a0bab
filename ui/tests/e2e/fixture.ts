/** What every spec of the window starts with: a fresh page on a fresh host, and the flow most of them use. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test as base, expect, type Locator, type Page } from "@playwright/test";
import type { Flow, Node, RunId } from "../../src/bindings";
import { FLOWS, TestHost } from "./test-host";

export { filePath, TestHost } from "./test-host";
export { expect };

/** A conversation with a person: start, ask, answer, and a tool for the model. */
export const CHAT_FLOW: Flow = {
  version: 1,
  name: "Support triage",
  nodes: {
    start: { type: "contextStart", title: "main" },
    ask: { type: "userInput", title: "Ask the customer", config: { prompt: "Anything else I should know?" } },
    answer: { type: "chat", title: "Answer" },
    tools: { type: "tools", title: "Parcel tools", config: { tools: ["calculator"] } },
    note: { type: "note", config: { text: "Iterates **until** the person ends it." } },
  },
  edges: {
    "start.context->ask.context": { source: "start", sourceOutput: "context", target: "ask", targetInput: "context" },
    "ask.context->answer.context": { source: "ask", sourceOutput: "context", target: "answer", targetInput: "context" },
    "ask.message->answer.message": { source: "ask", sourceOutput: "message", target: "answer", targetInput: "message" },
    "answer.context->ask.context": { source: "answer", sourceOutput: "context", target: "ask", targetInput: "context" },
    "tools.tools->answer.tools": { source: "tools", sourceOutput: "tools", target: "answer", targetInput: "tools" },
  },
  layout: {
    start: { x: 0, y: 0 },
    ask: { x: 276, y: 100 },
    answer: { x: 548, y: 60 },
    tools: { x: 0, y: 230 },
    note: { x: 290, y: 260, width: 200, height: 80 },
  },
};

const REPLIES = [
  { text: "It is at the depot in **Lyon**. Shall I have it held there?" },
  { text: "Let me work out the days", toolCalls: [{ name: "calculator", arguments: { expression: "4 - 1" } }] },
  {
    text: "Your parcel left the depot this morning; I have asked the carrier to hold it until Thursday.\n\n- depot: `Lyon`\n- held until: *Thursday*",
  },
  { text: "You are welcome. Anything else, just ask." },
];

/** The same flow with a model that has these replies, at so many tokens a second; 0 for at once. */
function talking(tokensPerSecond: number): Flow {
  const { start, answer, ...others } = CHAT_FLOW.nodes;
  const systemInstructions = "You answer customers of a parcel service. Be brief and concrete.";
  const nodes = {
    ...others,
    start: { ...start, type: "contextStart", config: { provider: "offline", model: "script", systemInstructions } },
    answer: { ...answer, type: "chat", config: { options: { replies: REPLIES, tokensPerSecond } } },
  };
  return { ...CHAT_FLOW, nodes };
}
export const TALK_FLOW = talking(0);
/** Its replies take some seconds. */
export const SLOW_TALK_FLOW = talking(6);

/** Writes a flow, or a file with this text, unless it is there. */
export function putFile(path: string, content: Flow | string): void {
  // A later call must not bring the first version back.
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`);
}

/** Where `openFlow` puts a flow. */
export const TEST_FILE = join(FLOWS, "test.flow.json");

/** Opens the window on a flow. */
export async function openFlow(page: Page, flow: Flow = CHAT_FLOW, path = TEST_FILE): Promise<void> {
  putFile(path, flow);
  await page.goto(`/?open=${encodeURIComponent(path)}`);
  await expect(page.getByTestId("flow-name")).toHaveText(flow.name);
  const [first] = Object.keys(flow.nodes);
  if (first) await expect(node(page, first)).toBeVisible();
}

export function node(page: Page, id: string): Locator {
  return page.getByTestId(`node-${id}`);
}

/** Moves the view until nothing covers the middle of a card, as one does before pressing it. */
export async function intoView(page: Page, card: Locator): Promise<Locator> {
  await expect(async () => {
    const [at, of] = [await middle(card), await middle(page.getByTestId("canvas"))];
    const isFree = await card.evaluate((element, { x, y }) => element.contains(document.elementFromPoint(x, y)), at);
    if (isFree) return;
    const [dx, dy] = [at.x - of.x, at.y - of.y];
    const away = Math.abs(dx) > Math.abs(dy) ? (dx > 0 ? "Right" : "Left") : dy > 0 ? "Down" : "Up";
    await page.keyboard.press(`Control+Arrow${away}`);
    throw new Error("Something covers the card.");
  }).toPass();
  return card;
}

export function handle(page: Page, id: string, side: "in" | "out", port: string): Locator {
  return page.getByTestId(`handle-${id}-${side}-${port}`);
}

/** Drags with the pointer, in steps, as a hand does. */
export async function drag(page: Page, from: Locator, to: Locator | { x: number; y: number }): Promise<void> {
  await from.scrollIntoViewIfNeeded();
  const start = await middle(from);
  const end = "x" in to ? to : await middle(to);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(start.x + 8, start.y + 4, { steps: 2 });
  await page.mouse.move(end.x, end.y, { steps: 8 });
  await page.mouse.up();
}

export async function middle(of: Locator): Promise<{ x: number; y: number }> {
  const box = await of.boundingBox();
  if (!box) throw new Error("That is not on the page.");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** The flow as it would be saved now: saves it and reads the file. */
export async function savedFlow(page: Page, path = TEST_FILE): Promise<Flow> {
  // A command runs once the palette has closed, and shortcuts wait for that.
  await expect(page.getByTestId("command-palette")).toHaveCount(0);
  await page.keyboard.press("Control+s");
  await expect(page.getByTestId("flow-file")).not.toHaveAttribute("data-dirty", "true");
  return JSON.parse(readFileSync(path, "utf8")) as Flow;
}

/** A workflow of n8n with a node that Plait has not. */
export const N8N_WORKFLOW = JSON.stringify({
  name: "Mail",
  nodes: [
    {
      id: "1",
      name: "Chat",
      type: "@n8n/n8n-nodes-langchain.chatTrigger",
      typeVersion: 1,
      position: [0, 0],
      parameters: {},
    },
    {
      id: "2",
      name: "Send mail",
      type: "n8n-nodes-base.gmail",
      typeVersion: 2,
      position: [300, 0],
      parameters: { sendTo: "ada@example.com" },
    },
  ],
  connections: { Chat: { main: [[{ node: "Send mail", type: "main", index: 0 }]] } },
});

const SCRIPTED_SERVER = join(import.meta.dirname, "../../../tests/mcp/scripted-server.mjs");

/** An entry for the MCP server of the tests, which does what its arguments say. */
export function scriptedServer(...args: string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [SCRIPTED_SERVER, ...args] };
}

const GALLERY = join(import.meta.dirname, "../../../target/gallery/chromium");

/** Takes a picture of the window for the gallery that `cargo xtask test` makes. `name` may begin with a folder. */
export async function takePicture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(GALLERY, `${name}.png`), animations: "disabled" });
}

/** Shows a page in each theme and does something there. The page stays dark. */
export async function inThemes(page: Page, act: (theme: "light" | "dark") => Promise<void>): Promise<void> {
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
    await act(theme);
  }
}

/** Pictures of a page in both themes and sizes. It has its size again, and is dark. */
export async function takePictures(page: Page, name: string): Promise<void> {
  const before = page.viewportSize();
  await inThemes(page, async (theme) => {
    for (const size of [
      { width: 1280, height: 800 },
      { width: 1000, height: 700 },
    ]) {
      await page.setViewportSize(size);
      await takePicture(page, `${name}-${theme}-${size.width}`);
    }
  });
  if (before) await page.setViewportSize(before);
}

/** A test with a host of its own, which fails on console errors and uncaught errors. */
export const test = base.extend<{ host: TestHost; quiet: undefined }>({
  host: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
    async ({}, use) => {
      const host = await TestHost.start();
      await use(host);
      await host.kill();
    },
    { auto: true },
  ],
  baseURL: async ({ host }, use) => use(host.url),
  quiet: [
    async ({ page }, use) => {
      const complaints: string[] = [];
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(String(error)));
      await use(undefined);
      expect(complaints).toEqual([]);
    },
    { auto: true },
  ],
});

/** Opens the window on an empty flow. */
export async function openEmpty(page: Page): Promise<void> {
  await page.goto("/");
  await expect(page.getByTestId("start-page")).toBeVisible();
  await page.keyboard.press("Control+Alt+n");
  await expect(page.getByTestId("empty-canvas")).toBeVisible();
}

/**
 * The positions of the marks in a timeline row, left to right: the colored runs of pixels halfway down the row. Adjacent
 * marks count as one.
 */
export async function marksIn(row: Locator): Promise<{ x: number; y: number }[]> {
  return row.evaluate((element) => {
    const canvas = document.querySelector<HTMLCanvasElement>("[data-testid=timeline-marks]");
    const [on, at] = [canvas?.getBoundingClientRect(), element.getBoundingClientRect()];
    if (!canvas || !on) return [];
    const y = at.top + at.height / 2;
    const dots = canvas.width / on.width;
    const line = canvas.getContext("2d")?.getImageData(0, Math.floor((y - on.top) * dots), canvas.width, 1).data ?? [];
    const marks: { x: number; y: number }[] = [];
    let begin = -1;
    for (let pixel = 0; pixel <= canvas.width; pixel++) {
      const colored = (line[pixel * 4 + 3] ?? 0) > 0;
      if (colored && begin < 0) begin = pixel;
      if (!colored && begin >= 0) {
        marks.push({ x: on.left + (begin + pixel) / 2 / dots, y });
        begin = -1;
      }
    }
    return marks;
  });
}

/** Clicks the first mark of a row of the timeline. */
export async function clickFirstMark(page: Page, row: Locator): Promise<void> {
  await expect.poll(async () => (await marksIn(row)).length).toBeGreaterThan(0);
  const [first] = await marksIn(row);
  if (first) await page.mouse.click(first.x, first.y);
}

/** Where a script of replies begins: the chats of this context have a model that says what their options say. */
export const SCRIPTED: Node = { type: "contextStart", title: "main", config: { provider: "offline", model: "script" } };

/** A chat of the simulator that always says this, without regard to what was said before. */
export const saying = (title: string, prompt: string, text: string) => ({
  type: "chat",
  title,
  config: { prompt, skipHistory: true, options: { replies: [{ text }] } },
});

/** A chat that calls a tool, and a second one with a model server that is down. */
export const FAILING_FLOW: Flow = {
  version: 1,
  name: "Support triage",
  nodes: {
    start: SCRIPTED,
    clock: { type: "tools", title: "Clock", config: { tools: ["current_time"] } },
    draft: {
      type: "chat",
      title: "Draft",
      config: {
        prompt: "What time is it?",
        options: { replies: [{ toolCalls: [{ name: "current_time", arguments: {} }] }, { text: "It is noon." }] },
      },
    },
    check: failingChat("Check", { code: "provider.unreachable", message: "The server is down." }),
  },
  edges: {
    a: { source: "start", sourceOutput: "context", target: "draft", targetInput: "context" },
    b: { source: "clock", sourceOutput: "tools", target: "draft", targetInput: "tools" },
    c: { source: "draft", sourceOutput: "context", target: "check", targetInput: "context" },
  },
  layout: { start: { x: 0, y: 0 }, clock: { x: 0, y: 180 }, draft: { x: 300, y: 0 }, check: { x: 600, y: 0 } },
};

/** A chat that fails with this error, without a second attempt. */
export function failingChat(title: string, error: { code: string; message: string }): Node {
  const options = { replies: [{ fail: error }] };
  return {
    type: "chat",
    title,
    config: { prompt: "Go on.", options },
    retry: { attempts: 1, backoffMs: 1, maxBackoffMs: 1, jitter: 0 },
  };
}

/** Runs a flow that asks nothing, until it has ended. */
export async function runToEnd(host: TestHost, flow: Flow): Promise<RunId> {
  const { run } = await host.call("run.start", { flow });
  await expect
    .poll(async () => (await host.call("runs.show", { run })).summary.status)
    .toMatch(/^(finished|failed|cancelled)$/);
  return run;
}

/** Opens the latest run of the list, as it is. */
export async function openLatestRun(page: Page): Promise<void> {
  await page.goto("/");
  await page.getByRole("button", { name: "Runs", exact: true }).click();
  await page.locator("[data-testid^=run-row-]").first().getByRole("button").first().click();
  await expect(page.getByTestId("run-status")).toBeVisible();
}
