import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Flow } from "@/bindings";
import { askStore } from "@/design/ask";
import { connect, HostError } from "@/ipc";
import { mayReplace, save, saveAs } from "./files";
import { documentState, flowStore, isDirty } from "./store";

const named = (name: string): Flow => ({ version: 1, name, nodes: {}, edges: {}, layout: {} });

type Call = { name: string; args: Record<string, unknown>; settle: (reply: unknown) => void };

/** Open requests to the host. */
let calls: Call[];

beforeEach(() => {
  calls = [];
  connect({
    call: (name, args) =>
      new Promise((resolve, reject) => {
        const settle = (reply: unknown) => (reply instanceof Error ? reject(reply) : resolve(reply as never));
        calls.push({ name, args: args as Record<string, unknown>, settle });
      }),
    watch: () => () => undefined,
    closeWindow: async () => undefined,
  });
  flowStore.setState(documentState(named("saved"), { path: "/a", hash: "1" }), true);
});
afterEach(() => askStore.getState().settle());

const edit = (name: string) => flowStore.setState({ flow: named(name) });
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
    const both = Promise.all([save(), save()]);
    (await nextCall()).settle(written("/a", "2"));
    expect(await both).toEqual([true, true]);
    await turn();
    expect(calls).toEqual([]);
    expect(askStore.getState().question).toBeUndefined();
  });

  it("uses the new hash for a save requested during another save", async () => {
    edit("first");
    const first = save();
    edit("second");
    const second = save();
    (await nextCall()).settle(written("/a", "2"));
    expect(await first).toBe(true);
    const next = await nextCall();
    expect(next.args).toMatchObject({ baseHash: "2", flow: named("second") });
    next.settle(written("/a", "3"));
    expect(await second).toBe(true);
    expect(flowStore.getState().hash).toBe("3");
    expect(isDirty(flowStore.getState())).toBe(false);
  });

  it("does not show a second dialog after the first was canceled", async () => {
    flowStore.setState(documentState(named("new")), true);
    const both = Promise.all([save(), save()]);
    (await nextCall()).settle({ path: null });
    expect(await both).toEqual([false, false]);
    await turn();
    expect(calls).toEqual([]);
  });

  it("does not touch a document opened in the meantime", async () => {
    edit("mine");
    const saved = save();
    flowStore.setState(documentState(named("other"), { path: "/b", hash: "9" }), true);
    edit("other, changed");
    (await nextCall()).settle(written("/a", "2"));
    await saved;
    expect(flowStore.getState()).toMatchObject({ path: "/b", hash: "9" });
    expect(isDirty(flowStore.getState())).toBe(true);
  });

  it("never writes another document to the chosen path", async () => {
    const saved = saveAs();
    flowStore.setState(documentState(named("other"), { path: "/b", hash: "9" }), true);
    (await nextCall()).settle({ path: "/chosen" });
    expect(await saved).toBe(false);
    await turn();
    expect(calls).toEqual([]);
  });

  it("never overwrites a file with a document opened during the dialog", async () => {
    edit("mine");
    const saved = save();
    (await nextCall()).settle(new HostError({ code: "flow.changed_on_disk", message: "Changed." }));
    await vi.waitFor(() => expect(askStore.getState().question).toBeDefined());
    flowStore.setState(documentState(named("other"), { path: "/b", hash: "9" }), true);
    askStore.getState().settle("overwrite");
    expect(await saved).toBe(false);
    await turn();
    expect(calls).toEqual([]);
  });

  it("asks again about changes made during the save before it replaces the document", async () => {
    edit("first");
    const may = mayReplace();
    askStore.getState().settle("save");
    const call = await nextCall();
    edit("second");
    call.settle(written("/a", "2"));
    await vi.waitFor(() => expect(askStore.getState().question).toBeDefined());
    askStore.getState().settle();
    expect(await may).toBe(false);
  });
});
