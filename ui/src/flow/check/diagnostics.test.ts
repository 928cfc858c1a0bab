import { expect, test } from "vitest";
import type { Flow } from "@/bindings";
import { EMPTY_FLOW, UNCHECKED } from "@/flow/document/flow-state";
import { NO_NODE_TYPES } from "@/flow/node-types/node-types";
import { quickFix } from "./diagnostics";

const marked: Flow = {
  ...EMPTY_FLOW,
  nodes: {
    a: {
      type: "chat",
      unconfirmed: [
        { kind: "neverStarted" },
        { kind: "edgeLost", after: "Create" },
        { kind: "edgeLost", after: "Pay" },
      ],
    },
    b: { type: "text" },
  },
};

const fix = (flow: Flow, node: string | undefined, mark: number) =>
  quickFix(NO_NODE_TYPES, flow, UNCHECKED, { code: "import.edge_lost", node, pointer: `/nodes/a/unconfirmed/${mark}` });

test("confirming a difference removes its mark and leaves the others", () => {
  const order = fix(marked, "a", 1);
  expect(order?.label).toBe("Accept this order");
  const left = [{ kind: "neverStarted" }, { kind: "edgeLost", after: "Pay" }];
  expect(order?.flow.nodes).toEqual({ ...marked.nodes, a: { type: "chat", unconfirmed: left } });
  const start = order && fix(order.flow, "a", 0);
  expect(start?.label).toBe("Let this node run");
  const last = start && fix(start.flow, "a", 0);
  expect(last?.flow.nodes.a).toEqual({ type: "chat" });
});

test("offers no confirmation where there is nothing to confirm", () => {
  expect(fix(marked, "b", 0)).toBeUndefined();
  expect(fix(marked, undefined, 0)).toBeUndefined();
  expect(fix(marked, "a", 3)).toBeUndefined();
  expect(quickFix(NO_NODE_TYPES, marked, UNCHECKED, { code: "import.placeholder", node: "a" })).toBeUndefined();
});
