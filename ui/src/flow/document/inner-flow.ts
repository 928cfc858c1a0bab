/** Flows that are written inside a node of another flow, and the document as a whole while one of them is edited. */
import type { Flow, Node, NodeId } from "@/bindings";
import { FLOW_VERSION } from "@/bindings/constants";
import type { Items } from "@/flow/edits/edits";
import { setConfig } from "@/flow/edits/edits";
import type { History } from "./history";

/** The config field of a node with a flow itself, in place of the path of its file. */
export const INNER_FLOW_FIELD = "flow";

/** A flow around the one that is edited, as it was when that was opened. */
export type OuterFlow = {
  flow: Flow;
  history: History;
  selection: Items;
  /** The node with the edited flow. */
  node: NodeId;
  /** That flow before it was edited. */
  opened: Flow;
};

const EMPTY: Flow = { version: FLOW_VERSION, name: "", nodes: {}, edges: {}, layout: {} };

// An inner flow is in one outer flow only. The same whole for the same parts: what was saved is recognized by that.
const wholes = new WeakMap<Flow, { outer: OuterFlow; whole: Flow }>();

/** The outer flow with an edited inner flow in its node; the same object if that was not edited. */
export function withInner(outer: OuterFlow, inner: Flow): Flow {
  if (inner === outer.opened) return outer.flow;
  let known = wholes.get(inner);
  if (known?.outer !== outer) {
    known = { outer, whole: setConfig(outer.flow, outer.node, [INNER_FLOW_FIELD], inner) };
    wholes.set(inner, known);
  }
  return known.whole;
}

/** The flow in a node, an empty one where there is none yet; undefined for what cannot be drawn. */
export function innerFlowOf(node: Node | undefined): Flow | undefined {
  const value = node?.config?.[INNER_FLOW_FIELD];
  if (value === undefined || value === null) return EMPTY;
  if (!isRecord(value)) return undefined;
  const { nodes = {}, edges = {}, layout = {} } = value;
  if (!isRecord(nodes) || !isRecord(edges) || !isRecord(layout)) return undefined;
  const drawable =
    Object.values(nodes).every(
      (one) => isRecord(one) && typeof one.type === "string" && isOptionalRecord(one.config),
    ) &&
    Object.values(edges).every(
      (one) => isRecord(one) && EDGE_FIELDS.every((field) => typeof one[field] === "string"),
    ) &&
    Object.values(layout).every((one) => isRecord(one) && Number.isFinite(one.x) && Number.isFinite(one.y));
  if (!drawable || !isOptionalRecord(value.settings)) return undefined;
  const complete = "nodes" in value && "edges" in value && "layout" in value && "version" in value && "name" in value;
  return (complete ? value : { ...EMPTY, ...value }) as Flow;
}

const EDGE_FIELDS = ["source", "sourceOutput", "target", "targetInput"];

function isOptionalRecord(value: unknown): boolean {
  return value === undefined || isRecord(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
