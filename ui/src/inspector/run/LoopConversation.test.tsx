import { act, cleanup, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import type { Entry, LoopTurnsView } from "@/bindings";
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

function turn(id: string, role: "user" | "assistant", pinned: boolean) {
  return { id, role, node: "chat", epoch: [0, 0], text: `${id} said`, tokens: 4, pinned };
}

function conversation(more: Partial<LoopTurnsView> = {}): LoopTurnsView {
  return { ...LOOP, turns: [turn("ask", "user", false), turn("reply", "assistant", true)], isOpen: true, ...more };
}

const SAID = [
  { type: "run.started", run: "run", flow: { name: "f", hash: "h" }, set: {} },
  { type: "node.started", ...LOOP, attempt: 1 },
  { type: "history.appended", ...LOOP, turns: [] },
];
const WAITING = { type: "run.waiting", on: [] };

async function draw(events: readonly object[], said = conversation(), nodeId = "chat") {
  const calls: unknown[] = [];
  const workspace = createTestWorkspace({
    call: async (name, args) => {
      if (name === "run.pin") calls.push(args);
      return (name === "lens.turns" ? [said] : {}) as never;
    },
  });
  workspace.editor.open(documentState({ ...EMPTY_FLOW, nodes: NODES }));
  showRun(workspace.activeRun, [...SAID, ...events]);
  renderInWorkspace(<Context nodeId={nodeId} />, { workspace });
  await act(async () => undefined);
  const turns = () => within(screen.getByRole("list", { name: "Turns" })).getAllByRole("listitem");
  return { calls, turns, user: userEvent.setup() };
}

it("shows the conversation of the innermost conversational loop, with its pins", async () => {
  const turnsSaid = [turn("ask", "user", true), turn("reply", "assistant", true)];
  const { turns } = await draw([WAITING], conversation({ turns: turnsSaid }));
  expect(screen.getByText("Conversation of talk")).toBeDefined();
  expect(turns().map((item) => item.textContent)).toEqual([
    expect.stringContaining("ask said"),
    expect.stringContaining("reply said"),
  ]);
  expect(screen.getAllByRole("button", { name: "Unpin turn" })).toHaveLength(2);
});

it("pins and unpins turns while the run waits", async () => {
  const { calls, turns, user } = await draw([WAITING]);
  const [ask, reply] = turns() as [HTMLElement, HTMLElement];
  await user.click(within(ask).getByRole("button", { name: "Pin turn" }));
  await user.click(within(reply).getByRole("button", { name: "Unpin turn" }));
  expect(calls).toEqual([
    { run: "run", ...LOOP, turn: "ask", pinned: true },
    { run: "run", ...LOOP, turn: "reply", pinned: false },
  ]);
});

it("allows no pins while the run works or once the loop has ended", async () => {
  const disabled = (name: string) => (screen.getByRole("button", { name }) as HTMLButtonElement).disabled;
  await draw([]);
  expect([disabled("Pin turn"), disabled("Unpin turn")]).toEqual([true, true]);
  cleanup();
  await draw([WAITING], conversation({ isOpen: false }));
  expect(screen.queryByRole("button", { name: "Pin turn" })).toBeNull();
  expect(disabled("Unpin turn")).toBe(true);
});

it("is not shown for nodes outside of the loop", async () => {
  const { calls } = await draw([WAITING], conversation(), "outside");
  expect(screen.queryByText("Conversation of talk")).toBeNull();
  expect(calls).toEqual([]);
});

it("asks for the conversation again when it has changed, not on each event", async () => {
  const asked = vi.fn(async () => [conversation()]);
  const workspace = createTestWorkspace({
    call: (async (name: string) => (name === "lens.turns" ? asked() : {})) as never,
  });
  workspace.editor.open(documentState({ ...EMPTY_FLOW, nodes: NODES }));
  const session = showRun(workspace.activeRun, SAID);
  renderInWorkspace(<Context nodeId="chat" />, { workspace });
  const follow = (event: object) =>
    act(async () => {
      const changed = session.fold.apply([{ seq: session.log.entries.length, at: 0, ...event } as Entry]);
      session.log.append(changed.entries);
      workspace.activeRun.publish(session, changed);
      await new Promise((resolve) => setTimeout(resolve, 80));
    });
  await follow({ type: "node.ready", node: "other", epoch: [] });
  expect(asked).toHaveBeenCalledTimes(1);
  for (const event of [
    { type: "history.pinned", ...LOOP, turn: "ask", pinned: true },
    { type: "node.finished", ...LOOP, outputs: {}, metadata: { durationMs: 1 } },
  ]) {
    await follow(event);
  }
  expect(asked).toHaveBeenCalledTimes(3);
});
