import { act, cleanup, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Breakpoint, Flow } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import { documentState } from "@/flow/document/flow-state";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { BreakpointsTab } from "./BreakpointsTab";
import { sorted } from "./breakpoint-list";

afterEach(cleanup);

const FLOW: Flow = {
  version: 1,
  name: "f",
  nodes: { b: { type: "text", title: "Greet" }, a: { type: "text", title: "Shout" } },
  edges: {},
  layout: {},
};

function show(breakpoints: readonly Pick<Breakpoint, "node" | "side" | "when" | "log" | "disabled">[]) {
  const workspace = createTestWorkspace();
  workspace.editor.open(documentState(FLOW));
  for (const { node = "", side, ...rest } of breakpoints) workspace.breakpoints.set(node, side, rest);
  renderInWorkspace(<BreakpointsTab />, { workspace });
  return workspace;
}

const rows = () => within(screen.getByTestId("breakpoint-list")).getAllByRole("listitem");

describe("the list of breakpoints", () => {
  it("says how to set the first one", () => {
    show([]);
    expect(screen.getByText(/press F9/)).toBeTruthy();
  });

  it("has the breakpoints by name and side, those of removed nodes last", () => {
    show([
      { node: "a", side: "before" },
      { node: "gone", side: "before" },
      { node: "b", side: "after" },
      { node: "b", side: "before" },
    ]);
    expect(rows().map((row) => row.textContent)).toEqual([
      "Greetbefore",
      "Greetafter",
      "Shoutbefore",
      "gonebeforeNode is gone",
    ]);
  });

  it("turns one off and on, and keeps it", async () => {
    const { breakpoints } = show([{ node: "b", side: "before" }]);
    const bead = screen.getByRole("switch", { name: "Breakpoint at Greet, before" });
    await userEvent.click(bead);
    expect(bead.getAttribute("aria-checked")).toBe("false");
    expect(breakpoints.current).toEqual([{ id: "b:before", node: "b", side: "before", disabled: true }]);
    await userEvent.click(bead);
    expect(breakpoints.current[0]?.disabled).toBe(false);
  });

  it("changes condition and text in place", async () => {
    const { breakpoints } = show([{ node: "b", side: "before", when: "value > 1" }]);
    const condition = screen.getByRole("textbox", { name: "Condition of Greet, before" });
    await userEvent.clear(condition);
    await userEvent.type(condition, "value > 2{Enter}");
    await userEvent.type(screen.getByRole("textbox", { name: "Log text of Greet, before" }), "seen{Enter}");
    expect(breakpoints.current[0]).toMatchObject({ when: "value > 2", log: "seen" });
    await userEvent.clear(condition);
    await userEvent.tab();
    expect(breakpoints.current[0]?.when).toBeUndefined();
  });

  it("has a breakpoint hold its branch alone, and names the port of one", async () => {
    const { breakpoints } = show([{ node: "b", side: "before" }]);
    const toggle = () => screen.getByRole("button", { name: "This branch only" });
    await userEvent.click(toggle());
    expect(breakpoints.current[0]).toMatchObject({ side: "before", scope: "branch" });
    expect(toggle().getAttribute("aria-pressed")).toBe("true");
    await userEvent.click(toggle());
    expect(breakpoints.current[0]?.scope).toBeUndefined();
    act(() => breakpoints.set("b", "after", { when: "value > 1" }, "text"));
    expect(rows().map((row) => row.textContent)).toEqual(["Greetbefore", "Greetoutput text"]);
    await userEvent.click(screen.getByRole("button", { name: "Remove breakpoint at Greet, output text" }));
    expect(breakpoints.current.map(({ id }) => id)).toEqual(["b:before"]);
  });

  it("shows the node on the canvas, if there is one", async () => {
    const { canvas } = show([
      { node: "b", side: "before" },
      { node: "gone", side: "after" },
    ]);
    const reveal = vi.spyOn(canvas, "reveal").mockImplementation(() => {});
    await userEvent.click(screen.getByTitle("Show Greet on canvas"));
    expect(reveal).toHaveBeenCalledWith({ node: "b" });
    expect(screen.queryByTitle("Show gone on canvas")).toBeNull();
  });

  it("removes one, also of a node that is gone, or all, which can be undone", async () => {
    const { breakpoints } = show([
      { node: "b", side: "before" },
      { node: "a", side: "before" },
      { node: "gone", side: "after" },
    ]);
    await userEvent.click(screen.getByRole("button", { name: "Remove breakpoint at gone, after" }));
    expect(breakpoints.current.map(({ node }) => node)).toEqual(["b", "a"]);
    const info = vi.spyOn(notify, "info").mockImplementation(() => {});
    await userEvent.click(screen.getByRole("button", { name: "Remove all" }));
    expect(breakpoints.current).toEqual([]);
    const [text, action] = info.mock.calls[0] ?? [];
    expect(text).toBe("2 breakpoints removed");
    action?.run();
    expect(breakpoints.current.map(({ node }) => node)).toEqual(["b", "a"]);
    info.mockRestore();
  });

  it("of a flow inside a node is empty and says where they are", () => {
    const workspace = createTestWorkspace();
    workspace.editor.open({ ...documentState(FLOW), outer: [{ node: "x", flow: FLOW } as never] });
    workspace.breakpoints.set("b", "before");
    renderInWorkspace(<BreakpointsTab />, { workspace });
    expect(screen.getByText(/outer flow/)).toBeTruthy();
  });

  it("of a run can be read only, with the way into sub-flows", () => {
    const workspace = createTestWorkspace();
    workspace.editor.open(documentState(FLOW));
    workspace.editor.viewFlow({ run: "r1", label: "f", flow: FLOW });
    const head = workspace.activeRun.head;
    const list: Breakpoint[] = [{ id: "1", path: ["b", "inner"], node: "chat", side: "call", when: "tokens > 5" }];
    vi.spyOn(workspace.activeRun, "head", "get").mockReturnValue({ ...head, breakpoints: list });
    renderInWorkspace(<BreakpointsTab />, { workspace });
    expect(rows().map((row) => row.textContent)).toEqual(["Greet › inner › chateach calltokens > 5None: runs pause"]);
    expect(screen.queryByRole("switch")).toBeNull();
    expect(screen.queryByRole("textbox")).toBeNull();
  });
});

it("sides of one node stand in the order in which they are reached", () => {
  const words = { node: "N", at: "" };
  const of = (side: Breakpoint["side"]) => ({ breakpoint: { id: side, node: "n", side }, words, isGone: false });
  expect(sorted([of("after"), of("call"), of("before")]).map(({ breakpoint }) => breakpoint.side)).toEqual([
    "before",
    "call",
    "after",
  ]);
});
