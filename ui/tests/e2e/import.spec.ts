import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Locator, Page } from "@playwright/test";
import type { Flow } from "../../src/bindings";
import { findViolations } from "./axe";
import {
  CHAT_FLOW,
  expect,
  filePath,
  N8N_WORKFLOW,
  node,
  openEmpty,
  openFlow,
  putFile,
  takePicture,
  test,
} from "./fixture";

/** Drags files over the window, and drops them if `drop` says so. */
async function dragFiles(page: Page, files: { name: string; type: string; text: string }[], drop: boolean) {
  await page.evaluate(
    ([dragged, isDropped]) => {
      const dataTransfer = new DataTransfer();
      for (const { name, type, text } of dragged) dataTransfer.items.add(new File([text], name, { type }));
      const target = document.querySelector("[data-testid=canvas]") ?? document.body;
      const fire = (kind: string) =>
        target.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
      fire("dragenter");
      fire("dragover");
      if (isDropped) fire("drop");
    },
    [files, drop] as const,
  );
}

test("an imported file opens unsaved, with a report and placeholders that can't run", async ({ page }) => {
  putFile(filePath("mail.json"), N8N_WORKFLOW);
  await page.goto("/");
  await expect(page.getByTestId("start-page")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByTestId("menu-field")).toBeFocused();
  await page.keyboard.type("Import");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Import file", exact: true })).toBeVisible();
  await page.getByTestId("file-dialog-path").fill(filePath("mail.json"));
  await page.getByTestId("file-dialog-ok").click();

  const dialog = page.getByTestId("import-dialog");
  await expect(dialog).toContainText("Imported from n8n");
  await expect(dialog).toContainText("1 of 2 nodes do the same here. 1 of 1 edges were kept.");
  await expect(dialog).toContainText("Placeholders to replace");
  await expect(dialog).toContainText("Plait has no node for this service.");
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(dialog).toBeHidden();

  await expect(page.locator(".react-flow__node", { hasText: "Send mail" })).toBeVisible();
  // It was never saved, so closing it asks first.
  await page.keyboard.press("ControlOrMeta+w");
  await expect(page.getByTestId("ask-dialog")).toContainText("Save changes");
});

test("the report opens again while its flow is open, and its lines lead to the nodes", async ({ page }) => {
  await openEmpty(page);
  await dragFiles(page, [{ name: "mail.json", type: "application/json", text: N8N_WORKFLOW }], true);
  const dialog = page.getByTestId("import-dialog");
  await dialog.getByRole("button", { name: "Send mail" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.locator(".react-flow__node.selected")).toHaveText(/Send mail/);
  await expect(page.getByTestId("node-title")).toHaveValue("Send mail");

  await page.getByTestId("rail-flows").click();
  await page.getByTestId("flows-flow.importReport").click();
  await expect(dialog).toContainText("Imported from n8n");
  await page.keyboard.press("Escape");

  await page.keyboard.press("ControlOrMeta+t");
  await expect(page.getByTestId("start-page")).toBeVisible();
  await expect(page.getByTestId("flows-flow.importReport")).toHaveCount(0);
  await page.getByTestId("tab-Mail").locator(".flow-tab-name").click();
  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByTestId("menu-field")).toBeFocused();
  await page.keyboard.type("import report");
  await page.keyboard.press("Enter");
  await expect(dialog).toContainText("Imported from n8n");
});

