/** For tests of converting to sub-flows and back: short flows, and their node types. */
import type { Flow, Node, NodeDescriptor } from "@/bindings";
import descriptors from "@/bindings/nodes.json";
import { UNCHECKED } from "@/flow/document/flow-state";
import { indexNodeTypes } from "@/flow/node-types/node-types";
import type { SubflowParts } from "./subflow-border";

export const SUBFLOW_PARTS: SubflowParts = {
  types: indexNodeTypes(descriptors as unknown as NodeDescriptor[]),
  checked: UNCHECKED,
  sizeOf: () => ({ width: 208, height: 80 }),
  nameOf: (flow, id) => flow.nodes[id]?.title ?? id,
};

/** A flow of nodes in a row, with edges written `source.output>target.input`. */
export function flowOf(nodes: Record<string, Node>, edges: readonly string[] = []): Flow {
  const parsed = edges.map((text) => {
    const [source = "", sourceOutput = "", target = "", targetInput = ""] = text.split(/[.>]/);
    return [text, { source, sourceOutput, target, targetInput }] as const;
  });
  const layout = Object.fromEntries(Object.keys(nodes).map((id, at) => [id, { x: 300 * at, y: 90 }]));
  return { version: 1, name: "", nodes, edges: Object.fromEntries(parsed), layout };
}
