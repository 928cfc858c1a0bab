import { expect, it, vi } from "vitest";
import { tauriHost } from "./tauri";

const { invoke } = vi.hoisted(() => ({ invoke: vi.fn() }));
vi.mock("@tauri-apps/api/core", () => ({ invoke, Channel: class {} }));

it("asks the host for nothing that is in the page, and for it when it is asked again", async () => {
  document.body.innerHTML = `<script type="application/json" id="first-replies">{"users.list":{"current":"ada","names":["ada"]}}</script>`;
  invoke.mockResolvedValue({ current: "grace", names: ["ada", "grace"] });
  const host = tauriHost();
  await host.opened(() => undefined);
  expect(await host.call("users.list", {})).toEqual({ current: "ada", names: ["ada"] });
  expect(invoke).not.toHaveBeenCalled();
  expect(await host.call("users.list", {})).toEqual({ current: "grace", names: ["ada", "grace"] });
  expect(invoke).toHaveBeenCalledExactlyOnceWith("rpc", { name: "users.list", args: {} });
});

it("asks for everything where the page came before the host was open", async () => {
  document.body.innerHTML = "";
  invoke.mockReset().mockResolvedValue([]);
  const host = tauriHost();
  await host.opened(() => undefined);
  await host.call("nodes.list", {});
  expect(invoke.mock.calls.map(([command]) => command)).toEqual(["opened", "rpc"]);
});
