import { act, cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Entry } from "@/bindings";
import { EMPTY_FLOW } from "@/flow/document/flow-state";
import { RunSession } from "@/run/live/session";
import { showRun } from "@/run/live/test-run";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { RunLine } from "./RunLine";

afterEach(cleanup);

test("images among a node's outputs are pictures on its card, the first three of them", async () => {
  const workspace = createTestWorkspace({ call: async () => ({ data: "iVBORw0KGgo=" }) as never });
  const image = (name: string) => {
    return { type: "attachment", hash: name, mediaType: "image/png", name, bytes: 8, width: 1, height: 1 };
  };
  const data = ["a.png", "b.png", "c.png", "d.png"].map(image);
  showRun(workspace.activeRun, [
    { type: "node.ready", node: "n", epoch: [] },
    { type: "node.started", node: "n", epoch: [], attempt: 1, inputs: {} },
    { type: "node.finished", node: "n", epoch: [], metadata: {}, outputs: { data, other: "text" } },
  ]);
  renderInWorkspace(<RunLine node="n" summary="A summary" />, { workspace });
  expect((await screen.findAllByRole("img")).map((img) => img.getAttribute("alt"))).toEqual([
    "a.png",
    "b.png",
    "c.png",
  ]);
  expect(screen.getByAltText("a.png").getAttribute("src")).toBe("data:image/png;base64,iVBORw0KGgo=");
  expect(screen.getByTitle("1 more image")).toBeDefined();
});

test("the summary of a card gives way to what its node said, in the same row", () => {
  const workspace = createTestWorkspace();
  renderInWorkspace(<RunLine node="n" summary="A summary" />, { workspace });
  expect(screen.getByText("A summary").className).toBe("summary");
  act(() => {
    showRun(workspace.activeRun, [
      { type: "node.ready", node: "n", epoch: [] },
      { type: "node.started", node: "n", epoch: [], attempt: 1, inputs: {} },
      { type: "node.delta", node: "n", epoch: [], text: "It is **at** the depot." },
    ]);
  });
  expect(screen.queryByText("A summary")).toBeNull();
  expect(screen.getByTestId("reply-n").textContent).toBe("It is at the depot.");
  expect(screen.getByTestId("reply-n").classList).toContain("summary");
});

test("an error on a card renders code as code", () => {
  const workspace = createTestWorkspace();
  const events = { changed: () => undefined, broke: () => undefined };
  const session = new RunSession(workspace.host, "r", EMPTY_FLOW, events);
  const error = { code: "provider.rejected", message: "The field `max_tokens` is too large.", retryable: false };
  session.fold.apply([
    { seq: 0, at: 0, type: "node.ready", node: "n", epoch: [] },
    { seq: 1, at: 0, type: "node.started", node: "n", epoch: [], attempt: 1, inputs: {} },
    { seq: 2, at: 0, type: "node.failed", node: "n", epoch: [], error, handled: false },
  ] as unknown as Entry[]);
  workspace.activeRun.show(session);
  renderInWorkspace(<RunLine node="n" summary="A summary" />, { workspace });
  expect(screen.getByText("max_tokens").tagName).toBe("CODE");
  expect(document.body.textContent).not.toContain("`");
  expect(screen.getByTitle("The field max_tokens is too large.")).toBeDefined();
});

describe("a node that waits for its next attempt", () => {
  let workspace: Workspace;

  beforeEach(() => {
    workspace = createTestWorkspace();
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"], now: 100_000 });
  });
  afterEach(() => void vi.useRealTimers());

  const here = { node: "chat", epoch: [], at: 100_000 };
  const failedFor = (delayMs: number) =>
    showRun(workspace.activeRun, [
      { type: "node.started", ...here, attempt: 1 },
      { type: "node.retrying", ...here, attempt: 1, delayMs, error: { code: "x.y", message: "No." } },
    ]);

  test("counts down to the next attempt", () => {
    failedFor(2_500);
    renderInWorkspace(<RunLine node="chat" summary="A summary" />, { workspace });
    const says = (text: string) => expect(screen.getByText(text)).toBeDefined();
    says("Attempt 1 failed, retrying in 3 s");
    act(() => void vi.advanceTimersByTime(1000));
    says("Attempt 1 failed, retrying in 2 s");
    act(() => void vi.advanceTimersByTime(2000));
    says("Attempt 1 failed, retrying");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("shows longer times in minutes", () => {
    failedFor(125_000);
    renderInWorkspace(<RunLine node="chat" summary="A summary" />, { workspace });
    expect(screen.getByText("Attempt 1 failed, retrying in 2 m 05 s")).toBeDefined();
  });
});
