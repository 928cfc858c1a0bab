import { beforeEach, describe, expect, it } from "vitest";
import type { Flow } from "@/bindings";
import { FlowEditor } from "./editor";
import { documentFlow, documentName, documentState, EMPTY_FLOW, isDirty } from "./flow-state";
import { innerFlowOf } from "./inner-flow";

const inner: Flow = { ...EMPTY_FLOW, nodes: { text: { type: "text" }, deep: { type: "subflow" } } };
const flow: Flow = {
  ...EMPTY_FLOW,
  name: "Outer",
  nodes: { sub: { type: "subflow", config: { flow: inner, other: 1 } }, empty: { type: "subflow" } },
};

let editor: FlowEditor;

beforeEach(() => {
  editor = new FlowEditor();
  editor.open(documentState(flow));
});

const innerOf = (of: Flow, id: string) => innerFlowOf(of.nodes[id]) ?? EMPTY_FLOW;
const innerTitle = (of: Flow) => innerOf(of, "sub").nodes.text?.title;

describe("an inner flow", () => {
  it("opened and closed changes nothing", () => {
    editor.openInner("sub");
    expect(editor.state.flow).toEqual(inner);
    expect(isDirty(editor.state)).toBe(false);
    expect(documentName(editor.state)).toBe("Outer");
    editor.closeInner();
    expect(editor.state.flow).toBe(flow);
    expect(editor.state.outer).toBeUndefined();
    expect(editor.state.history.past).toEqual([]);
    expect([...editor.state.selection.nodes]).toEqual(["sub"]);
  });

  it("is part of the document at once, and one undo step of the outer flow once it is closed", () => {
    editor.openInner("sub");
    editor.rename("text", "One");
    editor.rename("text", "Two");
    expect(isDirty(editor.state)).toBe(true);
    const whole = documentFlow(editor.state);
    expect(innerTitle(whole)).toBe("Two");
    expect(whole.nodes.sub?.config?.other).toBe(1);
    expect(documentFlow(editor.state)).toBe(whole);
    editor.undo();
    expect(innerTitle(documentFlow(editor.state))).toBe("One");
    editor.redo();
    editor.closeInner();
    expect(editor.state.flow).toBe(whole);
    editor.undo();
    expect(editor.state.flow).toBe(flow);
    editor.redo();
    expect(innerTitle(editor.state.flow)).toBe("Two");
  });

  it("saved while it is edited stays saved when it is closed, at any depth", () => {
    editor.openInner("sub");
    editor.openInner("deep");
    editor.addNode({ type: "text" }, { x: 0, y: 0 });
    editor.store.setState({ saved: documentFlow(editor.state) });
    expect(isDirty(editor.state)).toBe(false);
    editor.closeInner();
    expect(editor.state.outer).toHaveLength(1);
    expect(isDirty(editor.state)).toBe(false);
    editor.closeInner();
    expect(isDirty(editor.state)).toBe(false);
    editor.undo();
    expect(isDirty(editor.state)).toBe(true);
  });

  it("is left for any flow around it, also from far below", () => {
    editor.openInner("sub");
    editor.openInner("deep");
    editor.addNode({ type: "text" }, { x: 0, y: 0 });
    editor.closeInner(0);
    expect(Object.keys(innerOf(innerOf(editor.state.flow, "sub"), "deep").nodes)).toEqual(["text"]);
  });

  it("begins empty where there is none, two of them independent of one another", () => {
    editor.openInner("empty");
    editor.addNode({ type: "text" }, { x: 0, y: 0 });
    editor.closeInner();
    expect(Object.keys(innerOf(editor.state.flow, "empty").nodes)).toEqual(["text"]);
    editor.undo();
    editor.openInner("empty");
    expect(editor.state.flow.nodes).toEqual({});
  });

  it("that cannot be drawn is not opened", () => {
    const odd = [7, [], { nodes: 1 }, { nodes: { a: {} } }, { nodes: { a: { type: "text", config: [] } } }];
    const odder = [{ edges: { e: { source: "a" } } }, { layout: { a: { x: "left", y: 0 } } }, { settings: 3 }];
    for (const value of [...odd, ...odder])
      expect(innerFlowOf({ type: "subflow", config: { flow: value } })).toBeUndefined();
    expect(innerFlowOf({ type: "subflow", config: { flow: { nodes: { a: { type: "text" } } } } })?.edges).toEqual({});
  });
});
