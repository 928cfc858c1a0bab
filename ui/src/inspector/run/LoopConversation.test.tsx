import { cleanup, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { showRun } from "@/run/live/test-run";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { Context } from "./Context";

afterEach(cleanup);

const LOOP = { node: "talk", epoch: [] };
const NODES = {
  talk: { type: "loop", config: { conversation: true } },
  inner: { type: "loop", parent: "talk", config: {} },
  chat: { type: "chat", parent: "inner" },
  outside: { type: "chat" },
};

function turn(id: string, role: string) {
  return { id, role, content: `${id} said`, author: { node: "chat", epoch: [0, 0] }, tokens: 4 };
}

const SAID = [
  { type: "run.started", run: "run", flow: { name: "f", hash: "h" }, set: {} },
  { type: "node.started", ...LOOP, attempt: 1 },
  { type: "history.appended", ...LOOP, turns: [turn("ask", "user"), turn("reply", "assistant")], pinned: ["reply"] },
];
const WAITING = { type: "run.waiting", on: [] };

function draw(events: readonly object[], nodeId = "chat") {
  const calls: unknown[] = [];
  const workspace = createTestWorkspace({
    call: async (name, args) => {
      if (name === "run.pin") calls.push(args);
      return {} as never;
    },
  });
  workspace.editor.open(documentState({ ...EMPTY_FLOW, nodes: NODES }));
  showRun(workspace.activeRun, [...SAID, ...events]);
  renderInWorkspace(<Context nodeId={nodeId} />, { workspace });
  const turns = () => within(screen.getByRole("list", { name: "Turns" })).getAllByRole("listitem");
  return { calls, turns, user: userEvent.setup() };
}

it("shows the conversation of the innermost conversational loop, with its pins", () => {
  const { turns } = draw([WAITING, { type: "history.pinned", ...LOOP, turn: "ask", pinned: true }]);
  expect(screen.getByText("Conversation of talk")).toBeDefined();
  expect(turns().map((item) => item.textContent)).toEqual([
    expect.stringContaining("ask said"),
    expect.stringContaining("reply said"),
  ]);
  expect(screen.getAllByRole("button", { name: "Unpin turn" })).toHaveLength(2);
});

it("pins and unpins turns while the run waits", async () => {
  const { calls, turns, user } = draw([WAITING]);
  const [ask, reply] = turns() as [HTMLElement, HTMLElement];
  await user.click(within(ask).getByRole("button", { name: "Pin turn" }));
  await user.click(within(reply).getByRole("button", { name: "Unpin turn" }));
  expect(calls).toEqual([
    { run: "run", ...LOOP, turn: "ask", pinned: true },
    { run: "run", ...LOOP, turn: "reply", pinned: false },
  ]);
});

it("allows no pins while the run works or once the loop has ended", () => {
  const disabled = (name: string) => (screen.getByRole("button", { name }) as HTMLButtonElement).disabled;
  draw([]);
  expect([disabled("Pin turn"), disabled("Unpin turn")]).toEqual([true, true]);
  cleanup();
  draw([{ type: "node.finished", ...LOOP, outputs: {}, metadata: { durationMs: 1 } }, WAITING]);
  expect(screen.queryByRole("button", { name: "Pin turn" })).toBeNull();
  expect(disabled("Unpin turn")).toBe(true);
});

it("is not shown for nodes outside of the loop", () => {
  const { calls } = draw([WAITING], "outside");
  expect(screen.queryByText("Conversation of talk")).toBeNull();
  expect(calls).toEqual([]);
});
