import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { NodeDescriptor, Ports } from "@/bindings";
import { connect } from "@/ipc";
import { keepChecked } from "./check";
import { nodeType, setNodeTypes } from "./node-types";
import { documentState, EMPTY_FLOW, flowStore, UNCHECKED } from "./store";

let stop: () => void;
const call = vi.fn(async () => UNCHECKED as never);

beforeEach(async () => {
  vi.useFakeTimers();
  connect({ call, watch: () => () => undefined, closeWindow: async () => undefined });
  flowStore.setState(documentState({ ...EMPTY_FLOW, name: "mine" }, { path: "/a/mine.flow.json" }), true);
  stop = keepChecked();
  await vi.advanceTimersByTimeAsync(1000);
  call.mockClear();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

test("checks a flow again when its path changes", async () => {
  flowStore.setState({ hash: "1" });
  await vi.advanceTimersByTimeAsync(1000);
  expect(call).not.toHaveBeenCalled();
  flowStore.setState({ path: "/b/mine.flow.json" });
  await vi.advanceTimersByTimeAsync(1000);
  expect(call).toHaveBeenCalledExactlyOnceWith("flow.check", expect.objectContaining({ path: "/b/mine.flow.json" }));
});

const ports = (name: string): Ports => ({
  inputs: [{ name, kind: "data", type: "any", required: false, many: false, description: "" }],
  outputs: [],
});

test("keeps port objects that a check did not change", async () => {
  setNodeTypes([{ type: "plain", ports: ports("of the type") } as NodeDescriptor]);
  const nodes = { a: { type: "plain" }, b: { type: "plain" } };
  const check = async (b: Ports, title: string) => {
    call.mockResolvedValueOnce({ ...UNCHECKED, ports: { a: ports("of the type"), b } } as never);
    flowStore.setState({ flow: { ...EMPTY_FLOW, nodes: { ...nodes, a: { type: "plain", title } } } });
    await vi.advanceTimersByTimeAsync(1000);
    return flowStore.getState().checked.ports;
  };
  const first = await check(ports("x"), "1");
  expect(first.a).toBe(nodeType("plain")?.ports);
  const second = await check(ports("x"), "2");
  expect(second.b).toBe(first.b);
  const third = await check(ports("y"), "3");
  expect(third.b).toEqual(ports("y"));
});
