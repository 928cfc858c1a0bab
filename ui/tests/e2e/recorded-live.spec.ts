/** A program that `plait record` runs, while the window watches it: its run appears, grows, is drafted anew, and ends as the same run. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import type { Page } from "@playwright/test";
import { findViolations } from "./axe";
import { expect, takePicture, test } from "./fixture";
import { BINARY, HOME } from "./test-host";

type Message = { role: string; content: string };

/** A model server that answers one call each time it is let. */
class GatedServer {
  readonly #server: Server;
  readonly #waiting: (() => void)[] = [];
  #permits = 0;
  calls = 0;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { model, messages } = JSON.parse(Buffer.concat(chunks).toString()) as {
        model: string;
        messages: Message[];
      };
      this.calls += 1;
      await this.#permit();
      const content = REPLIES[messages.at(-1)?.content ?? ""] ?? "I do not know.";
      response.setHeader("Content-Type", "application/json");
      response.end(
        JSON.stringify({
          object: "chat.completion",
          model,
          choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
          usage: { prompt_tokens: 30, completion_tokens: 12, total_tokens: 42 },
        }),
      );
    });
  }

  static async start(): Promise<GatedServer> {
    const server = new GatedServer();
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async #permit(): Promise<void> {
    if (this.#permits > 0) this.#permits -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Answers one call. */
  answer(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#permits += 1;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const FIRST = "Which letters arrived in March?";
const SECOND = "Which of them is about wheat?";
const OTHER = "Write a headline for it.";
const REPLIES: Record<string, string> = {
  [FIRST]: "Three letters: from Odessa, from Lyon, and one without a sender.",
  [SECOND]: "The one from Odessa: the harvest was late, and the price rose.",
  [OTHER]: "Wheat rises after a late harvest",
};

/** The program: a conversation of two turns, then a call of its own, each when it gets a line. */
const PROGRAM = `
import { createInterface } from "node:readline";
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const said = [];
const call = async (messages) => {
  await lines.next();
  const response = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ model: "archivist", messages }),
  });
  return (await response.json()).choices[0].message;
};
for (const content of ${JSON.stringify([FIRST, SECOND])}) {
  said.push({ role: "user", content });
  said.push(await call(said));
}
await call([{ role: "user", content: ${JSON.stringify(OTHER)} }]);
process.exit(0);
`;

function record(server: GatedServer): ChildProcess {
  const { PATH, TZ } = process.env;
  const plait = join(dirname(BINARY), "plait");
  const program = [process.execPath, "--input-type=module", "-e", PROGRAM];
  const args = ["--home", HOME, "record", "--name", "Newsroom", "--upstream", `openai=${server.baseUrl}`, "--"];
  return spawn(plait, [...args, ...program], { env: { PATH, TZ, HOME }, stdio: ["pipe", "ignore", "ignore"] });
}

const status = (page: Page) => page.getByTestId("run-status");

async function takePictures(page: Page, name: string): Promise<void> {
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
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 800 });
}

test("a program is watched while it is recorded, and ends as the same run", async ({ page, host }) => {
  const server = await GatedServer.start();
  await page.goto("/");
  await page.getByRole("button", { name: "Runs", exact: true }).click();
  await expect(page.locator("[data-testid^=run-row-]")).toHaveCount(0);

  const recorder = record(server);
  const callAgain = () => recorder.stdin?.write("\n");
  callAgain();
  const ended = once(recorder, "exit");
  try {
    // It appears without anything being asked for, as one that is at work.
    const row = page.locator("[data-testid^=run-row-]");
    await expect(row).toHaveCount(1);
    await expect(row).toContainText("Newsroom");
    await expect(row).toContainText("recorded program");
    await expect(row).toHaveAttribute("data-status", "running");
    const run = ((await row.getAttribute("data-testid")) ?? "").slice("run-row-".length);
    await row.getByRole("button").first().click();
    await expect(status(page)).toHaveAttribute("data-status", "running");
    await expect(status(page)).toHaveText("Recording");

    // Nothing is offered that a program that Plait did not start cannot do.
    await expect(page.getByTestId("stop-button")).toBeDisabled();
    await row.hover();
    await expect(page.getByTestId(`run-draft-${run}`)).toBeVisible();
    await expect(page.getByTestId(`run-cancel-${run}`)).toHaveCount(0);
    await expect(page.getByTestId(`run-delete-${run}`)).toHaveCount(0);

    // The first reply comes in. So far, it is one question: the draft asks nobody.
    const asks = page.locator(".card[data-type=userInput]");
    server.answer();
    const conversation = page.getByTestId("messages");
    await page.getByTestId("dock-tab-conversation").click();
    await expect(conversation).toContainText("from Odessa, from Lyon");
    await expect(asks).toHaveCount(0);
    await takePictures(page, "recorded-live/first-reply");

    // A further message shows that it is a conversation: the draft is another one, and the run is shown anew.
    callAgain();
    await expect(asks).toHaveCount(1);
    await expect(conversation).toContainText(SECOND);
    server.answer();
    await expect(conversation).toContainText("the harvest was late, and the price rose");
    await takePictures(page, "recorded-live/redrafted");
    expect(await findViolations(page)).toEqual([]);

    // Its end is that of the same run. The host of this test has the data directory for itself, so it makes the run of the log.
    callAgain();
    server.answer();
    expect(await ended).toEqual([0, null]);
    await expect(status(page)).toHaveAttribute("data-status", "finished");
    await expect(row).toHaveCount(1);
    await expect(page.getByTestId(`run-row-${run}`)).toHaveAttribute("data-status", "finished");
    await expect(page.locator("[data-shown]").first()).toBeVisible();
    // What an earlier draft said is not there any more.
    await expect(conversation.getByText("ended without an answer")).toHaveCount(1);
    await takePictures(page, "recorded-live/ended");
    const { entries } = await host.call("runs.show", { run });
    expect(entries.filter(({ type }) => type === "model.replied")).toHaveLength(3);
    await row.hover();
    await expect(page.getByTestId(`run-delete-${run}`)).toBeVisible();
  } finally {
    recorder.kill("SIGKILL");
    server.close();
  }
});

test("a recording whose recorder is killed stays as it was, and is resumed by nobody", async ({ page, host }) => {
  const server = await GatedServer.start();
  await page.goto("/");
  await page.getByRole("button", { name: "Runs", exact: true }).click();
  const recorder = record(server);
  const ended = once(recorder, "exit");
  try {
    server.answer();
    recorder.stdin?.write("\n\n");
    await expect.poll(() => server.calls).toBe(2);
    const row = page.locator("[data-testid^=run-row-]");
    await row.getByRole("button").first().click();
    await expect(status(page)).toHaveText("Recording");
    recorder.kill("SIGKILL");
    await ended;
    await expect(row).toHaveAttribute("data-status", "interrupted");
    const run = ((await row.getAttribute("data-testid")) ?? "").slice("run-row-".length);
    await expect(status(page)).toHaveText("Recording interrupted");
    await page.getByTestId("dock-tab-conversation").click();
    const conversation = page.getByTestId("messages");
    await expect(conversation).toContainText("The recording ended before the reply");
    await expect(conversation).not.toContainText("Thinking…");
    await takePictures(page, "recorded-live/interrupted");
    await row.hover();
    await expect(page.getByTestId(`run-resume-${run}`)).toHaveCount(0);
    await expect(page.getByTestId(`run-draft-${run}`)).toBeVisible();
    await expect(page.getByTestId(`run-delete-${run}`)).toBeVisible();
    await expect(host.call("run.resume", { run })).rejects.toThrow("whose recorder has ended before it");
  } finally {
    recorder.kill("SIGKILL");
    server.close();
  }
});
