/** What an MCP server does during its calls, while a flow runs: progress, a question, a request for a reply. */

import type { Page } from "@playwright/test";
import recorded from "../../../tests/fixtures/flows/server-questions.flow.json" with { type: "json" };
import type { Flow } from "../../src/bindings";
import { findViolations } from "./axe";
import {
  expect,
  intoView,
  node,
  openFlow,
  scriptedServer,
  TEST_FILE,
  type TestHost,
  takePicture,
  test,
} from "./fixture";

const status = (page: Page) => page.getByTestId("run-status");

/** Runs the flow, allowing what it needs. */
async function run(page: Page, host: TestHost): Promise<void> {
  await host.call("mcp.add", { json: JSON.stringify({ mcpServers: { scripted: scriptedServer() } }) });
  const rules = [{ target: "tool=scripted/*", decision: "allow" as const, write: true, untrusted: true }];
  await host.call("grants.set", { path: TEST_FILE, rules });
  const flow = structuredClone(recorded) as unknown as Flow;
  // So long that what it shows can be looked at.
  flow.nodes.count = {
    ...flow.nodes.count,
    type: "callTool",
    config: { tool: "act", arguments: { do: "steps", stepMs: 2_000 } },
  };
  await openFlow(page, flow);
  await page.getByTestId("run-button").click();
  const need = page.getByTestId("need-command=scripted");
  await need.getByRole("button", { name: "Allow once", exact: true }).click();
  await page.getByTestId("grants-run").click();
}

async function expectNoViolations(page: Page, testid: string): Promise<void> {
  expect(await findViolations(page, { within: `[data-testid="${testid}"]` })).toEqual([]);
}

for (const [width, height] of [
  [1280, 800],
  [1000, 700],
] as const) {
  test.describe(`${width}×${height}`, () => {
    test.use({ viewport: { width, height } });

    test("shows progress, takes the answer of a form, and lets a model reply", async ({ page, host }) => {
      const picture = (name: string) => takePicture(page, `server-questions-${name}-${width}`);
      await run(page, host);
      const isSmall = width < 1100;
      if (isSmall) await page.keyboard.press("Control+i");
      await node(page, "count").click();
      await page.getByTestId("inspector-tab-io").click();
      // Which step it is at when this looks is a matter of timing.
      await expect(page.getByTestId("tool-progress-act")).toContainText(/[A-Z][a-z ]+[123] of 4/);
      await expect(page.getByTestId("progress-count")).toHaveText(/^[A-Z][a-z ]+ · [123] of 4$/);
      await page.getByTestId("tool-progress-act").scrollIntoViewIfNeeded();
      await picture("progress");

      // In a small window, a question that needs a form opens the dock.
      const question = page.getByTestId("pause-ask");
      await expect(question).toContainText("What is your name?");
      await expect(question.getByRole("button", { name: "Accept" })).toBeDisabled();
      await question.getByLabel("name").fill("Ada");
      await picture("question");
      await expectNoViolations(page, "pause-ask");
      await page.keyboard.press("Enter");

      const request = page.getByTestId("pause-reply");
      await expect(request).toContainText("requests the reply of a model");
      await expect(request).toContainText("Be brief.");
      await expect(request).toContainText("Say hello.");
      await expect(request.getByRole("button", { name: "Decline" })).toBeFocused();
      await picture("request");
      await expectNoViolations(page, "pause-reply");
      await request.getByRole("button", { name: "Accept" }).click();
      await expect(status(page)).toHaveAttribute("data-status", "finished", { timeout: 60_000 });

      // In a small window the dock folds when the run ends, and the canvas moves below the pointer.
      await expect(async () => {
        await (await intoView(page, node(page, "reply"))).click();
        await page.getByTestId("inspector-tab-prompt").click({ timeout: 2_000 });
      }).toPass();
      await expect(page.getByTestId("prompt-lens")).toContainText("Say hello.");
      await picture("prompt");
    });
  });
}

test("a declined question and a declined request reach the server", async ({ page, host }) => {
  await run(page, host);
  await page.getByTestId("pause-ask").getByRole("button", { name: "Decline" }).click({ timeout: 60_000 });
  await page.getByTestId("pause-reply").getByRole("button", { name: "Decline" }).click({ timeout: 60_000 });
  await expect(status(page)).toHaveAttribute("data-status", "finished", { timeout: 60_000 });
});