test("leads through what is not as in the original, one place at a time", async ({ page }) => {
  const workflow = JSON.parse(N8N_WORKFLOW);
  workflow.nodes.push({
    id: "9",
    name: "Old request",
    type: "n8n-nodes-base.httpRequest",
    typeVersion: 4.2,
    position: [900, 500],
    parameters: { url: "http://127.0.0.1:9/old" },
  });
  await openEmpty(page);
  await dragFiles(page, [{ name: "mail.json", type: "application/json", text: JSON.stringify(workflow) }], true);
  await expect(page.getByTestId("import-dialog")).toBeVisible();
  await takeBoth(page, "import-report");
  await page.getByTestId("import-walk").click();
  const steps = page.getByTestId("import-steps");
  await expect(page.getByTestId("import-dialog")).toBeHidden();
  await expect(steps).toContainText("1 of 2");
  await expect(steps).toContainText("Send mail");
  await expect(steps).toContainText("Replace it with nodes that do the same, or delete it.");
  await expect(page.locator(".react-flow__node.selected")).toHaveText(/Send mail/);
  await steps.getByTestId("import-next").click();
  await expect(steps).toContainText(
    "Nothing starts it in the original. It is disabled here. Change it if that matters.",
  );
  await expect(page.locator(".react-flow__node.selected")).toHaveText(/Old request/);
  await takeBoth(page, "import-steps");
  await steps.getByTestId("import-previous").click();
  await expect(page.locator(".react-flow__node.selected")).toHaveText(/Send mail/);
  await page.keyboard.press("Delete");
  await expect(steps).toContainText("You deleted its node.");
  await steps.getByRole("button", { name: "Close" }).click();
  await expect(steps).toBeHidden();
});

/** A placeholder, and a request whose address is an expression: a folded frame. */
const FOLDED = JSON.stringify({
  name: "Folded",
  nodes: [
    { id: "1", name: "Start", type: "n8n-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0], parameters: {} },
    {
      id: "2",
      name: "Ask the server",
      type: "n8n-nodes-base.httpRequest",
      typeVersion: 4.2,
      position: [200, 0],
      parameters: { url: "=http://127.0.0.1:9/{{ $json.id }}", options: { timeout: 9 } },
    },
    { id: "3", name: "Send mail", type: "n8n-nodes-base.gmail", typeVersion: 2, position: [400, 0], parameters: {} },
  ],
  connections: {
    Start: { main: [[{ node: "Ask the server", type: "main", index: 0 }]] },
    "Ask the server": { main: [[{ node: "Send mail", type: "main", index: 0 }]] },
  },
});

test("folds again what it unfolded to show a place", async ({ page }) => {
  await openEmpty(page);
  await dragFiles(page, [{ name: "folded.json", type: "application/json", text: FOLDED }], true);
  const folded = page.locator(".react-flow__node[data-id^=frame]", { hasText: "Ask the server" });
  await page.getByTestId("import-walk").click();
  const steps = page.getByTestId("import-steps");
  await expect(steps).toContainText("Ask the server");
  const inside = page.locator(".react-flow__node", { hasText: "Ask the server: expression" });
  await expect(inside).toBeVisible();
  // The bar covers no part of the canvas.
  const [bar, canvas] = [await steps.boundingBox(), await page.getByTestId("canvas").boundingBox()];
  expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual(canvas?.y ?? 0);
  await steps.getByTestId("import-next").click();
  await expect(steps).toContainText("Send mail");
  await expect(inside).toHaveCount(0);
  await expect(folded).toBeVisible();
  await steps.getByTestId("import-previous").click();
  await expect(inside).toBeVisible();
  await steps.getByRole("button", { name: "Close" }).click();
  await expect(inside).toHaveCount(0);
  await expect(folded).toHaveClass(/selected/);
});

test("says what will happen to files that are dragged over the window", async ({ page }) => {
  await openEmpty(page);
  await dragFiles(page, [{ name: "a.flow.json", type: "application/json", text: "{}" }], false);
  await expect(page.getByTestId("drop-overlay")).toContainText("Drop to open this file");
  await dragFiles(page, [{ name: "photo.png", type: "image/png", text: "" }], false);
  await expect(page.getByTestId("drop-overlay")).toContainText("Plait can’t open this file");
  await dragFiles(page, [{ name: "photo.png", type: "image/png", text: "" }], true);
  await expect(page.getByTestId("drop-overlay")).toHaveCount(0);
  await expect(page.locator("[data-sonner-toast]")).toContainText("“photo.png” is no flow");
});

test("a dropped flow opens unsaved", async ({ page }) => {
  await openEmpty(page);
  await dragFiles(page, [{ name: "chat.flow.json", type: "application/json", text: JSON.stringify(CHAT_FLOW) }], true);
  await expect(node(page, "answer")).toBeVisible();
  await expect(page.getByTestId("flow-name")).toHaveText(CHAT_FLOW.name);
  await expect(page.getByTestId("flow-file")).toHaveText("Not saved");
});

test("a dropped file of another tool is imported, with its report", async ({ page }) => {
  await openEmpty(page);
  await dragFiles(page, [{ name: "mail.json", type: "application/json", text: N8N_WORKFLOW }], true);
  await expect(page.getByTestId("import-dialog")).toContainText("Imported from n8n");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("flow-name")).toHaveText("Mail");
});

