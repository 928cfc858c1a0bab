/** The window on a host of another machine: the real `plait-server`, with tokens of several people. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import type { Flow } from "@/bindings";
import { findViolations } from "./axe";
import {
  test as base,
  expect,
  filePath,
  node,
  openFlow,
  SCRIPTED,
  saying,
  type TestHost,
  takePictures,
} from "./fixture";
import { ServedHost } from "./served-host";

/** Asks a person, and has a model say something about the answer. */
const ASK_FLOW: Flow = {
  version: 1,
  name: "Order help",
  nodes: {
    start: SCRIPTED,
    ask: { type: "userInput", title: "Ask", config: { prompt: "Which order is it about?" } },
    answer: saying("Answer", "{{order}}", "Order 7731 arrives on Thursday."),
    out: { type: "output", title: "Reply" },
  },
  edges: {
    a: { source: "start", sourceOutput: "context", target: "ask", targetInput: "context" },
    b: { source: "ask", sourceOutput: "context", target: "answer", targetInput: "context" },
    c: { source: "ask", sourceOutput: "message", target: "answer", targetInput: "order" },
    d: { source: "answer", sourceOutput: "response", target: "out", targetInput: "value" },
  },
  layout: { start: { x: 0, y: 0 }, ask: { x: 280, y: 0 }, answer: { x: 560, y: 0 }, out: { x: 840, y: 0 } },
};

const test = base.extend<{ served: ServedHost }>({
  served: async ({ host: _ }, use) => {
    const served = await ServedHost.start();
    await use(served);
    await served.kill();
  },
});

const status = (page: Page) => page.getByTestId("run-status");

async function command(page: Page, words: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.keyboard.type(words);
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("command-palette")).toHaveCount(0);
}

/** Opens the window of a host that this machine knows. */
async function openHost(page: Page, name = "team"): Promise<void> {
  await page.goto(`/?window=another&host=${name}`);
  await expect(page.getByTestId("host-name")).toHaveText(`On ${name}`);
}

test("a host is added, opened, runs a flow and is answered", async ({ page, served }) => {
  const token = served.addToken("ann", "editor");
  await served.publish(token, "order-help", ASK_FLOW);
  await page.goto("/");
  await expect(page.getByTestId("start-page")).toBeVisible();
  await command(page, "hosts");
  const dialog = page.getByTestId("hosts-dialog");
  await expect(dialog.getByText("No hosts yet.")).toBeVisible();
  await dialog.getByTestId("host-add").click();
  await dialog.getByLabel("Name").fill("team");
  await dialog.getByLabel("Address").fill("http://plait.example.com");
  await dialog.getByLabel("Token").fill(token);
  await dialog.getByTestId("host-save").click();
  await expect(dialog.getByText("without encryption, only a host on this machine is reached")).toBeVisible();
  await dialog.getByLabel("Address").fill(served.url);
  expect(await findViolations(page, { within: '[data-testid="hosts-dialog"]' })).toEqual([]);
  await dialog.getByTestId("host-save").click();
  await expect(dialog.getByTestId("host-team")).toContainText("ann (editor)");
  expect(await findViolations(page, { within: '[data-testid="hosts-dialog"]' })).toEqual([]);
  await takePictures(page, "hosts/list");
  // The token is nowhere on the page.
  expect(await page.content()).not.toContain(token);

  const opening = page.waitForEvent("popup");
  await dialog.getByTestId("host-open-team").click();
  const window = await opening;
  await expect(window.getByTestId("host-state")).toHaveText("ann (editor)");
  await expect(window).toHaveTitle("Plait on team");
  await window.getByTestId("host-published").click();
  await expect(window.getByTestId("published-order-help")).toContainText("Version 1 · ann");
  expect(await findViolations(window, { within: '[data-testid="published-dialog"]' })).toEqual([]);
  await takePictures(window, "hosts/published");
  await window.getByTestId("published-run-order-help").click();
  await expect(status(window)).toHaveAttribute("data-status", "waiting");
  await window.getByTestId("pause-answer").fill("7731");
  await window.getByTestId("pause-send").click();
  await expect(status(window)).toHaveAttribute("data-status", "finished");
  await expect(window.getByText("Order 7731 arrives on Thursday.").first()).toBeVisible();
  await takePictures(window, "hosts/run");
});

