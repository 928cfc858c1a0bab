import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Host } from "@/ipc";
import { showRun } from "@/run/live/test-run";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { StopBar } from "./StopBar";

const call = vi.fn();

beforeEach(() => call.mockReset().mockResolvedValue(undefined));
afterEach(cleanup);

function showStop(side: string, stop: object): void {
  const workspace = createTestWorkspace({ call: call as Host["call"] });
  const author = { node: "chat", epoch: [] };
  const message = (id: string, role: string, content: string) => ({ id, role, content, author, tokens: 5 });
  const messageHistory = [message("1", "user", "One?"), message("2", "assistant", "First.")];
  showRun(workspace.activeRun, [
    { type: "run.started", run: "run", flow: { name: "", hash: "" } },
    { type: "context.created", ...author, context: { contextId: "main", messageHistory, revision: 0 } },
    {
      type: "debug.stopped",
      cause: { kind: "step" },
      point: { node: "next", epoch: [], attempt: 1, side },
      ...stop,
    },
  ]);
  renderInWorkspace(<StopBar />, { workspace });
}

/** What the host was asked last, by name. */
function asked(name: string): unknown {
  return call.mock.calls.findLast(([command]) => command === name)?.[1];
}

it("skips a node only before it starts, and runs one again only after its end", async () => {
  showStop("before", { values: { value: 1 } });
  expect(screen.queryByTestId("go-retry")).toBeNull();
  fireEvent.click(screen.getByTestId("go-skip"));
  await waitFor(() => expect(asked("run.go")).toEqual({ run: "run", stop: 2, verb: "skip" }));
  cleanup();
  showStop("after", { values: { value: 1 } });
  expect(screen.queryByTestId("go-skip")).toBeNull();
  fireEvent.click(screen.getByTestId("go-retry"));
  await waitFor(() => expect(asked("run.go")).toEqual({ run: "run", stop: 2, verb: "retry" }));
});

it("says that other branches go on where a branch is paused alone", () => {
  showStop("before", { values: { value: 1 }, scope: "branch" });
  expect(screen.getByTestId("stop-bar").textContent).toContain("other branches go on");
});

it("offers the other ways of a switch", async () => {
  showStop("after", { values: { big: 9 }, ways: ["small", "default"] });
  fireEvent.click(screen.getByTestId("stop-change"));
  fireEvent.click(screen.getByRole("button", { name: "Take default" }));
  await waitFor(() => expect(asked("run.forceWay")).toEqual({ run: "run", stop: 2, port: "default" }));
});

it("has no history where the node uses no context", () => {
  showStop("before", { values: { value: 1 } });
  expect(screen.queryByTestId("stop-edit-history")).toBeNull();
});

it("sends the edits of a history together, and keeps them when they are refused", async () => {
  showStop("before", { values: { context: { contextId: "main" } } });
  fireEvent.click(screen.getByTestId("stop-edit-history"));
  const apply = screen.getByRole<HTMLButtonElement>("button", { name: "Change history" });
  expect(apply.disabled).toBe(true);
  fireEvent.click(screen.getByRole("button", { name: "Remove message of User · chat" }));
  const reply = screen.getByLabelText<HTMLTextAreaElement>("Message of Assistant · chat");
  fireEvent.change(reply, { target: { value: "Never said." } });
  call.mockRejectedValueOnce({ code: "debug.bad_history", message: "It would start with a reply." });
  fireEvent.click(apply);
  await waitFor(() => screen.getByText(/start with a reply/));
  expect(asked("run.editHistory")).toEqual({
    run: "run",
    stop: 2,
    edits: [{ message: "1" }, { message: "2", text: "Never said." }],
  });
  expect(reply.value).toBe("Never said.");
});

function showTwo(): Workspace {
  const workspace = createTestWorkspace({ call: call as Host["call"] });
  const stopped = (node: string, value: number) => ({
    type: "debug.stopped",
    scope: "branch",
    cause: { kind: "step" },
    point: { node, epoch: [], attempt: 1, side: "before" },
    values: { value },
  });
  showRun(workspace.activeRun, [
    { type: "run.started", run: "run", flow: { name: "", hash: "" } },
    stopped("left", 1),
    stopped("right", 2),
  ]);
  renderInWorkspace(<StopBar />, { workspace });
  return workspace;
}

it("is about the newest of several stops until another one is chosen", async () => {
  const workspace = showTwo();
  const bar = screen.getByTestId("stop-bar");
  expect(bar.textContent).toContain("Paused before right");
  const chooser = screen.getByRole<HTMLSelectElement>("combobox", { name: "Which of 2 paused places" });
  expect([...chooser.options].map(({ text }) => text)).toEqual(["Before left", "Before right"]);
  fireEvent.change(chooser, { target: { value: "1" } });
  expect(bar.textContent).toContain("Paused before left");
  fireEvent.click(screen.getByTestId("go-continue"));
  await waitFor(() => expect(asked("run.go")).toEqual({ run: "run", stop: 1, verb: "continue" }));
  expect(await workspace.runs.debugger.change("value", 5)).toBeUndefined();
  expect(asked("run.changeValue")).toEqual({ run: "run", stop: 1, port: "value", value: 5 });
});

it("lets all of several stops go on, and offers that only then", async () => {
  showTwo();
  fireEvent.click(screen.getByTestId("go-continue-all"));
  await waitFor(() => expect(asked("run.continueAll")).toEqual({ run: "run" }));
  cleanup();
  showStop("before", { values: { value: 1 } });
  expect(screen.queryByTestId("go-continue-all")).toBeNull();
  expect(screen.queryByTestId("stop-chooser")).toBeNull();
});

it("names the places of sub-flows by their nodes, and goes on in the run that is held", async () => {
  const workspace = createTestWorkspace({ call: call as Host["call"] });
  const started = (node: string, run: string) => ({ type: "child.started", node, epoch: [], run });
  const stopped = (run: string) => ({ type: "debug.stopped", scope: "branch", cause: { kind: "elsewhere", run } });
  showRun(workspace.activeRun, [
    { type: "run.started", run: "run", flow: { name: "", hash: "" } },
    started("one", "first"),
    started("two", "second"),
    stopped("first"),
    stopped("second"),
  ]);
  renderInWorkspace(<StopBar />, { workspace });
  const chooser = screen.getByTestId<HTMLSelectElement>("stop-chooser");
  expect([...chooser.options].map(({ text }) => text)).toEqual(["one · sub-flow", "two · sub-flow"]);
  fireEvent.change(chooser, { target: { value: "3" } });
  const held = (number: number, scope?: string) => ({ run: "first", stop: { number, scope } });
  call.mockImplementation(async (command) => (command === "run.held" ? [held(9), held(7, "branch")] : undefined));
  fireEvent.click(screen.getByTestId("go-continue"));
  await waitFor(() => expect(asked("run.go")).toEqual({ run: "first", stop: 7, verb: "continue" }));
  expect(asked("run.held")).toEqual({ run: "first" });
});