test("a dropped file that is nothing Plait knows is named, and the document stays", async ({ page }) => {
  await openEmpty(page);
  await dragFiles(page, [{ name: "notes.txt", type: "text/plain", text: "Buy milk" }], true);
  await expect(page.locator("[data-sonner-toast]")).toContainText("This is not valid JSON");
  await expect(page.getByTestId("empty-canvas")).toBeVisible();
});

test("opening a file of another tool offers to import it", async ({ page }) => {
  putFile(filePath("n8n.json"), N8N_WORKFLOW);
  await page.goto(`/?open=${encodeURIComponent(filePath("n8n.json"))}`);
  const toast = page.locator("[data-sonner-toast]");
  await expect(toast).toContainText("is not a flow");
  await toast.getByRole("button", { name: "Import it" }).click();
  await expect(page.getByTestId("import-dialog")).toContainText("Imported from n8n");
});

/** A workflow with a request that nothing starts. */
const UNSTARTED = JSON.stringify({
  name: "Old",
  nodes: [
    { id: "1", name: "Start", type: "n8n-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0], parameters: {} },
    {
      id: "2",
      name: "Old request",
      type: "n8n-nodes-base.httpRequest",
      typeVersion: 4.2,
      position: [200, 300],
      parameters: { url: "http://127.0.0.1:9/old", options: {} },
    },
  ],
  connections: {},
});

test("a node that nothing started is disabled, and the report says so", async ({ page }) => {
  await openEmpty(page);
  await dragFiles(page, [{ name: "old.json", type: "application/json", text: UNSTARTED }], true);
  const dialog = page.getByTestId("import-dialog");
  await expect(dialog).toContainText("Nothing starts it in the original. It is disabled here.");
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(node(page, "old-request")).toHaveAttribute("data-disabled", "true");
});

test("what an older import marked is a problem until a person confirms it, with one undo step", async ({ page }) => {
  const nodes = { hello: { type: "value", config: { value: "Hi" }, unconfirmed: [{ kind: "neverStarted" }] } };
  await openFlow(page, { version: 1, name: "Old", nodes, edges: {}, layout: {} } as Flow);
  await page.getByTestId("dock-tab-problems").click();
  const problem = page.locator('[data-testid="problem"][data-code="import.never_started"]');
  await expect(problem).toContainText("nothing starts this node. Here it runs.");
  await problem.getByRole("button", { name: "Let this node run" }).click();
  await expect(problem).toBeHidden();
  await page.keyboard.press("ControlOrMeta+z");
  await expect(problem).toBeVisible();
});

/** An app of Dify: a model answers, and a template puts the answer into brackets. */
function difyApp(): string {
  const data = (id: string, fields: object) => ({ id, data: fields });
  const nodes = [
    data("s", { type: "start", title: "Start", variables: [] }),
    data("l", {
      type: "llm",
      title: "Ask",
      model: { provider: "openai", name: "gpt-4o", mode: "chat", completion_params: {} },
      prompt_template: [{ role: "user", text: "{{#sys.query#}}" }],
    }),
    data("t", {
      type: "template-transform",
      title: "Wrap",
      template: "<{{ r | upper }}>",
      variables: [{ variable: "r", value_selector: ["l", "text"] }],
    }),
    data("a", { type: "answer", title: "Answer", answer: "{{#t.output#}}" }),
  ];
  const edges = [
    { source: "s", target: "l" },
    { source: "l", target: "t" },
    { source: "t", target: "a" },
  ];
  const app = { mode: "advanced-chat", name: "Brackets" };
  return JSON.stringify({ kind: "app", app, workflow: { graph: { nodes, edges } } });
}

test("an imported flow is compared with an execution of the original, and what departs is marked", async ({ page }) => {
  const data = [
    { node_id: "s", outputs: { "sys.query": "hi" } },
    { node_id: "l", outputs: { text: "well" } },
    { node_id: "t", outputs: { output: "<well>" } },
    { node_id: "a", outputs: { answer: "<WELL>" } },
  ];
  putFile(filePath("execution.json"), JSON.stringify({ data }));
  await openEmpty(page);
  await dragFiles(page, [{ name: "app.json", type: "application/json", text: difyApp() }], true);
  await page.getByTestId("import-compare").click();
  await page.getByTestId("file-dialog-path").fill(filePath("execution.json"));
  await page.getByTestId("file-dialog-ok").click();

  const dialog = page.getByTestId("import-comparison-dialog");
  await expect(dialog).toContainText("One node departs from the record.");
  const departure = page.getByTestId("departures").locator("li");
  await expect(departure).toHaveCount(1);
  await expect(departure).toContainText("Wrap");
  await expect(departure).toContainText("<well>");
  await expect(departure).toContainText("<WELL>");
  await expect(dialog).toContainText("Delivers what is recorded");
  await takeBoth(page, "import-comparison");
  expect(await findViolations(page, { within: '[data-testid="import-comparison-dialog"]' })).toEqual([]);

  await page.getByTestId("import-comparison-on-canvas").click();
  await expect(dialog).toBeHidden();
  await expect(page.getByTestId("compared-wrap")).toHaveAttribute("data-sign", "departs");
  await expect(page.getByTestId("compared-ask")).toHaveCount(0);
  await page.keyboard.press("F4");
  await expect(page.getByTestId("comparison-at")).toContainText("1 of 1");
  await takeBoth(page, "import-comparison-canvas");
  await page.getByTestId("comparison-bar").getByRole("button", { name: "Beside execution.json" }).click();
  await expect(dialog).toBeVisible();
});

/** In both themes and sizes. */
async function takeBoth(page: Page, name: string) {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const size of [
      { width: 1280, height: 800 },
      { width: 1000, height: 700 },
    ]) {
      await page.setViewportSize(size);
      await takePicture(page, `${name}-${colorScheme}-${size.width}`);
    }
  }
}

