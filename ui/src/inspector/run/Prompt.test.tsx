import { act, cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Entry, LensCall, SentMessage } from "@/bindings";
import type { RunSession } from "@/run/live/session";
import { showRun } from "@/run/live/test-run";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { answerLens, lensCall } from "./lens-answers";
import { Prompt } from "./Prompt";

let workspace: Workspace;
/** What the lens of the host says of the run. */
let lens: LensCall[];
/** What the host answers to other commands. */
let answer: (name: string) => unknown;
const call = vi.fn(async (name: string, args: unknown) =>
  name === "lens.show" ? answerLens(lens, args) : answer(name),
);

beforeEach(() => {
  lens = [lensCall({})];
  answer = () => undefined;
  call.mockClear();
  workspace = createTestWorkspace({ call: call as never });
});
afterEach(cleanup);

const HERE = { node: "chat", epoch: [] };
const PROMPT = { provider: "p", model: "m", tokens: 3, window: 100, reserve: 10, toolTokens: 0, parts: [] };
const SYSTEM: SentMessage = { part: "system", role: "system", text: "Be brief.", tokens: 3 };
const QUESTION: SentMessage = { part: "question", role: "user", text: "Where is it?", tokens: 3 };

/** The prompt tab of a run that has come to these events, once the host has answered. */
async function draw(events: readonly object[]): Promise<RunSession> {
  const session = showRun(workspace.activeRun, events);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  await act(async () => undefined);
  return session;
}

const rendered = (prompt: object = {}, more: object = {}) => ({
  type: "prompt.rendered",
  ...HERE,
  step: 0,
  prompt: { ...PROMPT, ...prompt },
  ...more,
});
const replied = (reply: object, more: object = {}) => ({ type: "model.replied", ...HERE, step: 0, reply, ...more });

it("shows the reasoning of a reply", async () => {
  await draw([rendered(), replied({ text: "Yes.", reasoning: "It must be so." })]);
  expect(screen.getByText("It must be so.")).toBeDefined();
});

it("says why a model stopped, and that a reply is truncated", async () => {
  await draw([rendered(), replied({ text: "The dose is 5", stopReason: "maxTokens" })]);
  expect(screen.getByText(/token limit/)).toBeDefined();
  expect(screen.getByTestId("truncated")).toBeDefined();
});

it("says that the prompt before it was refused", async () => {
  const refused = { counted: 90, tokens: 130, limit: 100, message: "Too long." };
  await draw([rendered({ refused }), replied({ text: "Yes.", stopReason: "end" })]);
  expect(screen.getByTestId("prompt-refused").textContent).toContain("130 tokens of 100");
  expect(screen.queryByTestId("truncated")).toBe(null);
});

it("says how a schema was sent unless it is enforced", async () => {
  const sent = (schemaForm: string) => rendered({ settings: { responseSchema: {}, schemaForm } });
  await draw([sent("tool")]);
  expect(screen.getByTestId("schema-form").textContent).toBe("Reply schema: sent as the arguments of a tool");
  cleanup();
  await draw([sent("enforced")]);
  expect(screen.queryByTestId("schema-form")).toBe(null);
});

it("says which parameters were not sent because the model refuses them", async () => {
  await draw([rendered({ settings: { refusedParameters: ["temperature", "top_p"] } })]);
  expect(screen.getByTestId("refused-parameters").textContent).toBe(
    "Not sent: temperature, top_p, which the model refuses",
  );
});

it("asks for a prompt once, not on each later event", async () => {
  lens = [lensCall({ messages: [QUESTION] })];
  const session = await draw([rendered()]);
  expect(screen.getByText("Where is it?")).toBeDefined();
  for (let seq = 1; seq < 4; seq++) {
    await act(async () => {
      const changed = session.fold.apply([{ seq, at: 0, type: "node.ready", node: `n${seq}`, epoch: [] } as Entry]);
      session.log.append(changed.entries);
      workspace.activeRun.publish(session, changed);
      await new Promise((resolve) => setTimeout(resolve, 80));
    });
  }
  expect(call.mock.calls).toEqual([["lens.show", { run: "run", ...HERE, call: 0 }]]);
});

