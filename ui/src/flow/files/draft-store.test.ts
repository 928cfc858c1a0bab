import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Flow, PutAutosave } from "@/bindings";
import type { FlowEditor } from "@/flow/document/editor";
import { documentState } from "@/flow/document/flow-state";
import { createFlowParts, type FlowParts } from "@/flow/test-parts";
import type { FlowFiles } from "./files";

const named = (name: string): Flow => ({ version: 1, name, nodes: {}, edges: {}, layout: {} });

/** The drafts that the host holds, by key. */
let drafts: Map<string, PutAutosave>;
/** The hash of every file. */
let hash: string;
/** The action when a file is opened; it may take a while or fail. */
let onOpen: () => Promise<void> | void;
/** The file that another window has open. */
let elsewhere: string | undefined;
let editor: FlowEditor;
let files: FlowFiles;
let documents: FlowParts["documents"];
let questions: FlowParts["questions"];
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  drafts = new Map();
  hash = "1";
  onOpen = () => undefined;
  elsewhere = undefined;
  const commands: Record<string, (args: never) => unknown> = {
    "autosave.put": (draft: PutAutosave) => drafts.set(draft.key, draft),
    "autosave.drop": ({ key }: { key: string }) => drafts.delete(key),
    "flow.open": async ({ path }: { path: string }) => {
      const recovered = [...drafts.values()].find((draft) => draft.path === path);
      await onOpen();
      return { path, hash, flow: named(path), readOnly: false, recovered };
    },
  };
  const parts = createFlowParts({
    call: async (name, args) => commands[name]?.(args as never) as never,
    showElsewhere: async (path) => path === elsewhere,
  });
  ({ editor, files, documents, questions } = parts);
  editor.open(documentState(named("/a"), { path: "/a", hash: "1" }));
  stop = parts.drafts.follow();
});
afterEach(() => {
  stop();
  questions.store.getState().settle();
  vi.useRealTimers();
});

const edit = (name: string) => editor.store.setState({ flow: named(name) });
const soon = () => vi.advanceTimersByTimeAsync(10);
const later = () => vi.advanceTimersByTimeAsync(5000);
const draftNames = () => [...drafts.values()].map((draft) => draft.flow.name);

/** Answers the open dialog. */
async function choose(choice?: string): Promise<void> {
  await soon();
  expect(questions.store.getState().question).toBeDefined();
  questions.store.getState().settle(choice);
  await soon();
}

describe("a draft", () => {
  it("is stored for unsaved changes", async () => {
    edit("mine");
    await later();
    expect(draftNames()).toEqual(["mine"]);
  });

  it("is gone as soon as its changes are saved, and not a second later", async () => {
    edit("mine");
    await later();
    const { flow } = editor.store.getState();
    editor.store.setState({ saved: flow, hash: "2" });
    await soon();
    expect(draftNames()).toEqual([]);
  });

  it("is stored while somebody types without a pause", async () => {
    for (const name of ["m", "mi", "min", "mine"]) {
      edit(name);
      await vi.advanceTimersByTimeAsync(300);
    }
    expect(draftNames()).toEqual(["mine"]);
  });

  it("is not offered after its changes were discarded and the file is opened again", async () => {
    edit("mine");
    await later();
    const closing = files.close();
    await choose("discard");
    await closing;
    await files.openPath("/a");
    expect(questions.store.getState().question).toBeUndefined();
    expect(editor.state.flow.name).toBe("/a");
    expect(draftNames()).toEqual([]);
  });

  it("is not offered for changes that were undone", async () => {
    edit("mine");
    await later();
    editor.store.setState(({ saved }) => ({ flow: saved }));
    await files.close();
    await files.openPath("/a");
    expect(questions.store.getState().question).toBeUndefined();
  });

  it("is dropped when the window closes without saving", async () => {
    edit("mine");
    await later();
    edit("mine, and more");
    const closing = files.mayCloseAll();
    await choose("discard");
    expect(await closing).toBe(true);
    expect(draftNames()).toEqual([]);
    window.dispatchEvent(new Event("pagehide"));
    await later();
    expect(draftNames()).toEqual([]);
  });

  it("stays when a later document keeps the window open", async () => {
    edit("mine");
    await later();
    await files.openPath("/b");
    edit("mine, too");
    await later();
    const closing = files.mayCloseAll();
    await choose("discard");
    await choose();
    expect(await closing).toBe(false);
    expect(draftNames()).toEqual(["mine", "mine, too"]);
  });

  it("does not overwrite a file that changed since it was stored", async () => {
    edit("mine");
    await later();
    // The process is gone; another program writes the file.
    editor.open(documentState(named(""), {}));
    await soon();
    drafts.set("lost", { key: "lost", path: "/a", baseHash: "1", flow: named("mine") });
    hash = "2";
    const opening = files.openPath("/a");
    await choose("restore");
    await opening;
    expect(editor.state).toMatchObject({ key: "lost", flow: named("mine"), hash: "1" });
  });

  it("stays while another document is shown, and is written before that", async () => {
    edit("mine");
    await files.openPath("/b");
    await soon();
    expect(editor.state.flow.name).toBe("/b");
    expect(draftNames()).toEqual(["mine"]);
    await later();
    expect(draftNames()).toEqual(["mine"]);
  });

  it("of a file that another window has open is not offered, and the file is shown there", async () => {
    drafts.set("theirs", { key: "theirs", path: "/b", baseHash: "1", flow: named("theirs") });
    elsewhere = "/b";
    await files.openPath("/b");
    expect(questions.store.getState().question).toBeUndefined();
    expect(documents.ofFile("/b")).toBeUndefined();
    expect(draftNames()).toEqual(["theirs"]);
  });

  it("is restored into its document, also behind another one", async () => {
    editor.open(documentState(named("shown"), { path: "/shown", hash: "1" }));
    drafts.set("lost", { key: "lost", path: "/b", baseHash: "1", flow: named("mine") });
    const opening = files.reopen("/b", true);
    await choose("restore");
    await opening;
    expect(editor.state.flow.name).toBe("shown");
    expect(documents.ofFile("/b")).toMatchObject({ key: "lost", flow: named("mine") });
  });
});
