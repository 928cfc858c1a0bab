import { act, cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Entry } from "@/bindings";
import { showRun } from "@/run/live/test-run";
import * as lens from "@/run/prompt/prompt-parts";
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

it("says why a model stopped, and that a reply is truncated", () => {
  showRun(workspace.activeRun, [
    { type: "prompt.rendered", ...HERE, step: 0, prompt: { ...PROMPT, parts: [] } },
    { type: "model.replied", ...HERE, step: 0, reply: { text: "The dose is 5", stopReason: "maxTokens" } },
  ]);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  expect(screen.getByText(/token limit/)).toBeDefined();
  expect(screen.getByTestId("truncated")).toBeDefined();
});

it("says that the prompt before it was refused", () => {
  const refused = { counted: 90, tokens: 130, limit: 100, message: "Too long." };
  showRun(workspace.activeRun, [
    { type: "prompt.rendered", ...HERE, step: 0, prompt: { ...PROMPT, parts: [], refused } },
    { type: "model.replied", ...HERE, step: 0, reply: { text: "Yes.", stopReason: "end" } },
  ]);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  expect(screen.getByTestId("prompt-refused").textContent).toContain("130 tokens of 100");
  expect(screen.queryByTestId("truncated")).toBe(null);
});

it("says how a schema was sent unless it is enforced", () => {
  const sent = (schemaForm: string) => ({ ...PROMPT, parts: [], settings: { responseSchema: {}, schemaForm } });
  showRun(workspace.activeRun, [{ type: "prompt.rendered", ...HERE, step: 0, prompt: sent("tool") }]);
  const { unmount } = renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  expect(screen.getByTestId("schema-form").textContent).toBe("Reply schema: sent as the arguments of a tool");
  unmount();
  showRun(workspace.activeRun, [{ type: "prompt.rendered", ...HERE, step: 0, prompt: sent("enforced") }]);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  expect(screen.queryByTestId("schema-form")).toBe(null);
});

