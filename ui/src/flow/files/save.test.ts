import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Flow } from "@/bindings";
import type { FlowEditor } from "@/flow/document/editor";
import { documentState, isDirty } from "@/flow/document/flow-state";
import { createFlowParts, type FlowParts } from "@/flow/test-parts";
import { HostError } from "@/ipc";
import type { FlowFiles } from "./files";

const named = (name: string): Flow => ({ version: 1, name, nodes: {}, edges: {}, layout: {} });

type Call = { name: string; args: Record<string, unknown>; settle: (reply: unknown) => void };

/** Open requests to the host. */
let calls: Call[];
let editor: FlowEditor;
let files: FlowFiles;
let questions: FlowParts["questions"];

beforeEach(() => {
  calls = [];
  ({ editor, files, questions } = createFlowParts({
    call: (name, args) =>
      new Promise((resolve, reject) => {
        const settle = (reply: unknown) => (reply instanceof Error ? reject(reply) : resolve(reply as never));
        calls.push({ name, args: args as Record<string, unknown>, settle });
      }),
  }));
  editor.open(documentState(named("saved"), { path: "/a", hash: "1" }));
});
afterEach(() => questions.store.getState().settle());

const edit = (name: string) => editor.store.setState({ flow: named(name) });
const turn = () => new Promise((resolve) => setTimeout(resolve));

async function nextCall(): Promise<Call> {
  await vi.waitFor(() => expect(calls.length).toBeGreaterThan(0));
  const [call] = calls.splice(0, 1);
  if (!call) throw new Error("It was there.");
  return call;
}
const written = (path: string, hash: string) => ({ path, hash, savedAt: 0 });

describe("saving", () => {
  it("writes once when called twice at the same time", async () => {
    edit("mine");
    const both = Promise.all([files.save(), files.save()]);
    (await nextCall()).settle(written("/a", "2"));
    expect(await both).toEqual([true, true]);
    await turn();
    expect(calls).toEqual([]);
    expect(questions.store.getState().question).toBeUndefined();
  });

  it("uses the new hash for a save requested during another save", async () => {
    edit("first");
    const first = files.save();
    edit("second");
    const second = files.save();
    (await nextCall()).settle(written("/a", "2"));
    expect(await first).toBe(true);
    const next = await nextCall();
    expect(next.args).toMatchObject({ baseHash: "2", flow: named("second") });
    next.settle(written("/a", "3"));
    expect(await second).toBe(true);
    expect(editor.state.hash).toBe("3");
    expect(isDirty(editor.state)).toBe(false);
  });

  it("does not show a second dialog after the first was canceled", async () => {
    editor.open(documentState(named("new")));
    const both = Promise.all([files.save(), files.save()]);
    (await nextCall()).settle({ path: null });
    expect(await both).toEqual([false, false]);
    await turn();
    expect(calls).toEqual([]);
  });

  it("does not touch a document opened in the meantime", async () => {
    edit("mine");
    const saved = files.save();
    editor.open(documentState(named("other"), { path: "/b", hash: "9" }));
    edit("other, changed");
    (await nextCall()).settle(written("/a", "2"));
    await saved;
    expect(editor.state).toMatchObject({ path: "/b", hash: "9" });
    expect(isDirty(editor.state)).toBe(true);
  });

  it("never writes another document to the chosen path", async () => {
    const saved = files.saveAs();
    editor.open(documentState(named("other"), { path: "/b", hash: "9" }));
    (await nextCall()).settle({ path: "/chosen" });
    expect(await saved).toBe(false);
    await turn();
    expect(calls).toEqual([]);
  });

  it("never overwrites a file with a document opened during the dialog", async () => {
    edit("mine");
    const saved = files.save();
    (await nextCall()).settle(new HostError({ code: "flow.changed_on_disk", message: "Changed." }));
    await vi.waitFor(() => expect(questions.store.getState().question).toBeDefined());
    editor.open(documentState(named("other"), { path: "/b", hash: "9" }));
    questions.store.getState().settle("overwrite");
    expect(await saved).toBe(false);
    await turn();
    expect(calls).toEqual([]);
  });

  it("offers a pipeline that cannot be saved as one as a flow", async () => {
    editor.open(documentState(named("draft"), { path: "/d/talk.flow.yaml", hash: "1" }));
    edit("mine");
    const saved = files.save();
    const call = await nextCall();
    expect(call.args).toMatchObject({ path: "/d/talk.flow.yaml", source: "/d/talk.flow.yaml" });
    call.settle(new HostError({ code: "pipeline.not_expressible", message: "A pipeline cannot express it." }));
    expect(await saved).toBe(false);
    const again = files.saveAsFlow();
    const dialog = await nextCall();
    expect(dialog.args).toEqual({ suggested: "talk.flow.json" });
    dialog.settle({ path: "/d/talk.flow.json" });
    (await nextCall()).settle(written("/d/talk.flow.json", "2"));
    expect(await again).toBe(true);
    expect(editor.state.path).toBe("/d/talk.flow.json");
  });

  it("asks again about changes made during the save before it closes the document", async () => {
    edit("first");
    const may = files.close();
    questions.store.getState().settle("save");
    const call = await nextCall();
    edit("second");
    call.settle(written("/a", "2"));
    await vi.waitFor(() => expect(questions.store.getState().question).toBeDefined());
    questions.store.getState().settle();
    expect(await may).toBe(false);
  });
});
