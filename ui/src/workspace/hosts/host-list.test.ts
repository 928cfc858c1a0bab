import { expect, it } from "vitest";
import type { HostInfo } from "@/bindings";
import { type Call, HostError } from "@/ipc/host";
import { testHost } from "@/ipc/test-host";
import { HostList } from "./host-list";

const INFO: HostInfo = { version: "1", token: "ann", role: "runner", commands: [] };

it("does not keep a late answer to a former token", async () => {
  let refuse = (_: HostError) => {};
  const former = new Promise<HostInfo>((_, reject) => {
    refuse = reject;
  });
  const answers = [former, Promise.resolve(INFO)];
  const list = new HostList(
    testHost({
      call: (async (name: string) =>
        name === "hosts.list" ? [{ name: "team", url: "https://a" }] : undefined) as never,
      on: () => testHost({ call: (() => answers.shift()) as unknown as Call }),
    }),
  );
  const first = list.load();
  await Promise.resolve();
  await Promise.resolve();
  await list.add("team", "https://a", "new");
  refuse(new HostError({ code: "host.unauthorized", message: "The host does not know this token." }));
  await first;
  expect(list.store.getState().answers.team).toEqual({ info: INFO });
});