test("each other graph of a file is imported as a flow of its own", async ({ page }) => {
  const graph = (name: string, text: string) => ({
    metadata: { name },
    nodes: { [`[${name}]:text "${name}"`]: { data: { text }, visualData: "0/0/300/1//" } },
  });
  const project = {
    version: 4,
    data: {
      metadata: { mainGraphId: "first", title: "Letters" },
      graphs: { first: graph("First", "a"), second: graph("Second", "b") },
    },
  };
  await openEmpty(page);
  const text = JSON.stringify(project);
  await dragFiles(page, [{ name: "letters.rivet-project", type: "application/json", text }], true);
  const dialog = page.getByTestId("import-dialog");
  await expect(dialog).toContainText("Other graphs of the file");
  await takePicture(page, "import-other-graphs");
  expect(await findViolations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Import Second" }).click();
  await expect(page.getByTestId("tab-Second")).toBeVisible();
  await expect(page.locator(".react-flow__node", { hasText: "Second" })).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Import Letters" })).toHaveCount(0);
  await expect(dialog.getByRole("button", { name: "Import First" })).toBeVisible();
});

/** A workflow of n8n with two rows that begin with the same trigger: in Plait, each request is several nodes. */
function twoRows(address: string): string {
  const step = (name: string, kind: string, position: [number, number], parameters: object) => ({
    name,
    type: `n8n-nodes-base.${kind}`,
    typeVersion: kind === "httpRequest" ? 4.2 : 1,
    position,
    parameters,
    continueOnFail: kind === "httpRequest",
  });
  const to = (...names: string[]) => ({ main: [names.map((node) => ({ node, type: "main", index: 0 }))] });
  return JSON.stringify({
    name: "Market",
    nodes: [
      step("Every morning", "manualTrigger", [0, 100], {}),
      step("Fetch prices", "httpRequest", [220, 0], { url: `${address}/prices` }),
      step("Fetch the exchange rates", "httpRequest", [220, 180], { url: `${address}/missing` }),
      step("Look at prices", "httpRequest", [420, 0], { url: `${address}/prices` }),
    ],
    connections: {
      "Every morning": to("Fetch prices", "Fetch the exchange rates"),
      "Fetch prices": to("Look at prices"),
    },
  });
}

type Box = { x: number; y: number; width: number; height: number };

async function boxOf(locator: Locator): Promise<Box> {
  const box = await locator.boundingBox();
  if (!box) throw new Error("It is not drawn.");
  return box;
}

/** Where the cards are on the canvas, wherever the view is. */
const places = (page: Page) =>
  page
    .locator(".react-flow__node")
    .evaluateAll((all) => all.map((one) => [one.getAttribute("data-id"), (one as HTMLElement).style.transform]));

test("a node that became several is one card with its name, its place and its state in a run", async ({ page }) => {
  const server = createServer(({ url }, response) => {
    response.statusCode = url === "/prices" ? 200 : 404;
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ price: 12 }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await openEmpty(page);
  await dragFiles(page, [{ name: "market.json", type: "application/json", text: twoRows(address) }], true);
  await expect(page.getByTestId("import-dialog")).toContainText("4 of 4 nodes do the same here");
  await page.keyboard.press("Escape");

  const card = (id: string) => page.getByTestId(`frame-${id}`);
  const cards = ["fetch-prices", "fetch-the-exchange-rates", "look-at-prices"];
  await expect(page.locator(".react-flow__node")).toHaveCount(4);
  await expect(card("fetch-prices")).toContainText("Fetch prices");
  await expect(card("fetch-the-exchange-rates")).toContainText("Fetch the exchange rates");
  await expect(card("fetch-the-exchange-rates")).toContainText(/\d nodes/);
  const boxes = await Promise.all(cards.map((id) => boxOf(card(id))));
  const [prices, rates, look] = boxes as [Box, Box, Box];
  expect([prices.x, prices.y]).toEqual([rates.x, look.y]);
  expect(rates.y).toBeGreaterThan(prices.y + prices.height);
  // The trigger's two edges, that between two requests, and the turn of the second row.
  await expect(page.locator(".react-flow__edge")).toHaveCount(4);
  await expect(page.locator(".strand[data-turn]")).toHaveCount(1);

  await page.keyboard.press("ControlOrMeta+Enter");
  await page.getByRole("button", { name: "Allow once", exact: true }).click();
  await page.getByTestId("grants-run").click();
  await expect(card("look-at-prices")).toHaveAttribute("data-state", "done", { timeout: 30_000 });
  await expect(card("fetch-prices")).toHaveAttribute("data-state", "done");
  await expect(card("fetch-the-exchange-rates")).toHaveAttribute("data-state", "failed");
  await expect(card("fetch-the-exchange-rates")).toContainText("404");
  await takeBoth(page, "import-cards");
  server.close();

  // Unfolded, it has its nodes inside of it, and moves aside what it would cover. Folded again, all is as it was.
  const before = await places(page);
  await card("fetch-prices").getByRole("button", { name: "Unfold frame", exact: true }).click();
  await expect(node(page, "fetch-prices")).toBeVisible();
  const [open, beside] = await Promise.all([card("fetch-prices"), card("look-at-prices")].map(boxOf));
  expect(beside?.x).toBeGreaterThan((open?.x ?? 0) + (open?.width ?? 0));
  await card("fetch-prices").getByRole("button", { name: "Fold frame", exact: true }).click();
  await expect.poll(() => places(page)).toEqual(before);
});
