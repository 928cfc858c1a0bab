/** A question about a tool call with arguments longer than the dock: it can be answered without scrolling. */

import { dirname } from "node:path";
import type { Flow } from "../../src/bindings";
import { findViolations } from "./axe";
import {
  expect,
  filePath,
  openLatestRun,
  putFile,
  SCRIPTED,
  TEST_FILE,
  type TestHost,
  takePicture,
  test,
} from "./fixture";

const FLOW: Flow = {
  version: 1,
  name: "Support triage",
  nodes: {
    start: SCRIPTED,
    fetch: { type: "readFile", title: "Read letter", config: { path: "letter.md" } },
    receipts: {
      type: "tools",
      title: "Send receipt",
      config: {
        http: [
          {
            name: "send_receipt",
            method: "POST",
            url: "https://letters.example/receipts",
            parameters: { type: "object" },
          },
        ],
      },
    },
    chat: {
      type: "chat",
      title: "Answer",
      config: {
        options: {
          replies: [
            {
              toolCalls: [
                {
                  name: "send_receipt",
                  arguments: Object.fromEntries(
                    Array.from({ length: 12 }, (_, index) => [`line${index + 1}`, "What the letter asked to be sent"]),
                  ),
                },
              ],
            },
            { text: "Sent." },
          ],
        },
      },
    },
  },
  edges: {
    a: { source: "fetch", sourceOutput: "text", target: "chat", targetInput: "message" },
    b: { source: "receipts", sourceOutput: "tools", target: "chat", targetInput: "tools" },
    c: { source: "start", sourceOutput: "context", target: "chat", targetInput: "context" },
  },
  layout: { start: { x: 0, y: 360 }, fetch: { x: 0, y: 0 }, receipts: { x: 0, y: 180 }, chat: { x: 300, y: 0 } },
};

/** A run that waits for a decision: a model calls a tool with what a letter says. */
async function runToQuestion(host: TestHost): Promise<void> {
  putFile(filePath("letter.md"), "Send it.");
  putFile(TEST_FILE, FLOW);
  const allowed = ["host=letters.example", "host=*", `folder=${dirname(TEST_FILE)}`];
  const grants = allowed.map((target) => ({ target, decision: "allow" as const, write: true }));
  const { run } = await host.call("run.start", { flow: FLOW, path: TEST_FILE, grants });
  await expect.poll(async () => (await host.call("runs.show", { run })).summary.status).toBe("waiting");
}

for (const theme of ["dark", "light"] as const) {
  for (const [width, height] of [
    [1280, 800],
    [1000, 700],
  ] as const) {
    test.describe(`at ${width} × ${height}, ${theme}`, () => {
      test.use({ colorScheme: theme, viewport: { width, height } });

      test("a long question shows its beginning and its buttons, and the keyboard reaches them", async ({
        page,
        host,
      }) => {
        await runToQuestion(host);
        await openLatestRun(page);
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
        expect(await findViolations(page, { within: '[data-testid="messages"]' })).toEqual([]);

        await question.getByTestId("read-large").click();
        const reader = page.getByTestId("reader");
        await expect(reader.getByText("What the letter asked to be sent").last()).toBeInViewport();
        await takePicture(page, `reader-${theme}-${width}`);
        expect(await findViolations(page, { within: '[data-testid="reader"]' })).toEqual([]);
        await page.keyboard.press("Escape");
        await expect(reader).toHaveCount(0);

        await question.getByTestId("pause-comment").focus();
        await page.keyboard.press("Tab");
        await expect(question.getByTestId("pause-reject").getByRole("button")).toBeFocused();
        await page.keyboard.press("Tab");
        await expect(question.getByTestId("pause-approve").getByRole("button")).toBeFocused();
      });
    });
  }
}
