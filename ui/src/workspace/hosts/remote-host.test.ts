import { expect, it, vi } from "vitest";
import { createStore } from "zustand/vanilla";
import type { HostInfo } from "@/bindings";
import { DialogRequests } from "@/design/dialogs/dialog-requests";
import { type Call, HostError } from "@/ipc/host";
import { testHost } from "@/ipc/test-host";
import { type FileRequest, withHostFiles } from "./host-files";
import { type Remote, RemoteHost } from "./remote-host";

const INFO: HostInfo = { version: "1", token: "ann", role: "runner", commands: ["run.answer"] };
const GONE = new HostError({ code: "hosts.unreachable", message: "It is gone." });

it("knows when the host is lost and when it is back, and what its token may do", async () => {
  let turn = { changed: () => {}, lost: (_: HostError) => {} };
  const replies: Record<string, unknown> = { "host.about": INFO, "app.info": { providers: ["openai"] } };
  const host = testHost({
    call: (async (name: string) => replies[name]) as unknown as Call,
    watchRuns: (changed, lost = () => {}) => {
      turn = { changed, lost };
      return () => {};
    },
  });
  const back = vi.fn();
  const remote = new RemoteHost(
    createStore<Remote>(() => ({})),
    host,
    "team",
    back,
  );
  const state = () => remote.store.getState();
  expect(remote.may("published.publish")).toBe(true);
  remote.follow();
  turn.changed();
  await vi.waitFor(() => expect(state()).toEqual({ info: INFO, problem: undefined, providers: ["openai"] }));
  expect([remote.may("run.answer"), remote.may("published.publish")]).toEqual([true, false]);
  turn.lost(GONE);
  expect([state().lost, back.mock.calls.length]).toEqual([GONE, 0]);
  turn.changed();
  expect([state().lost, back.mock.calls.length]).toEqual([undefined, 1]);
});

it("asks a host that answers, but does not say what it is, until it does", async () => {
  vi.useFakeTimers();
  const refused = new HostError({ code: "host.unauthorized", message: "The host does not know this token." });
  const about = vi.fn().mockRejectedValueOnce(refused).mockResolvedValue(INFO);
  let changed = () => {};
  const host = testHost({
    call: (async (name: string) => (name === "host.about" ? about() : { providers: [] })) as unknown as Call,
    watchRuns: (onChange) => {
      changed = onChange;
      return () => {};
    },
  });
  const remote = new RemoteHost(
    createStore<Remote>(() => ({})),
    host,
    "team",
    () => {},
  );
  remote.follow();
  changed();
  await vi.advanceTimersByTimeAsync(0);
  expect(remote.store.getState().problem).toBe(refused);
  await vi.advanceTimersByTimeAsync(2000);
  expect(remote.store.getState()).toMatchObject({ info: INFO, problem: undefined });
  expect(about).toHaveBeenCalledTimes(2);
  vi.useRealTimers();
});

it("has a person choose files of the host in place of those of this machine", async () => {
  const requests = new DialogRequests<FileRequest, string>();
  const asked = vi.fn();
  const host = withHostFiles(testHost({ call: asked as unknown as Call }), requests);
  const opening = host.call("dialog.open", {});
  expect(requests.store.getState().request).toEqual({ kind: "open", title: undefined });
  requests.store.getState().settle("a.flow.json");
  expect(await opening).toEqual({ path: "a.flow.json" });
  const saving = host.call("dialog.save", { suggested: "b.flow.json" });
  await vi.waitFor(() => expect(requests.store.getState().request?.kind).toBe("save"));
  requests.store.getState().settle();
  expect(await saving).toEqual({ path: null });
  await expect(host.call("dialog.folder", {})).rejects.toThrow("cannot be chosen");
  expect(asked).not.toHaveBeenCalled();
});
