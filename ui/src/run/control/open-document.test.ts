import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Flow } from "@/bindings";
import type { FlowEditor } from "@/flow/document/editor";
import { documentState } from "@/flow/document/flow-state";
import type { FlowFiles } from "@/flow/files/files";
import { createRunParts, type RunParts } from "@/run/test-parts";
import type { RunControl } from "./control";

const named = (name: string): Flow => ({ version: 1, name, nodes: {}, edges: {}, layout: {} });

/** A host with replies that the test controls. */
let answers: Map<string, (reply: unknown) => void>;
let editor: FlowEditor;
let files: FlowFiles;
let documents: RunParts["documents"];
let stop: () => void;
let runs: RunControl;

beforeEach(() => {
  answers = new Map();
  ({ editor, files, documents, runs } = createRunParts({
    call: (name, args) =>
      new Promise((resolve) => {
        answers.set(`${name} ${Object.values(args as object).join()}`, resolve as (reply: unknown) => void);
      }),
  }));
  editor.open(documentState(named("blank")));
  stop = runs.followDocument();
});
afterEach(() => stop());

async function answer(call: string, reply: unknown): Promise<void> {
  await vi.waitFor(() => expect(answers.has(call)).toBe(true));
  answers.get(call)?.(reply);
  await vi.waitFor(() => undefined);
}

const opened = (path: string) => ({ path, hash: "h", flow: named(path), readOnly: false });
const run = (id: string) => ({
  summary: { run: id, flowName: id, status: "finished" },
  flow: named(`flow of ${id}`),
  entries: [],
});
const displayed = () => editor.state.viewing?.run;

describe("a document that arrives late", () => {
  it("opens behind a run that was opened later", async () => {
    const opening = files.openPath("/a");
    const looking = runs.open("r1");
    await answer("runs.show r1", run("r1"));
    await looking;
    await answer("flow.open /a", opened("/a"));
    await opening;
    expect(documents.ofFile("/a")).toBeDefined();
    expect(editor.state.path).toBeUndefined();
    expect(displayed()).toBe("r1");
    expect(runs.store.getState().viewed?.run).toBe("r1");
  });

  it("opens behind a slower run that was requested later", async () => {
    const opening = files.openExample("hello");
    const looking = runs.open("r1");
    await answer("flow.example hello", named("hello"));
    await opening;
    await answer("runs.show r1", run("r1"));
    await looking;
    expect(documents.all.map(({ flow }) => flow.name)).toEqual(["blank", "hello"]);
    expect(displayed()).toBe("r1");
  });

  it("is shown in place of a run that was viewed before", async () => {
    const looking = runs.open("r1");
    await answer("runs.show r1", run("r1"));
    await looking;
    const opening = files.openPath("/a");
    await answer("flow.open /a", opened("/a"));
    await opening;
    expect(displayed()).toBeUndefined();
    expect(runs.store.getState().viewed).toBeUndefined();
  });

  it("loses to a document requested later", async () => {
    const slow = files.openPath("/slow");
    const quick = files.openPath("/quick");
    await answer("flow.open /quick", opened("/quick"));
    await quick;
    await answer("flow.open /slow", opened("/slow"));
    await slow;
    expect(editor.state.path).toBe("/quick");
  });

  it("leaves what was edited meanwhile", async () => {
    const opening = files.openPath("/a");
    await vi.waitFor(() => expect(answers.has("flow.open /a")).toBe(true));
    editor.store.setState({ flow: named("edited") });
    await answer("flow.open /a", opened("/a"));
    await opening;
    expect(editor.state.path).toBe("/a");
    expect(documents.all.map(({ flow }) => flow.name)).toEqual(["edited", "/a"]);
  });
});

describe("a run that arrives late", () => {
  it("loses to a document requested later", async () => {
    const looking = runs.open("r1");
    const opening = files.openPath("/a");
    await answer("flow.open /a", opened("/a"));
    await opening;
    await answer("runs.show r1", run("r1"));
    await looking;
    expect(displayed()).toBeUndefined();
    expect(editor.state.path).toBe("/a");
  });

  it("loses to a run requested later", async () => {
    const slow = runs.open("slow");
    const quick = runs.open("quick");
    await answer("runs.show quick", run("quick"));
    await quick;
    await answer("runs.show slow", run("slow"));
    await slow;
    expect(displayed()).toBe("quick");
    expect(runs.store.getState().viewed?.run).toBe("quick");
  });
});
