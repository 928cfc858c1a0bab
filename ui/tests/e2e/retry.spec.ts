/** Before a retry, its button says what it reuses and what it buys again. */
import AxeBuilder from "@axe-core/playwright";
import type { Flow } from "../../src/bindings";
import { expect, type KeptRun, openKeptRun, putRun, takePicture, test } from "./fixture";

const FLOW = {
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

const FAILED: KeptRun = {
  run: "0190a0b0-0000-7000-8000-000000000002",
  flow: FLOW,
  journal: [
    { type: "run.started", run: "0190a0b0-0000-7000-8000-000000000002", flow: { name: FLOW.name, hash: "h1" } },
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

for (const theme of ["dark", "light"] as const) {
  for (const [width, height] of [
    [1280, 800],
    [1000, 700],
  ] as const) {
    test.describe(`at ${width} × ${height}, ${theme}`, () => {
      test.use({ colorScheme: theme, viewport: { width, height } });

      test("the retry button says what is reused and what is not known", async ({ page }) => {
        await putRun(page, FAILED);
        await openKeptRun(page);
        const button = page.getByTestId("retry-button");
        await expect(button).toHaveAccessibleDescription(/Reuses 2 replies and 1 tool result/);
        if (width >= 1280) await expect(button).toHaveText("Retry · reuses 2 replies");
        await button.hover();
        const tip = page.getByTestId("retry-forecast");
        await expect(tip).toContainText("Reuses 2 replies and 1 tool result, as long as the requests stay the same.");
        await expect(tip).toContainText("Makes 1 model call again.");
        await expect(tip).toContainText("What follows is not known before it runs.");
        await takePicture(page, `retry-${theme}-${width}`);
        const { violations } = await new AxeBuilder({ page }).include('[data-testid="retry-button"]').analyze();
        expect(violations.map((one) => `${one.id}: ${one.nodes.map((found) => found.html)}`)).toEqual([]);
      });
    });
  }
}
