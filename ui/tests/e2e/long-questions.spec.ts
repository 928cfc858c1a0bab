/** A question about a tool call whose arguments are longer than the dock: it can be answered without scrolling. */
import AxeBuilder from "@axe-core/playwright";
import type { Flow } from "../../src/bindings";
import { expect, type KeptRun, openKeptRun, putRun, takePicture, test } from "./fixture";

const FLOW = {
  version: 1,
  name: "Support triage",
  nodes: {
    fetch: { type: "readFile", title: "Read letter", config: { path: "letter.md" } },
    chat: { type: "chat", title: "Answer" },
  },
  edges: { a: { source: "fetch", sourceOutput: "text", target: "chat", targetInput: "message" } },
  layout: { fetch: { x: 0, y: 0 }, chat: { x: 300, y: 0 } },
} as unknown as Flow;

const ARGUMENTS = Array.from({ length: 12 }, (_, index) => `  "line${index + 1}": "What the letter asked to be sent"`);

const WAITING: KeptRun = {
  run: "0190a0b0-0000-7000-8000-000000000001",
  flow: FLOW,
  journal: [
    { type: "run.started", run: "0190a0b0-0000-7000-8000-000000000001", flow: { name: FLOW.name, hash: "h1" } },
    { type: "node.ready", node: "fetch", epoch: [] },
    { type: "node.started", node: "fetch", epoch: [], attempt: 1 },
    {
      type: "node.finished",
      node: "fetch",
      epoch: [],
      outputs: { text: "Send it." },
      metadata: { durationMs: 1, origins: ["host:letters.example"] },
    },
    { type: "node.ready", node: "chat", epoch: [], inputs: { message: [{ node: "fetch", epoch: [], port: "text" }] } },
    { type: "node.started", node: "chat", epoch: [], attempt: 1 },
    {
      type: "run.paused",
      node: "chat",
      epoch: [],
      prompt: `May **send_receipt** be called? What it would send or change depends on what others wrote: \`host:letters.example\`.\n\n\`\`\`json\n{\n${ARGUMENTS.join(",\n")}\n}\n\`\`\``,
      schema: {
        type: "object",
        properties: { approved: { type: "boolean" }, comment: { type: "string" } },
        required: ["approved"],
      },
      tool: { step: 0, callId: "1", name: "send_receipt", kind: "approval", untrusted: ["host:letters.example"] },
    },
    { type: "run.waiting", on: [{ node: "chat", epoch: [] }] },
  ].map((event, seq) => ({ seq, at: 1_700_000_000_000 + seq, ...event })),
};

for (const theme of ["dark", "light"] as const) {
  for (const [width, height] of [
    [1280, 800],
    [1000, 700],
  ] as const) {
    test.describe(`at ${width} × ${height}, ${theme}`, () => {
      test.use({ colorScheme: theme, viewport: { width, height } });

      test("a long question shows its beginning and its buttons, and the keyboard reaches them", async ({ page }) => {
        await putRun(page, WAITING);
        await openKeptRun(page);
        // The offer to open it is gone with that.
        await expect(page.getByText("is waiting for you:")).toHaveCount(0);
        // A small window has a line for the question, and its button.
        if (width < 1100) await page.getByTestId("line-answer").click();
        const question = page.getByTestId("pause-chat");
        const dock = page.getByTestId("messages");
        await expect(question.getByText("May send_receipt be called?")).toBeInViewport();
        for (const button of ["pause-reject", "pause-approve"]) {
          await expect(question.getByTestId(button).getByRole("button")).toBeInViewport({ ratio: 1 });
        }
        // The question is longer than there is room: otherwise this shows nothing.
        expect(await dock.evaluate((box) => box.scrollHeight > box.clientHeight + 40)).toBe(true);
        await takePicture(page, `long-question-${theme}-${width}`);
        await dock.evaluate((box) => box.scrollTo(0, box.scrollHeight));
        await expect(question.getByTestId("pause-reject").getByRole("button")).toBeInViewport({ ratio: 1 });
        await takePicture(page, `long-question-end-${theme}-${width}`);
        const { violations } = await new AxeBuilder({ page }).include('[data-testid="messages"]').analyze();
        expect(violations.map((one) => `${one.id}: ${one.nodes.map((found) => found.html)}`)).toEqual([]);

        await question.getByTestId("pause-comment").focus();
        await page.keyboard.press("Tab");
        await expect(question.getByTestId("pause-reject").getByRole("button")).toBeFocused();
        await page.keyboard.press("Tab");
        await expect(question.getByTestId("pause-approve").getByRole("button")).toBeFocused();
      });
    });
  }
}
