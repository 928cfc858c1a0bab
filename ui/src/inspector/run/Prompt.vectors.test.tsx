import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { act, cleanup, screen, within } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Entry, LensCall, RunId, ShowPrompts } from "@/bindings";
import { neverAnswers } from "@/ipc/test-host";
import { showRun } from "@/run/live/test-run";
import { formatCount } from "@/run/values/format";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { answerLens } from "./lens-answers";
import { Prompt } from "./Prompt";
import { TEXTS } from "./texts";

/** The terminal, search and curl are tested on the same vectors, which Rust writes. */
const FOLDER = join(import.meta.dirname, "../../../../tests/fixtures/prompts");

type PromptVector = { run: { journals: Entry[][] }; calls: Record<RunId, LensCall[]> };

afterEach(cleanup);

const files = readdirSync(FOLDER).filter((file) => file.endsWith(".json"));

it("are the prompts of five runs", () => {
  expect(files.sort()).toEqual(["images.json", "loop.json", "memory.json", "sub-flow.json", "tools.json"]);
});

it.each(files)("draws the shares and messages of %s as the lens says them", async (file) => {
  const vector: PromptVector = JSON.parse(readFileSync(join(FOLDER, file), "utf8"));
  for (const journal of vector.run.journals) {
    const [started] = journal;
    if (started?.type !== "run.started") throw new Error("A journal begins with its run.");
    const calls = vector.calls[started.run] ?? [];
    expect(calls.length).toBeGreaterThan(0);
    for (const call of calls) await expectDrawn(call, calls, journal);
  }
});

async function expectDrawn(call: LensCall, calls: readonly LensCall[], journal: readonly Entry[]): Promise<void> {
  const asked: ShowPrompts[] = [];
  const workspace = createTestWorkspace({
    call: (async (name: string, args: ShowPrompts) => {
      if (name !== "lens.show") return neverAnswers();
      asked.push(args);
      return answerLens(calls, args);
    }) as never,
  });
  showRun(workspace.activeRun, journal);
  workspace.epochChoice.chooseCall(call.node, call.epoch, call.call);
  renderInWorkspace(<Prompt nodeId={call.node} />, { workspace });
  await act(async () => undefined);
  expect(asked.map(({ node, epoch, call: index }) => ({ node, epoch, call: index }))).toEqual([
    { node: call.node, epoch: call.epoch, call: call.call },
  ]);
  const lens = within(screen.getByTestId("prompt-lens"));
  const numbers = [...screen.getByTestId("prompt-lens").querySelectorAll("dd")].map((one) => one.textContent);
  expect(numbers).toEqual(call.shares.map(({ tokens }) => formatCount(tokens)));
  expect(lens.getByText(TEXTS.usedOf(formatCount(call.tokens), formatCount(call.window)))).toBeDefined();
  const shown = within(lens.getByRole("list", { name: TEXTS.messagesSent })).getAllByRole("article");
  const texts = call.messages.flatMap(({ text, blocks }) => blocks?.map((block) => block.text) ?? [text]);
  expect(shown.length).toBe(texts.length);
  for (const [index, text] of texts.entries()) expect(shown[index]?.textContent).toContain(text);
  cleanup();
}