it("shows each prompt of a run that goes on as its record comes", async () => {
  lens = [lensCall({ messages: [QUESTION] }), lensCall({ call: 1, messages: [{ ...QUESTION, text: "And now?" }] })];
  const session = await draw([rendered(), replied({ text: "Here." })]);
  await act(async () => {
    const changed = session.fold.apply([{ seq: 2, at: 0, ...rendered({}, { step: 1 }) } as never]);
    session.log.append(changed.entries);
    workspace.activeRun.publish(session, changed);
    await new Promise((resolve) => setTimeout(resolve, 80));
  });
  expect(screen.getByText("And now?")).toBeDefined();
  expect(screen.queryByText("Where is it?")).toBeNull();
});

it("says why the host has no prompt to show", async () => {
  lens = [];
  await draw([rendered()]);
  expect(screen.getByRole("alert").textContent).toBe("The prompt was not found in the run’s journal.");
});

it("shows the blocks of a message with tokens, origin and what a cap left out", async () => {
  const passage = { from: "passage", base: "handbook", source: "travel.md", offset: 0, length: 9, line: 3, score: 0.5 };
  const blocks = [
    {
      block: "retrieval",
      text: "[1] handbook: travel.md",
      tokens: 9,
      origins: ["knowledge:handbook"],
      sources: [passage],
    },
    {
      block: "memory",
      text: "Ada: Hello.",
      tokens: 7,
      sources: [{ from: "summary" }, { from: "turn", label: "Ada" }],
      cut: { cap: 10, tokens: 21, leftOut: [{ from: "turn", label: "Bob" }] },
    },
    { block: "partner", text: "What now?", tokens: 6, sources: [{ from: "turn", node: "ask" }] },
  ] as SentMessage["blocks"];
  const shares = [
    { kind: "memory", tokens: 7 },
    { kind: "partner", tokens: 6 },
  ] as LensCall["shares"];
  lens = [lensCall({ messages: [{ ...QUESTION, blocks }], shares })];
  await draw([rendered()]);
  expect(screen.getByTestId("prompt-block-retrieval").textContent).toContain("handbook: travel.md, line 3");
  const memory = screen.getByTestId("prompt-block-memory");
  expect(memory.textContent).toContain("From summary · Ada");
  expect(memory.textContent).toContain("Cut at 10 tokens: 21 left out. Bob");
  expect(screen.getByTestId("prompt-block-partner").textContent).toContain("What now?");
  expect(screen.getByTitle("Memory: 7")).toBeDefined();
  expect(screen.getByTitle("Partner: 6")).toBeDefined();
});

it("shows the node's own call first, not the summary of the memory", async () => {
  lens = [lensCall({ messages: [QUESTION] })];
  await draw([rendered(), replied({ text: "Here." }), rendered({ purpose: "memorySummary" }, { step: 1 })]);
  expect(screen.getByText("Where is it?")).toBeDefined();
  expect(screen.getByText("Call 2 of 2 · memory summary")).toBeDefined();
});

it("shows what differs from the previous call of the node", async () => {
  const changed = { ...SYSTEM, text: "Be very brief.", tokens: 4 };
  const question = { ...QUESTION, text: "And now?", tokens: 5 };
  lens = [
    lensCall({ epoch: [0], messages: [SYSTEM, QUESTION] }),
    lensCall({ epoch: [1], messages: [changed, question] }),
  ];
  await draw([rendered({}, { epoch: [0] }), replied({ text: "Here." }, { epoch: [0] }), rendered({}, { epoch: [1] })]);
  fireEvent.click(screen.getByRole("switch", { name: "Compare with the previous call" }));
  await act(async () => undefined);
  expect(screen.getByTestId("prompt-diff").textContent).toBe("2 messages changed · +6 −3 tokens");
  const system = screen.getByRole("article", { name: "system message" });
  expect(system.querySelector("ins")?.textContent).toBe("very ");
  expect(within(screen.getByRole("article", { name: "user message" })).getByText("New")).toBeDefined();
});

it("says that there is no call before the first one", async () => {
  await draw([rendered()]);
  fireEvent.click(screen.getByRole("switch", { name: "Compare with the previous call" }));
  expect(screen.getByTestId("prompt-diff").textContent).toBe("This is the node’s first call.");
});

