import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Flow, Node } from "@/bindings";
import { FlowEditor } from "@/flow/document/editor";
import { documentState, EMPTY_FLOW, isDirty } from "@/flow/document/flow-state";
import { fromText, toText } from "./clipboard";
import * as edits from "./edits";

const node = (type: string): Node => ({ type });

const two: Flow = {
  ...EMPTY_FLOW,
  nodes: { a: node("text"), b: node("output") },
  edges: { e: { source: "a", sourceOutput: "text", target: "b", targetInput: "value", metadata: { kept: true } } },
  layout: { a: { x: 0, y: 0 }, b: { x: 300, y: 0 } },
};

describe("edits", () => {
  it("assign new ids and keep existing ones", () => {
    const once = edits.addNode(EMPTY_FLOW, node("chat"), { x: 0, y: 0 });
    const twice = edits.addNode(once.flow, node("chat"), { x: 10.4, y: 0 });
    expect(Object.keys(twice.flow.nodes)).toEqual(["chat", "chat-2"]);
    expect(twice.flow.layout["chat-2"]).toEqual({ x: 10, y: 0 });
  });

  it("remove a node with its edges and its layout", () => {
    const flow = edits.remove(two, { nodes: new Set(["a"]), edges: new Set() });
    expect(flow).toEqual({ ...two, nodes: { b: two.nodes.b }, edges: {}, layout: { b: two.layout.b } });
  });

  it("return the same flow when nothing changes", () => {
    expect(edits.remove(two, { nodes: new Set(["gone"]), edges: new Set() })).toBe(two);
    expect(edits.place(two, new Map([["a", { x: 0.2, y: 0 }]]))).toBe(two);
    expect(edits.setTitle(two, "a", "  ")).toBe(two);
    expect(edits.setDisabled(two, ["a", "gone"], false)).toBe(two);
  });

  it("keep unknown fields", () => {
    const strange = { ...two, futureKey: 1, nodes: { ...two.nodes, a: { ...node("text"), futureField: [1] } } } as Flow;
    const edited = edits.setConfig(edits.setTitle(strange, "a", "Name"), "a", ["template"], "hi");
    expect(edited).toMatchObject({
      futureKey: 1,
      nodes: { a: { futureField: [1], title: "Name", config: { template: "hi" } } },
    });
  });

  it("put a drawn edge behind those into the same input", () => {
    const into = (source: string) => ({ source, sourceOutput: "text", target: "b", targetInput: "value" });
    const once = edits.connect(two, into("c"));
    const twice = edits.connect(once.flow, into("d"));
    const orders = [once.edges[0], twice.edges[0]].map((id) => twice.flow.edges[id ?? ""]?.order);
    expect(orders).toEqual([1, 2]);
    expect(edits.connect(two, { ...into("c"), targetInput: "other" }).flow.edges).toMatchObject({ e: two.edges.e });
    expect(Object.values(edits.connect(EMPTY_FLOW, into("c")).flow.edges)).toEqual([into("c")]);
  });

  it("keep an edge's own data when it is moved", () => {
    const moved = edits.reconnect(two, "e", { source: "b", sourceOutput: "x", target: "a", targetInput: "y" });
    expect(moved.edges.e).toEqual({
      source: "b",
      sourceOutput: "x",
      target: "a",
      targetInput: "y",
      metadata: { kept: true },
    });
  });

  it("set and remove config at any depth and leave no empty config", () => {
    let flow = edits.setConfig(two, "a", ["list", 1, "name"], "x");
    expect(flow.nodes.a?.config).toEqual({ list: [undefined, { name: "x" }] });
    flow = edits.setConfig(two, "a", ["one"], 1);
    flow = edits.setConfig(flow, "a", ["one"], undefined);
    expect(flow.nodes.a).not.toHaveProperty("config");
  });

  it("paste nodes under new ids, with the edges between them", () => {
    const part = fromText(toText(two, new Set(["a", "b"]), () => ({ width: 208, height: 90 })));
    if (!part) throw new Error("What was copied can be pasted.");
    const { flow, nodes, edges } = edits.addFragment(two, part, { x: 40, y: 40 });
    expect(nodes).toEqual(["a-2", "b-2"]);
    expect(flow.edges[edges[0] ?? ""]).toMatchObject({ source: "a-2", target: "b-2", metadata: { kept: true } });
    expect(flow.layout["b-2"]).toEqual({ x: 340, y: 40 });
  });
});

describe("the clipboard", () => {
  it("accepts a whole flow document", () => {
    expect(Object.keys(fromText(JSON.stringify(two))?.nodes ?? {})).toEqual(["a", "b"]);
  });

  it.each(["", "hello", "{", "[]", '{"nodes":{}}', '{"clipboard":"plait/nodes","nodes":{"a":{}}}'])(
    "is not fooled by %j",
    (text) => {
      expect(fromText(text)).toBeUndefined();
    },
  );

  it("drops dangling edges and fixes invalid positions", () => {
    const part = fromText(
      '{"clipboard":"plait/nodes","nodes":{"a":{"type":"text"}},"layout":{"a":{"x":"?"}},"edges":{"e":{"source":"a"}}}',
    );
    expect(part).toEqual({
      nodes: { a: { type: "text" } },
      layout: { a: { x: 0, y: 0 } },
      edges: {},
      sizes: {},
      frames: {},
      routes: {},
    });
  });
});

