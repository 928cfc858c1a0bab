import { expect, it, vi } from "vitest";
import { testHost } from "@/ipc/test-host";
import { UserStore } from "./users";

function usersOf(replies: Record<string, unknown>) {
  const calls: unknown[] = [];
  const host = testHost({
    call: ((name: string, args: unknown) => {
      calls.push([name, args]);
      return Promise.resolve(replies[name]);
    }) as never,
  });
  const onSwitch = vi.fn();
  return { users: new UserStore(host, onSwitch, { acceptAction: () => undefined }), onSwitch, calls };
}

it("switching another user tells the window, the same user nobody", async () => {
  const { users, onSwitch, calls } = usersOf({
    "users.list": { current: "local", names: ["ada", "local"] },
    "users.switch": { current: "ada", names: ["ada", "local"] },
  });
  await users.load();
  expect(onSwitch).not.toHaveBeenCalled();
  await users.switchTo("local");
  expect(calls).toHaveLength(1);
  await users.switchTo("ada");
  expect(calls[1]).toEqual(["users.switch", { name: "ada" }]);
  expect(users.store.getState().current).toBe("ada");
  expect(onSwitch).toHaveBeenCalledOnce();
});

it("removing another user keeps the current one", async () => {
  const { users, onSwitch, calls } = usersOf({
    "users.list": { current: "local", names: ["ada", "local"] },
    "users.remove": { current: "local", names: ["local"] },
  });
  await users.load();
  await users.remove("ada", true);
  expect(calls[1]).toEqual(["users.remove", { name: "ada", eraseMemories: true }]);
  expect(users.store.getState().names).toEqual(["local"]);
  expect(onSwitch).not.toHaveBeenCalled();
});
