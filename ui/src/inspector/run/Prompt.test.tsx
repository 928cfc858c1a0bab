import { act, cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Entry } from "@/bindings";
import { showRun } from "@/run/live/test-run";
import * as lens from "@/run/prompt-parts";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { Prompt } from "./Prompt";

let workspace: Workspace;

beforeEach(() => {
  workspace = createTestWorkspace();
});
afterEach(cleanup);

const HERE = { node: "chat", epoch: [] };
const PARTS = [{ kind: "message", role: "user", text: "Where is it?", tokens: 3 }];
const PROMPT = { provider: "p", model: "m", tokens: 3, window: 100, reserve: 10, toolTokens: 0 };

it("shows the reasoning of a reply", () => {
  showRun(workspace.activeRun, [
    { type: "prompt.rendered", ...HERE, step: 0, prompt: { ...PROMPT, parts: [] } },
    { type: "model.replied", ...HERE, step: 0, reply: { text: "Yes.", reasoning: "It must be so." } },
  ]);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  expect(screen.getByText("It must be so.")).toBeDefined();
});

it("builds a prompt once, not on each later event", async () => {
  const session = showRun(workspace.activeRun, [
    { type: "prompt.rendered", ...HERE, step: 0, prompt: { ...PROMPT, parts: PARTS } },
  ]);
  const made = vi.spyOn(lens, "linesOf");
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  expect(screen.getByText("Where is it?")).toBeDefined();
  for (let seq = 1; seq < 4; seq++) {
    await act(async () => {
      const changed = session.fold.apply([{ seq, at: 0, type: "node.ready", node: `n${seq}`, epoch: [] } as Entry]);
      session.log.append(changed.entries);
      workspace.activeRun.publish(session, changed);
      await new Promise((resolve) => setTimeout(resolve, 80));
    });
  }
  expect(made).toHaveBeenCalledTimes(1);
});

const BLOCKS = [
  {
    kind: "block",
    block: "retrieval",
    text: "[1] handbook: travel.md",
    tokens: 9,
    origins: ["knowledge:handbook"],
    sources: [{ from: "passage", base: "handbook", source: "travel.md", offset: 0, length: 9, line: 3, score: 0.5 }],
  },
  {
    kind: "block",
    block: "memory",
    text: "Ada: Hello.",
    tokens: 7,
    sources: [{ from: "summary" }, { from: "turn", label: "Ada" }],
    cut: { cap: 10, tokens: 21, leftOut: [{ from: "turn", label: "Bob" }] },
  },
  { kind: "block", block: "partner", text: "What now?", tokens: 6, sources: [{ from: "turn", node: "ask" }] },
];

it("shows the blocks of a message with tokens, origin and what a cap left out", () => {
  showRun(workspace.activeRun, [
    { type: "prompt.rendered", ...HERE, step: 0, prompt: { ...PROMPT, tokens: 22, parts: BLOCKS } },
  ]);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  expect(screen.getByTestId("prompt-block-retrieval").textContent).toContain("handbook: travel.md, line 3");
  const memory = screen.getByTestId("prompt-block-memory");
  expect(memory.textContent).toContain("From summary · Ada");
  expect(memory.textContent).toContain("Cut at 10 tokens: 21 left out. Bob");
  expect(screen.getByTestId("prompt-block-partner").textContent).toContain("What now?");
  expect(screen.getByTitle("Memory: 7")).toBeDefined();
  expect(screen.getByTitle("Question: 6")).toBeDefined();
});

it("shows the node's own call first, not the summary of the memory", () => {
  const summary = { ...PROMPT, purpose: "memorySummary", parts: [{ ...PARTS[0], text: "Turns:" }] };
  showRun(workspace.activeRun, [
    { type: "prompt.rendered", ...HERE, step: 0, prompt: { ...PROMPT, parts: PARTS } },
    { type: "model.replied", ...HERE, step: 0, reply: { text: "Here." } },
    { type: "prompt.rendered", ...HERE, step: 1, prompt: summary },
  ]);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  expect(screen.getByText("Where is it?")).toBeDefined();
  expect(screen.getByText("Call 2 of 2 · memory summary")).toBeDefined();
});

it("leads from the message to the outputs that it is made of", () => {
  const show = vi.spyOn(workspace.canvas, "reveal");
  const source = { node: "brief", port: "text", epoch: [] };
  showRun(workspace.activeRun, [
    {
      type: "node.ready",
      ...HERE,
      inputs: { topic: [source], context: [{ node: "start", port: "context", epoch: [] }] },
    },
    { type: "prompt.rendered", ...HERE, step: 0, prompt: { ...PROMPT, parts: PARTS, messageInputs: ["topic"] } },
  ]);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  const links = within(screen.getByRole("group", { name: "Message from" })).getAllByRole("button");
  expect(links.map((link) => link.textContent)).toEqual(["brief · text"]);
  fireEvent.click(links[0] as HTMLElement);
  expect(show).toHaveBeenCalledWith({ node: "brief" });
});