/** One possible action of a person, on any elements. */
const action = fc.oneof(
  fc.record({ kind: fc.constant("add" as const), type: fc.constantFrom("text", "chat", "note") }),
  fc.record({ kind: fc.constant("connect" as const), from: fc.nat(), to: fc.nat() }),
  fc.record({ kind: fc.constant("remove" as const), at: fc.nat() }),
  fc.record({ kind: fc.constant("move" as const), at: fc.nat(), x: fc.integer(), merge: fc.boolean() }),
  fc.record({ kind: fc.constant("title" as const), at: fc.nat(), title: fc.string() }),
  fc.record({ kind: fc.constant("config" as const), at: fc.nat(), value: fc.jsonValue() }),
  fc.record({ kind: fc.constant("paste" as const), at: fc.nat() }),
  fc.record({ kind: fc.constant("seal" as const) }),
);

function carryOut(editor: FlowEditor, one: typeof action extends fc.Arbitrary<infer T> ? T : never): void {
  const { flow } = editor.state;
  const ids = Object.keys(flow.nodes);
  const pick = (at: number) => ids[at % Math.max(1, ids.length)] ?? "none";
  switch (one.kind) {
    case "add":
      editor.addNode(node(one.type), { x: 1, y: 2 });
      break;
    case "connect":
      editor.connect({ source: pick(one.from), sourceOutput: "o", target: pick(one.to), targetInput: "i" });
      break;
    case "remove":
      editor.removeItems({ nodes: [pick(one.at)] });
      break;
    case "move":
      editor.place("Move", new Map([[pick(one.at), { x: one.x, y: 0 }]]), one.merge ? "nudge" : undefined);
      break;
    case "title":
      editor.rename(pick(one.at), one.title);
      break;
    case "config":
      editor.setConfig(pick(one.at), ["value"], one.value);
      break;
    case "paste":
      editor.addFragment("Paste", edits.fragment(flow, new Set([pick(one.at)])), { x: 5, y: 5 });
      break;
    case "seal":
      editor.sealGesture();
      break;
  }
}

describe("undo and redo", () => {
  let editor: FlowEditor;
  beforeEach(() => {
    editor = new FlowEditor();
    editor.open(documentState(two));
  });

  it("revert and reapply any sequence of edits", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (sequence) => {
        editor.open(documentState(two));
        for (const one of sequence) carryOut(editor, one);
        const end = editor.state.flow;
        while (editor.state.history.past.length > 0) editor.undo();
        expect(editor.state.flow).toBe(two);
        expect(isDirty(editor.state)).toBe(false);
        while (editor.state.history.future.length > 0) editor.redo();
        expect(editor.state.flow).toBe(end);
      }),
    );
  });

  it("select only existing items", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(action, fc.constantFrom("undo" as const, "redo" as const, "all" as const)), {
          maxLength: 40,
        }),
        (sequence) => {
          editor.open(documentState(two));
          for (const one of sequence) {
            if (one === "undo") editor.undo();
            else if (one === "redo") editor.redo();
            else if (one === "all") editor.selectAll();
            else carryOut(editor, one);
            const { flow, selection } = editor.state;
            expect([...selection.nodes].every((id) => id in flow.nodes)).toBe(true);
            expect([...selection.edges].every((id) => id in flow.edges)).toBe(true);
          }
        },
      ),
    );
  });

  it("merge typing in one field into one step, but not across fields", () => {
    for (const text of ["h", "he", "hey"]) editor.setConfig("a", ["template"], text);
    editor.setConfig("a", ["other"], 1);
    editor.undo();
    expect(editor.state.flow.nodes.a?.config).toEqual({ template: "hey" });
    editor.undo();
    expect(editor.state.flow).toBe(two);
  });

  it("start a new step after the gesture has ended", () => {
    editor.setConfig("a", ["template"], "h");
    editor.sealGesture();
    editor.setConfig("a", ["template"], "he");
    editor.undo();
    expect(editor.state.flow.nodes.a?.config).toEqual({ template: "h" });
  });

  it("keep only the flow and the selection of a step", () => {
    editor.rename("a", "One");
    editor.rename("a", "Two");
    editor.rename("a", "Three");
    editor.undo();
    editor.undo();
    editor.redo();
    const { past, future } = editor.state.history;
    expect([past.length, future.length]).toEqual([2, 1]);
    for (const step of [...past, ...future]) {
      expect(Object.keys(step).sort()).toEqual(["flow", "label", "merge", "selection"]);
    }
  });

  it("drop redo steps after a new edit", () => {
    editor.rename("a", "One");
    editor.undo();
    editor.rename("a", "Two");
    expect(editor.state.history.future).toEqual([]);
  });

  it("do nothing while a run is viewed", () => {
    editor.viewFlow({ run: "r", label: "r", flow: EMPTY_FLOW });
    editor.rename("a", "One");
    expect(editor.state.flow).toBe(two);
    editor.leaveView();
  });
});
