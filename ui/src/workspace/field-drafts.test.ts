import { expect, it } from "vitest";
import { FlowEditor } from "@/flow/document/editor";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { OpenDocuments } from "@/flow/files/open-documents";
import { FieldDrafts } from "./field-drafts";

const PLACE = { node: "pick", path: ["value"] };
const draftFor = (value: unknown) => ({ text: "{oops", value, label: "Value", problem: "Oops." });

function twoDocuments() {
  const editor = new FlowEditor();
  editor.open(documentState({ ...EMPTY_FLOW, nodes: { pick: { type: "value" } } }));
  const documents = new OpenDocuments(editor);
  const first = editor.state.key;
  const other = documentState({ ...EMPTY_FLOW, nodes: { pick: { type: "value" } } });
  documents.open(other, true);
  return { documents, first, other: other.key, drafts: new FieldDrafts(documents) };
}

it("keeps a draft per document and field", () => {
  const { documents, first, other, drafts } = twoDocuments();
  drafts.set(PLACE, draftFor({ a: 1 }));
  expect(drafts.get({ ...PLACE, node: undefined }, { a: 1 })).toBeUndefined();
  documents.show(other);
  expect(drafts.get(PLACE, { a: 1 })).toBeUndefined();
  documents.show(first);
  expect(drafts.get(PLACE, { a: 1 })).toBe("{oops");
});

it("ignores a draft whose value was changed elsewhere", () => {
  const { drafts } = twoDocuments();
  drafts.set(PLACE, draftFor({ a: 1 }));
  expect(drafts.get(PLACE, { a: 2 })).toBeUndefined();
});

it("drops the drafts of a closed document", () => {
  const { documents, first, drafts } = twoDocuments();
  drafts.set(PLACE, draftFor(1));
  const state = documents.editor.state;
  documents.close(first, documentState(EMPTY_FLOW));
  documents.open(state);
  expect(drafts.get(PLACE, 1)).toBeUndefined();
});

it("lists the drafts of the shown flow until they are outdated", () => {
  const { documents, first, other, drafts } = twoDocuments();
  drafts.set(PLACE, draftFor(undefined));
  const listed = () => drafts.ofNodes(documents.editor.state).map(({ node, problem }) => `${node}: ${problem}`);
  expect(listed()).toEqual(["pick: Oops."]);
  documents.show(other);
  expect(listed()).toEqual([]);
  documents.show(first);
  documents.editor.setConfig("pick", ["value"], 7);
  expect(listed()).toEqual([]);
  drafts.drop(PLACE);
  expect(drafts.store.getState().size).toBe(0);
});

it("lists no draft of a node or an item that is gone", () => {
  const { documents, first, drafts } = twoDocuments();
  documents.show(first);
  const { editor } = documents;
  const item = { node: "pick", path: ["list", 0, "body"] };
  editor.setConfig("pick", ["list"], [{}]);
  drafts.set(PLACE, draftFor(undefined));
  drafts.set(item, draftFor(undefined));
  expect(drafts.ofNodes(editor.state)).toHaveLength(2);
  editor.setConfig("pick", ["list"], []);
  expect(drafts.ofNodes(editor.state)).toHaveLength(1);
  editor.edit("Delete", (flow) => ({ ...flow, nodes: {} }));
  expect(drafts.ofNodes(editor.state)).toEqual([]);
});

it("keeps the draft of a deleted node for the undoing of that, not for a new node with its ID", () => {
  const { documents, first, drafts } = twoDocuments();
  documents.show(first);
  const { editor } = documents;
  const add = () => editor.edit("Add", (flow) => ({ ...flow, nodes: { pick: { type: "value" } } }));
  drafts.set(PLACE, draftFor(undefined));
  editor.edit("Delete", (flow) => ({ ...flow, nodes: {} }));
  editor.undo();
  expect(drafts.get(PLACE, undefined)).toBe("{oops");
  editor.edit("Delete", (flow) => ({ ...flow, nodes: {} }));
  add();
  expect(drafts.get(PLACE, undefined)).toBeUndefined();
  editor.undo();
  editor.undo();
  expect(drafts.get(PLACE, undefined)).toBe("{oops");
});

it("keeps a draft inside of a deleted node for the undoing of that, not for a new node with its ID", () => {
  const { documents, drafts } = twoDocuments();
  const { editor } = documents;
  const inner = { ...EMPTY_FLOW, nodes: { pick: { type: "value" } } };
  const outer = { outer: { type: "subflow", config: { flow: inner } } };
  editor.edit("Add", (flow) => ({ ...flow, nodes: outer }));
  editor.openInner("outer");
  drafts.set(PLACE, draftFor(undefined));
  editor.closeInner();
  editor.edit("Delete", (flow) => ({ ...flow, nodes: {} }));
  editor.edit("Add", (flow) => ({ ...flow, nodes: structuredClone(outer) }));
  editor.openInner("outer");
  expect(drafts.get(PLACE, undefined)).toBeUndefined();
  editor.closeInner();
  editor.undo();
  editor.undo();
  editor.openInner("outer");
  expect(drafts.get(PLACE, undefined)).toBe("{oops");
});