it("folds one message or all of them", async () => {
  lens = [lensCall({ messages: [SYSTEM, { ...QUESTION, text: `Where is it? ${"Line\n".repeat(3)}` }] })];
  await draw([rendered()]);
  fireEvent.click(screen.getByRole("button", { name: "Collapse user message" }));
  expect(screen.getByRole("button", { name: "Expand user message" }).getAttribute("aria-expanded")).toBe("false");
  expect(screen.getByRole("button", { name: "Collapse system message" })).toBeDefined();
  fireEvent.click(screen.getByRole("button", { name: "Collapse all" }));
  expect(screen.getByRole("button", { name: "Expand system message" })).toBeDefined();
  fireEvent.click(screen.getByRole("button", { name: "Expand all" }));
  expect(screen.getByRole("button", { name: "Collapse user message" })).toBeDefined();
});

it("marks a prompt that has turns of a loop's conversation, and says how many are missing", async () => {
  const missing: SentMessage = { part: "missing", role: "user", text: "", tokens: 12, missing: 2 };
  lens = [lensCall({ badges: ["conversationInjected"], messages: [missing, QUESTION] })];
  await draw([rendered()]);
  expect(screen.getByTestId("conversation-injected").textContent).toBe("Conversation injected");
  expect(screen.getByText("2 messages, 12 tokens (content not available)")).toBeDefined();
});

it("shows what was left out and why before the messages, behind the instructions", async () => {
  const leftOut = [
    { kind: "history", count: 2, tokens: 8, messages: [{ ...QUESTION, id: "a" }] },
    { kind: "turns", reason: "maxTurns", count: 1 },
  ] as LensCall["leftOut"];
  lens = [lensCall({ messages: [SYSTEM, { ...QUESTION, text: "And now?" }], leftOut })];
  await draw([rendered()]);
  const items = within(screen.getByRole("list", { name: "Messages sent" })).getAllByRole("listitem");
  expect(items[0]?.textContent).toContain("Be brief.");
  expect(items[1]?.textContent).toContain("2 older messages left out, 8 tokens");
  expect(items[2]?.textContent).toBe("1 turn left out: more than the loop’s max_turns");
  expect(items[3]?.textContent).toContain("And now?");
  expect(screen.queryByText("Where is it?")).toBeNull();
  fireEvent.click(within(items[1] as HTMLElement).getByRole("button"));
  expect(screen.getByText("Where is it?")).toBeDefined();
});

it("shows the tools that a message calls", async () => {
  const toolCalls = [{ id: "1", name: "calculator", arguments: { expression: "2 + 2" } }];
  lens = [lensCall({ messages: [{ part: "step", role: "assistant", text: "", toolCalls }] })];
  await draw([rendered()]);
  expect(screen.getByText(/→ calculator/).textContent).toContain("2 + 2");
});

it("copies the request that the host builds, as curl", async () => {
  answer = () => ({ curl: "curl 'https://x'", exact: true });
  const written = vi.fn(async (_: string) => undefined);
  vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText: written } });
  await draw([rendered()]);
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
  answer = () => [hit];
  lens = [lensCall({ messages: [QUESTION] }), lensCall({ call: 1, messages: [{ ...QUESTION, text: "Second" }] })];
  const show = vi.spyOn(workspace.canvas, "reveal");
  await draw([rendered(), replied({ text: "Here." }), rendered({}, { step: 1 })]);
  expect(screen.getByText("Second")).toBeDefined();
  fireEvent.change(screen.getByTestId("prompt-search"), { target: { value: "is" } });
  const match = await screen.findByRole("button", { name: /call 1 · user/ });
  fireEvent.click(match);
  await vi.waitFor(() => expect(show).toHaveBeenCalledWith({ node: "chat" }));
  expect(screen.queryByText("Second")).toBeNull();
});

it("leads from the message to the outputs that it is made of", async () => {
  const show = vi.spyOn(workspace.canvas, "reveal");
  const source = { node: "brief", port: "text", epoch: [] };
  await draw([
    {
      type: "node.ready",
      ...HERE,
      inputs: { topic: [source], context: [{ node: "start", port: "context", epoch: [] }] },
    },
    rendered({ messageInputs: ["topic"] }),
  ]);
  const links = within(screen.getByRole("group", { name: "Message from" })).getAllByRole("button");
  expect(links.map((link) => link.textContent)).toEqual(["brief · text"]);
  fireEvent.click(links[0] as HTMLElement);
  expect(show).toHaveBeenCalledWith({ node: "brief" });
});
