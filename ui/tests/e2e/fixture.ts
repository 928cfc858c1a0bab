/** What every spec of the window starts with: a fresh page on the mock host, and the flow most of them use. */
import { join } from "node:path";
import { test as base, expect, type Locator, type Page } from "@playwright/test";
import type { Flow } from "../../src/bindings";

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

/** Puts a file onto the mock host's disk before the page starts. */
export async function putFile(page: Page, path: string, flow: Flow): Promise<void> {
  await page.addInitScript(
    ([name, text]) => {
      const key = "plait.mock-host.files";
      const files = JSON.parse(localStorage.getItem(key) ?? "{}") as Record<string, string>;
      // A reload must not bring the first version back.
      if (!(name in files)) localStorage.setItem(key, JSON.stringify({ ...files, [name]: text }));
    },
    [path, `${JSON.stringify(flow, null, 2)}\n`] as const,
  );
}

/** Opens the window on a flow. */
export async function openFlow(page: Page, flow: Flow = CHAT_FLOW, path = "/flows/test.flow.json"): Promise<void> {
  await putFile(page, path, flow);
  await page.goto(`/?open=${encodeURIComponent(path)}`);
  await expect(page.getByTestId("flow-name")).toHaveText(flow.name);
  const [first] = Object.keys(flow.nodes);
  if (first) await expect(node(page, first)).toBeVisible();
}

export function node(page: Page, id: string): Locator {
  return page.getByTestId(`node-${id}`);
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
export async function savedFlow(page: Page, path = "/flows/test.flow.json"): Promise<Flow> {
  // A command runs once the palette has closed, and shortcuts wait for that.
  await expect(page.getByTestId("command-palette")).toHaveCount(0);
  await page.keyboard.press("Control+s");
  await expect(page.getByTestId("flow-file")).not.toHaveAttribute("data-dirty", "true");
  const text = await page.evaluate(
    (name) => (JSON.parse(localStorage.getItem("plait.mock-host.files") ?? "{}") as Record<string, string>)[name],
    path,
  );
  return JSON.parse(text ?? "{}") as Flow;
}

const GALLERY = join(import.meta.dirname, "../../../target/gallery/chromium");

/** Takes a picture of the window for the gallery that `cargo xtask test` makes. `name` may begin with a folder. */
export async function takePicture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(GALLERY, `${name}.png`), animations: "disabled" });
}

/** A test that fails on console errors and uncaught errors. */
export const test = base.extend<{ quiet: undefined }>({
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

/** A run of an earlier day: what the mock host keeps of it. */
export type KeptRun = { run: string; flow: Flow; journal: readonly object[] };

const FAILED_FLOW = {
  version: 1,
  name: "Support triage",
  nodes: { draft: { type: "chat", title: "Draft" }, check: { type: "chat", title: "Check" } },
  edges: { a: { source: "draft", sourceOutput: "response", target: "check", targetInput: "message" } },
  layout: { draft: { x: 0, y: 0 }, check: { x: 300, y: 0 } },
} as unknown as Flow;

const prompt = (node: string, step: number) => ({
  type: "prompt.rendered",
  node,
  epoch: [],
  step,
  prompt: { provider: "openai", model: "m", parts: [], toolTokens: 0, tokens: 900, window: 8000, reserve: 1000 },
});
const reply = (node: string, step: number, text: string, toolCalls: object[] = []) => ({
  type: "model.replied",
  node,
  epoch: [],
  step,
  reply: { text, toolCalls, stopReason: toolCalls.length > 0 ? "toolCalls" : "end" },
});
const ERROR = { code: "provider.unreachable", message: "The server is down.", hint: "Check the network." };

/** A run of an earlier day that has failed, after two replies. */
export const FAILED_RUN: KeptRun = {
  run: "0190a0b0-0000-7000-8000-000000000002",
  flow: FAILED_FLOW,
  journal: [
    { type: "run.started", run: "0190a0b0-0000-7000-8000-000000000002", flow: { name: FAILED_FLOW.name, hash: "h1" } },
    { type: "node.started", node: "draft", epoch: [], attempt: 1 },
    prompt("draft", 0),
    reply("draft", 0, "", [{ id: "1", name: "clock", arguments: {} }]),
    { type: "tool.called", node: "draft", epoch: [], step: 0, call: { id: "1", name: "clock", arguments: {} } },
    { type: "tool.finished", node: "draft", epoch: [], step: 0, callId: "1", result: "noon" },
    prompt("draft", 1),
    reply("draft", 1, "It is noon."),
    {
      type: "node.finished",
      node: "draft",
      epoch: [],
      outputs: { response: "It is noon." },
      metadata: { durationMs: 9 },
    },
    { type: "node.started", node: "check", epoch: [], attempt: 1 },
    prompt("check", 0),
    { type: "node.failed", node: "check", epoch: [], error: ERROR, handled: false },
    { type: "run.failed", node: "check", epoch: [], error: ERROR, outputs: {} },
  ].map((event, seq) => ({ seq, at: 1_700_000_000_000 + seq * 100, ...event })),
};

/** Puts a run into the mock host's store before the page starts. */
export async function putRun(page: Page, { run, flow, journal }: KeptRun): Promise<void> {
  await page.addInitScript(([kept]) => localStorage.setItem("plait.mock-host.runs", JSON.stringify([kept])), [
    { run, flow, journal, place: journal.length },
  ] as const);
}

/** Opens the only run of the list, as it is. */
export async function openKeptRun(page: Page): Promise<void> {
  await page.goto("/");
  await page.getByRole("button", { name: "Runs", exact: true }).click();
  await page.locator("[data-testid^=run-row-]").first().getByRole("button").first().click();
  await expect(page.getByTestId("run-status")).toBeVisible();
}