it("says which parameters were not sent because the model refuses them", () => {
  const prompt = { ...PROMPT, parts: [], settings: { refusedParameters: ["temperature", "top_p"] } };
  showRun(workspace.activeRun, [{ type: "prompt.rendered", ...HERE, step: 0, prompt }]);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  expect(screen.getByTestId("refused-parameters").textContent).toBe(
    "Not sent: temperature, top_p, which the model refuses",
  );
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
  expect(screen.getByTitle("Partner: 6")).toBeDefined();
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

const SYSTEM = { kind: "message", role: "system", text: "Be brief.", tokens: 3 };

function twoCalls(first: object[], second: object[]) {
  showRun(workspace.activeRun, [
    { type: "prompt.rendered", ...HERE, epoch: [0], step: 0, prompt: { ...PROMPT, parts: first } },
    { type: "model.replied", ...HERE, epoch: [0], step: 0, reply: { text: "Here." } },
    { type: "prompt.rendered", ...HERE, epoch: [1], step: 0, prompt: { ...PROMPT, parts: second } },
  ]);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
}

it("shows what differs from the previous call of the node", () => {
  const changed = { ...SYSTEM, text: "Be very brief.", tokens: 4 };
  twoCalls([SYSTEM, ...PARTS], [changed, { ...PARTS[0], text: "And now?", tokens: 5 }]);
  fireEvent.click(screen.getByRole("switch", { name: "Compare with the previous call" }));
  expect(screen.getByTestId("prompt-diff").textContent).toBe("2 messages changed · +6 −3 tokens");
  const system = screen.getByRole("article", { name: "system message" });
  expect(system.querySelector("ins")?.textContent).toBe("very ");
  expect(within(screen.getByRole("article", { name: "user message" })).getByText("New")).toBeDefined();
});

it("says that there is no call before the first one", () => {
  showRun(workspace.activeRun, [{ type: "prompt.rendered", ...HERE, step: 0, prompt: { ...PROMPT, parts: PARTS } }]);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  fireEvent.click(screen.getByRole("switch", { name: "Compare with the previous call" }));
  expect(screen.getByTestId("prompt-diff").textContent).toBe("This is the node’s first call.");
});

it("folds one message or all of them", () => {
  const long = `Where is it? ${"Line\n".repeat(3)}`;
  showRun(workspace.activeRun, [
    { type: "prompt.rendered", ...HERE, step: 0, prompt: { ...PROMPT, parts: [SYSTEM, { ...PARTS[0], text: long }] } },
  ]);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  fireEvent.click(screen.getByRole("button", { name: "Collapse user message" }));
  expect(screen.getByRole("button", { name: "Expand user message" }).getAttribute("aria-expanded")).toBe("false");
  expect(screen.getByRole("button", { name: "Collapse system message" })).toBeDefined();
  fireEvent.click(screen.getByRole("button", { name: "Collapse all" }));
  expect(screen.getByRole("button", { name: "Expand system message" })).toBeDefined();
  fireEvent.click(screen.getByRole("button", { name: "Expand all" }));
  expect(screen.getByRole("button", { name: "Collapse user message" })).toBeDefined();
});

it("shows why a reply was rejected", () => {
  const step = { kind: "step", step: 0, count: 2, tokens: 9, rejection: "That is not a number." };
  showRun(workspace.activeRun, [
    { type: "prompt.rendered", ...HERE, step: 0, prompt: { ...PROMPT, parts: PARTS } },
    { type: "model.replied", ...HERE, step: 0, reply: { text: "Four" } },
    { type: "prompt.rendered", ...HERE, step: 1, prompt: { ...PROMPT, parts: [...PARTS, step] } },
  ]);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  expect(screen.getByText("That is not a number.")).toBeDefined();
});

it("marks a prompt that has turns of a loop's conversation", () => {
  const turns = { kind: "turns", node: "talk", epoch: [], first: 0, count: 3, tokens: 12 };
  const current = [{ role: "assistant", text: "I looked it up.", node: "helper" }];
  const conversation = { node: "talk", epoch: [], strategy: "truncate_turns", sent: 3, tokens: 12 };
  const parts = [{ ...turns, current }, ...PARTS];
  showRun(workspace.activeRun, [
    { type: "prompt.rendered", ...HERE, step: 0, prompt: { ...PROMPT, tokens: 15, parts, conversation } },
  ]);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  expect(screen.getByTestId("conversation-injected").textContent).toBe("Conversation injected");
  expect(screen.getByText("I looked it up.")).toBeDefined();
  expect(screen.getByText("2 messages, 12 tokens (content not available)")).toBeDefined();
  expect(screen.getByTitle("History: 12")).toBeDefined();
});

it("shows the turns of a loop's conversation, and which were left out and why", () => {
  const turn = (id: string, role: string) => {
    const author = { node: role === "user" ? "ask" : "guide", epoch: [0] };
    return { id, role, content: `Turn ${id}.`, author, tokens: 4 };
  };
  const left = [{ reason: "maxTurns", first: 0, count: 1 }];
  const conversation = { node: "talk", epoch: [], strategy: "truncate_turns", sent: 2, tokens: 8, leftOut: left };
  const parts = [{ kind: "turns", node: "talk", epoch: [], first: 1, count: 2, tokens: 8 }, ...PARTS];
  const turns = [turn("a", "user"), turn("b", "assistant"), turn("c", "user")];
  showRun(workspace.activeRun, [
    { type: "history.appended", node: "talk", epoch: [], turns },
    { type: "prompt.rendered", ...HERE, step: 0, prompt: { ...PROMPT, tokens: 15, parts, conversation } },
  ]);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  const shown = screen.getByRole("list", { name: "Messages sent" });
  const items = within(shown).getAllByRole("listitem");
  expect(items[0]?.textContent).toBe("1 turn left out: more than the loop’s max_turns");
  expect(items[1]?.textContent).toContain("Turn b.");
  expect(items[1]?.textContent).toContain("assistant");
  expect(items[2]?.textContent).toContain("Turn c.");
  expect(within(shown).queryByText("Turn a.")).toBeNull();
});

it("shows the files of a loop's turns, and names those that the model can't take", () => {
  const file = (name: string, mediaType: string) => ({ type: "attachment", hash: name, mediaType, name, bytes: 68 });
  const content = [
    { type: "text", text: "Look." },
    file("photo.png", "image/png"),
    file("report.pdf", "application/pdf"),
  ];
  const turns = [{ id: "a", role: "user", content, author: { node: "ask", epoch: [0] }, tokens: 4 }];
  const part = { kind: "turns", node: "talk", epoch: [], first: 0, count: 1, tokens: 4 };
  const parts = [{ ...part, namedMediaTypes: ["application/pdf"] }, ...PARTS];
  showRun(workspace.activeRun, [
    { type: "history.appended", node: "talk", epoch: [], turns },
    { type: "prompt.rendered", ...HERE, step: 0, prompt: { ...PROMPT, parts } },
  ]);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  const [first] = within(screen.getByRole("list", { name: "Messages sent" })).getAllByRole("listitem");
  expect(first?.textContent).toContain("[PDF: report.pdf, 68 bytes]");
  expect(first?.textContent).toContain("photo.png");
  expect(first?.textContent).not.toContain("[image:");
});

it("copies the request that the host builds, as curl", async () => {
  const call = vi.fn(async () => ({ curl: "curl 'https://x'", exact: true }));
  workspace = createTestWorkspace({ call: call as never });
  const written = vi.fn(async (_: string) => undefined);
  vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText: written } });
  showRun(workspace.activeRun, [{ type: "prompt.rendered", ...HERE, step: 0, prompt: { ...PROMPT, parts: PARTS } }]);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  fireEvent.click(screen.getByRole("button", { name: "Copy as curl" }));
  await vi.waitFor(() => expect(written).toHaveBeenCalledWith("curl 'https://x'"));
  expect(call).toHaveBeenCalledWith("lens.request", { run: "run", node: "chat", epoch: [], call: 0 });
  vi.unstubAllGlobals();
});

it("leads from a match of the search to its call", async () => {
  const hit = {
    run: "run",
    node: "chat",
    epoch: [],
    call: 0,
    message: 0,
    role: "user",
    before: "Where ",
    found: "is",
    after: " it?",
  };
  workspace = createTestWorkspace({ call: (async () => [hit]) as never });
  const show = vi.spyOn(workspace.canvas, "reveal");
  showRun(workspace.activeRun, [
    { type: "prompt.rendered", ...HERE, step: 0, prompt: { ...PROMPT, parts: PARTS } },
    { type: "model.replied", ...HERE, step: 0, reply: { text: "Here." } },
    { type: "prompt.rendered", ...HERE, step: 1, prompt: { ...PROMPT, parts: [{ ...PARTS[0], text: "Second" }] } },
  ]);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  expect(screen.getByText("Second")).toBeDefined();
  fireEvent.change(screen.getByTestId("prompt-search"), { target: { value: "is" } });
  const match = await screen.findByRole("button", { name: /call 1 · user/ });
  fireEvent.click(match);
  await vi.waitFor(() => expect(show).toHaveBeenCalledWith({ node: "chat" }));
  expect(screen.queryByText("Second")).toBeNull();
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
