/** Order without a value: a request that is connected to the `after` input of another one is sent before it. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import type { Flow } from "../../src/bindings";
import { expect, handle, middle, openFlow, savedFlow, test } from "./fixture";

let server: Server;
/** The requests in the order in which they were answered. */
let requests: string[];

test.beforeEach(async () => {
  requests = [];
  server = createServer((request, response) => {
    response.statusCode = request.url === "/failing" ? 400 : 200;
    // A POST takes so long that a request that does not wait for it is answered first.
    setTimeout(
      () => {
        requests.push(`${request.method} ${request.url}`);
        response.end("{}");
      },
      request.method === "POST" ? 500 : 0,
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
test.afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const address = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;

/** A GET and a POST that share nothing. Where nothing else orders them, the GET comes first by its id. */
const requestsFlow = (post: string): Flow => ({
  version: 1,
  name: "Orders",
  nodes: {
    "a-get": { type: "httpRequest", title: "Fetch order", config: { url: `http://${address()}/orders/1` } },
    "b-post": {
      type: "httpRequest",
      title: "Create order",
      config: { method: "POST", url: `http://${address()}${post}`, failOnErrorStatus: true },
      retry: { attempts: 1, backoffMs: 1, maxBackoffMs: 1, jitter: 0 },
    },
    out: { type: "output" },
  },
  edges: { value: { source: "a-get", sourceOutput: "status", target: "out", targetInput: "value" } },
  layout: { "b-post": { x: 0, y: 0 }, "a-get": { x: 380, y: 0 }, out: { x: 760, y: 0 } },
});

/** Drags from the POST to the `after` input of the GET, which shows while an edge is drawn. */
async function connectAfter(page: Page): Promise<void> {
  const from = await middle(handle(page, "b-post", "out", "status"));
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 20, from.y + 10, { steps: 2 });
  const after = handle(page, "a-get", "in", "after");
  await expect(after).toBeVisible();
  const to = await middle(after);
  await page.mouse.move(to.x, to.y, { steps: 8 });
  await page.mouse.up();
  await expect(page.locator(".react-flow__edge")).toHaveCount(2);
  expect(Object.values((await savedFlow(page)).edges)).toContainEqual({
    source: "b-post",
    sourceOutput: "status",
    target: "a-get",
    targetInput: "after",
  });
}

/** Runs the flow with its requests allowed, until it has this status. */
async function run(page: Page, status: string): Promise<void> {
  await page.getByTestId("run-button").click();
  const need = page.getByTestId(`need-host=${address()}`);
  await need.getByRole("button", { name: "Allow once", exact: true }).click();
  await page.getByTestId("grants-run").click();
  await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", status);
}

test("a GET that is drawn after a POST is sent after it", async ({ page }) => {
  await openFlow(page, requestsFlow("/orders"));
  await connectAfter(page);
  await run(page, "finished");
  expect(requests).toEqual(["POST /orders", "GET /orders/1"]);
});

test("a GET that is drawn after a POST is not sent when the POST fails", async ({ page }) => {
  await openFlow(page, requestsFlow("/failing"));
  await connectAfter(page);
  await run(page, "failed");
  expect(requests).toEqual(["POST /failing"]);
});
