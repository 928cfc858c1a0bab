import { expect, it, vi } from "vitest";
import type { Flow } from "@/bindings";
import { documentState, EMPTY_FLOW, type FlowState, startState } from "@/flow/document/flow-state";
import { testHost } from "@/ipc/test-host";
import { type KnownFlows, readKnownFlows } from "./known-flows";

const named = (name: string): Flow => ({ ...EMPTY_FLOW, name });
const recent = (path: string, missing = false) => ({ path, name: path, openedAt: 0, missing });

function hostWith(paths: readonly string[], nearby: readonly string[], read: (path: string) => Promise<Flow>) {
  return testHost({
    call: async (name, args) => {
      const { path = "", id = "" } = args as { path?: string; id?: string };
      if (name === "flow.recent") return [...paths.map((one) => recent(one)), recent("/gone", true)] as never;
      if (name === "flow.nearby") return nearby as never;
      if (name === "templates.list")
        return [
          { id: "t", name: "Brief", description: "", savedAt: 0 },
          { id: "bad", problem: "damaged" },
        ] as never;
      if (name === "templates.open") return named(id) as never;
      if (name === "flow.read") return (await read(path)) as never;
      throw new Error(`${name} is not expected.`);
    },
  });
}

async function readAll(host: ReturnType<typeof testHost>, documents: readonly FlowState[] = []): Promise<KnownFlows> {
  let known: KnownFlows | undefined;
  await readKnownFlows(host, {
    documents,
    signal: new AbortController().signal,
    onProgress: (now) => {
      known = now;
    },
  });
  if (!known) throw new Error("It always reports.");
  return known;
}

it("lists tabs, recent files, files beside them and templates, each file once", async () => {
  const read = vi.fn(async (path: string) => named(path));
  const edited = { ...documentState(named("mine"), { path: "/a" }), flow: named("edited") };
  const known = await readAll(hostWith(["/a", "/b"], ["/b", "/c"], read), [edited, startState()]);
  expect(known.flows.map(({ name }) => name)).toEqual(["edited", "/b", "/c", "Brief"]);
  expect(known.flows[0]).toMatchObject({ isDirty: true, path: "/a" });
  expect(read.mock.calls).toEqual([["/b"], ["/c"]]);
});

it("counts what cannot be read", async () => {
  const host = hostWith(["/a", "/b"], [], async (path) => {
    if (path === "/a") throw new Error("no flow");
    return named(path);
  });
  expect(await readAll(host)).toMatchObject({ read: 4, total: 4, unreadable: 2 });
});

it("reads four files at a time, and no more once aborted", async () => {
  const open: (() => void)[] = [];
  const read = vi.fn((path: string) => new Promise<Flow>((resolve) => open.push(() => resolve(named(path)))));
  const host = hostWith(["/1", "/2", "/3", "/4", "/5", "/6"], [], read);
  const abort = new AbortController();
  const progress = vi.fn();
  const done = readKnownFlows(host, { documents: [], signal: abort.signal, onProgress: progress });
  await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(4));
  open.shift()?.();
  await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(5));
  abort.abort();
  const reports = progress.mock.calls.length;
  for (const settle of open) settle();
  await done;
  expect(read).toHaveBeenCalledTimes(5);
  expect(progress).toHaveBeenCalledTimes(reports);
});