/** A known host whose window is open, with a flow that asks. */
async function withHost(
  page: Page,
  { host, served }: { host: TestHost; served: ServedHost },
  role: "viewer" | "runner" | "editor" | "admin",
): Promise<void> {
  const editor = served.addToken("editor", "editor");
  await served.publish(editor, "order-help", ASK_FLOW);
  await host.call("hosts.add", { name: "team", url: served.url, token: served.addToken("ann", role) });
  await openHost(page);
  await expect(page.getByTestId("host-state")).toHaveText(`ann (${role})`);
}

async function runPublished(page: Page): Promise<void> {
  await page.getByTestId("host-published").click();
  await page.getByTestId("published-run-order-help").click();
}

test("a flow is published from its window, changed, compared and rolled back", async ({ page, host, served }) => {
  const token = served.addToken("ann", "editor");
  await host.call("hosts.add", { name: "team", url: served.url, token });
  await openFlow(page, ASK_FLOW, filePath("Order Help.flow.json"));
  await command(page, "publish");
  const dialog = page.getByTestId("publish-dialog");
  await expect(dialog.getByTestId("publish-name")).toHaveValue("order-help");
  await expect(dialog.getByText("The name is new on this host.")).toBeVisible();
  await dialog.getByTestId("publish-submit").click();
  await expect(dialog.getByText("The same as version 1, which is served.")).toBeVisible();
  await page.keyboard.press("Escape");

  await node(page, "out").click();
  await page.keyboard.press("Delete");
  await command(page, "publish");
  await expect(dialog.getByTestId("publish-difference")).toContainText("Removes Reply");
  expect(await findViolations(page, { within: '[data-testid="publish-dialog"]' })).toEqual([]);
  await takePictures(page, "hosts/publish");
  await dialog.getByTestId("publish-submit").click();
  await expect(dialog.getByTestId("published-versions").getByRole("listitem")).toHaveCount(2);
  const served2 = await served.call(token, "published.read", { name: "order-help" });
  expect([served2.version, Object.keys(served2.flow.nodes).sort()]).toEqual([2, ["answer", "ask", "start"]]);
  await dialog.getByRole("button", { name: "Serve version 1 again" }).click();
  await expect(dialog.getByTestId("publish-difference")).toContainText("version 1");
  expect((await served.call(token, "published.read", { name: "order-help" })).version).toBe(1);
  await dialog.getByTestId("publish-compare").click();
  await expect(page.getByTestId("comparison-bar")).toContainText("Since version 1 of order-help");
});

test("a question of another person's run is on the board and answered from there", async ({ page, host, served }) => {
  await withHost(page, { host, served }, "runner");
  await page.getByTestId("rail-runs").click();
  await expect(page.getByTestId("board-waiting")).toHaveText("0 waiting");
  const bob = served.addToken("bob", "runner");
  const begun = await served.begin(bob, "order-help");
  const questions = page.getByTestId("run-questions");
  await expect(questions).toContainText("Which order is it about?");
  await expect(page.getByTestId("board-waiting")).toHaveText("1 waiting");
  expect(await findViolations(page, { within: '[data-testid="run-board"]' })).toEqual([]);
  await takePictures(page, "hosts/board");
  await questions.getByTestId(`run-answer-${begun}`).click();
  await page.getByTestId("pause-answer").fill("7731");
  await page.getByTestId("pause-send").click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await expect(page.getByTestId("board-waiting")).toHaveText("0 waiting");
});

test("a run that is watched is answered by somebody else", async ({ page, host, served }) => {
  await withHost(page, { host, served }, "runner");
  await runPublished(page);
  await expect(status(page)).toHaveAttribute("data-status", "waiting");
  const bob = served.addToken("bob", "runner");
  await served.answer(bob, "7731");
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await expect(page.getByText("Order 7731 arrives on Thursday.").first()).toBeVisible();
});

