import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { NodeDescriptor, Ports } from "@/bindings";
import { documentState, EMPTY_FLOW, UNCHECKED } from "@/flow/document/flow-state";
import { createFlowParts, type FlowParts } from "@/flow/test-parts";
import { keepChecked } from "./check";

let parts: FlowParts;
let stop: () => void;
const call = vi.fn(async () => UNCHECKED as never);

beforeEach(async () => {
  vi.useFakeTimers();
  parts = createFlowParts({ call });
  parts.editor.open(documentState({ ...EMPTY_FLOW, name: "mine" }, { path: "/a/mine.flow.json" }));
  stop = keepChecked(parts);
  await vi.advanceTimersByTimeAsync(1000);
  call.mockClear();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

test("checks a flow again when its path changes", async () => {
  parts.editor.store.setState({ hash: "1" });
  await vi.advanceTimersByTimeAsync(1000);
  expect(call).not.toHaveBeenCalled();
  parts.editor.store.setState({ path: "/b/mine.flow.json" });
  await vi.advanceTimersByTimeAsync(1000);
  expect(call).toHaveBeenCalledExactlyOnceWith("flow.check", expect.objectContaining({ path: "/b/mine.flow.json" }));
});

const ports = (name: string): Ports => ({
  inputs: [{ name, kind: "data", type: "any", required: false, many: false, description: "" }],
  outputs: [],
});

test("keeps port objects that a check did not change", async () => {
  parts.nodeTypes.set([{ type: "plain", ports: ports("of the type"), editor: {} } as NodeDescriptor]);
  const nodes = { a: { type: "plain" }, b: { type: "plain" } };
  const check = async (b: Ports, title: string) => {
    call.mockResolvedValueOnce({ ...UNCHECKED, ports: { a: ports("of the type"), b } } as never);
    parts.editor.store.setState({ flow: { ...EMPTY_FLOW, nodes: { ...nodes, a: { type: "plain", title } } } });
    await vi.advanceTimersByTimeAsync(1000);
    return parts.editor.state.checked.ports;
  };
  const first = await check(ports("x"), "1");
  expect(first.a).toBe(parts.nodeTypes.get("plain")?.ports);
  const second = await check(ports("x"), "2");
  expect(second.b).toBe(first.b);
  const third = await check(ports("y"), "3");
  expect(third.b).toEqual(ports("y"));
});
