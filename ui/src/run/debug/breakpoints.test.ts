import { describe, expect, it } from "vitest";
import { createFlowParts } from "@/flow/test-parts";
import { BreakpointStore, breakpointsIn } from "./breakpoints";

function store(remembered?: unknown) {
  const { editor } = createFlowParts();
  const kept: { value: unknown } = { value: remembered };
  const memory = {
    remembered: <T>() => kept.value as T | undefined,
    remember: (_: string, value: unknown) => {
      kept.value = value;
    },
  };
  return { editor, kept, breakpoints: new BreakpointStore(editor, memory) };
}

describe("breakpoints", () => {
  it("are set, changed and removed, one for each side of a node", () => {
    const { breakpoints } = store();
    breakpoints.set("chat", "before");
    breakpoints.set("chat", "after", { when: "value > 1" });
    breakpoints.set("chat", "before", { disabled: true });
    expect(breakpoints.current).toEqual([
      { id: "chat:before", node: "chat", side: "before", disabled: true },
      { id: "chat:after", node: "chat", side: "after", when: "value > 1" },
    ]);
    breakpoints.set("chat", "after", {}, "response");
    breakpoints.set("chat", "after", { scope: "branch" }, "response");
    expect(breakpoints.current.at(-1)).toEqual({
      id: "chat.response:after",
      node: "chat",
      side: "after",
      port: "response",
      scope: "branch",
    });
    breakpoints.remove("chat", "after", "response");
    breakpoints.remove("chat", "after");
    expect(breakpoints.current.map(({ id }) => id)).toEqual(["chat:before"]);
  });

  it("are kept by file; those of a flow without one go with it when it is saved", () => {
    const { editor, kept, breakpoints } = store();
    breakpoints.set("chat", "before");
    expect(kept.value).toEqual({});
    editor.store.setState({ path: "/flows/a.flow.json" });
    const expected = [{ id: "chat:before", node: "chat", side: "before" }];
    expect(kept.value).toEqual({ "/flows/a.flow.json": expected });
    expect(breakpoints.current).toEqual(expected);
    const next = store(kept.value);
    next.breakpoints.load();
    expect(next.breakpoints.of("/flows/a.flow.json")).toEqual(expected);
  });

  it("are removed all at once, and brought back beside those that were set meanwhile", () => {
    const { breakpoints } = store();
    breakpoints.set("chat", "before", { when: "value > 1" });
    breakpoints.set("chat", "after");
    const bringBack = breakpoints.removeAll();
    expect(breakpoints.current).toEqual([]);
    breakpoints.set("chat", "after", { log: "later" });
    bringBack();
    expect(breakpoints.current).toEqual([
      { id: "chat:before", node: "chat", side: "before", when: "value > 1" },
      { id: "chat:after", node: "chat", side: "after", log: "later" },
    ]);
  });

  it("of nodes that the flow does not have wait for them", () => {
    const flow = { version: 1, nodes: { chat: { type: "chat" } }, edges: {} };
    const ports = { chat: { inputs: [{ name: "message" }], outputs: [{ name: "response" }] } };
    const all = [
      { id: "3", node: "chat", side: "after" as const, port: "response" },
      { id: "4", node: "chat", side: "before" as const, port: "response" },
      { id: "1", node: "chat", side: "before" as const },
      { id: "2", node: "gone", side: "before" as const },
    ];
    expect(breakpointsIn(flow as never, { ports } as never, all).map(({ id }) => id)).toEqual(["3", "1"]);
  });
});