test("a viewer looks, and learns what needs a higher role", async ({ page, host, served }) => {
  await withHost(page, { host, served }, "viewer");
  await served.begin(served.addToken("bob", "runner"), "order-help");
  await page.getByTestId("rail-runs").click();
  await expect(page.getByTestId("run-questions").getByRole("button")).toHaveText("Look");
  await page.getByTestId("run-questions").getByRole("button").click();
  await page.getByTestId("pause-answer").fill("7731");
  await page.getByTestId("pause-send").click();
  await expect(page.getByText("This needs the role runner, and the token has the role viewer.").first()).toBeVisible();
  await page.getByTestId("host-published").click();
  await expect(page.getByTestId("published-run-order-help")).toBeDisabled();
});

test("a host that is gone is waited for, and its runs go on where they were", async ({ page, host, served }) => {
  await withHost(page, { host, served }, "runner");
  await runPublished(page);
  await expect(status(page)).toHaveAttribute("data-status", "waiting");
  await served.kill();
  await expect(page.getByTestId("host-state")).toContainText("Not connected. Trying again…");
  await expect(page.getByTestId("host-bar")).toHaveAttribute("data-lost", "true");
  await takePictures(page, "hosts/lost");
  await served.restart();
  await expect(page.getByTestId("host-state")).toHaveText("ann (runner)");
  await served.answer(served.addToken("bob", "runner"), "7731");
  await expect(status(page)).toHaveAttribute("data-status", "finished");
});

test("a token that was revoked is said to be, and another one is entered", async ({ page, host, served }) => {
  await withHost(page, { host, served }, "runner");
  served.revokeToken("ann");
  await expect(page.getByTestId("host-state")).toContainText("token");
  await page.getByRole("button", { name: "Enter a token…" }).click();
  const dialog = page.getByTestId("hosts-dialog");
  await dialog.getByRole("button", { name: "Change team" }).click();
  await dialog.getByLabel("Token").fill(served.addToken("ann2", "runner"));
  await dialog.getByTestId("host-save").click();
  await expect(page.getByTestId("host-state")).toHaveText("ann2 (runner)");
});

test("a flow of the host's folder is opened, saved and run there", async ({ page, host, served }) => {
  await withHost(page, { host, served }, "editor");
  await page.keyboard.press("Control+o");
  const files = page.getByTestId("host-files");
  await expect(files.getByTestId("host-file-order-help.flow.json")).toBeVisible();
  expect(await findViolations(page, { within: '[data-testid="host-files"]' })).toEqual([]);
  await takePictures(page, "hosts/files");
  await files.getByTestId("host-file-order-help.flow.json").click();
  await expect(page.getByTestId("flow-name")).toHaveText("Order help");
  await page.keyboard.press("Control+Shift+s");
  await files.getByTestId("host-file-name").fill("other");
  await files.getByTestId("host-file-choose").click();
  await expect(page.getByTestId("flow-file")).toContainText("other.flow.json · Saved");
  expect(readFileSync(join(ServedHost.flows, "other.flow.json"), "utf8")).toContain("Order help");
  await page.getByTestId("run-button").click();
  await expect(status(page)).toHaveAttribute("data-status", "waiting");
});

test("a run that is stopped on the host is brought home and forked", async ({ page, host, served }) => {
  await withHost(page, { host, served }, "editor");
  await page.keyboard.press("Control+o");
  await page.getByTestId("host-file-order-help.flow.json").click();
  await expect(page.getByTestId("flow-name")).toHaveText("Order help");
  await node(page, "answer").click();
  await page.keyboard.press("F9");
  await page.getByTestId("run-button").click();
  await page.getByTestId("pause-answer").fill("7731");
  await page.getByTestId("pause-send").click();
  await expect(status(page)).toHaveAttribute("data-status", "stopped");
  await takePictures(page, "hosts/stopped");
  const opening = page.waitForEvent("popup");
  await command(page, "bring run home");
  const home = await opening;
  await expect(home.getByTestId("host-bar")).toHaveCount(0);
  await expect(status(home)).toHaveAttribute("data-status", "stopped");
  const [copy] = await host.call("runs.list", {});
  expect(copy?.status).toBe("stopped");
  await home.keyboard.press("F8");
  await expect(status(home)).toHaveAttribute("data-status", "finished");
  // That of the host still stands where it did.
  await expect(status(page)).toHaveAttribute("data-status", "stopped");
});
