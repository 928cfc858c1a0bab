import { expect, it } from "vitest";
import type { Flow } from "@/bindings";
import { FlowEditor } from "./editor";
import { documentState, EMPTY_FLOW, isDirty } from "./flow-state";

const FLOW: Flow = { ...EMPTY_FLOW, nodes: { note: { type: "note", config: { text: "Hello" } } } };

function editorWith(flow: Flow): { editor: FlowEditor; type: (text: string) => void } {
  const editor = new FlowEditor();
  editor.open({ ...documentState(flow), saved: flow });
  return { editor, type: (text) => editor.setConfig("note", ["text"], text) };
}

it("text that is typed and taken back leaves the flow unchanged and no step", () => {
  const { editor, type } = editorWith(FLOW);
  type("Hello!");
  expect(isDirty(editor.state)).toBe(true);
  type("Hello");
  expect(isDirty(editor.state)).toBe(false);
  expect(editor.state.history.past).toEqual([]);
});

it("text that is typed back in a later gesture is a step of its own", () => {
  const { editor, type } = editorWith(FLOW);
  type("Hello!");
  editor.sealGesture();
  type("Hello");
  expect(editor.state.history.past).toHaveLength(2);
  editor.undo();
  expect(editor.state.flow.nodes.note?.config).toEqual({ text: "Hello!" });
});
