import { expect, test } from "vitest";
import type { Flow } from "@/bindings";
import { EMPTY_FLOW, UNCHECKED } from "@/flow/document/flow-state";
import { NO_NODE_TYPES } from "@/flow/node-types/node-types";
import { quickFix } from "./diagnostics";

const marked: Flow = {
  ...EMPTY_FLOW,
  nodes: {
    a: { type: "chat", unconfirmed: [{ kind: "neverStarted" }, { kind: "edgeLost", after: "Create" }] },
    b: { type: "text" },
  },
};

const fix = (flow: Flow, code: string, node?: string) => quickFix(NO_NODE_TYPES, flow, UNCHECKED, { code, node });

test("confirming an import removes the marks of its kind and leaves the rest of the flow", () => {
  const order = fix(marked, "import.edge_lost", "a");
  expect(order?.label).toBe("Confirm order");
  expect(order?.flow.nodes).toEqual({ ...marked.nodes, a: { type: "chat", unconfirmed: [{ kind: "neverStarted" }] } });
  const both = order && fix(order.flow, "import.never_started", "a");
  expect(both?.label).toBe("Confirm that it runs");
  expect(both?.flow.nodes.a).toEqual({ type: "chat" });
});

test("offers no confirmation where there is nothing to confirm", () => {
  expect(fix(marked, "import.edge_lost", "b")).toBeUndefined();
  expect(fix(marked, "import.edge_lost")).toBeUndefined();
  expect(fix(marked, "import.placeholder", "a")).toBeUndefined();
});
