/** Which connections are allowed, with a reason for the user if not. */
import type { CheckedFlow, Edge, EdgeId, Flow, NodeDescriptor, NodeId, PortKind, PortType } from "@/bindings";
import type { NodeTypes } from "./node-types";
import { declaredPorts, type End, feeds, findPort, type Side } from "./ports";

const STRAND: Record<PortKind, string> = { context: "a context", data: "data", tools: "tools" };
const TYPE: Record<PortType, string> = {
  any: "anything",
  text: "text",
  number: "a number",
  boolean: "true or false",
  list: "a list",
  object: "an object",
};

/** The edge between two ends, in either order; undefined if both are on the same side. */
export function edgeBetween(a: End, b: End): Edge | undefined {
  if (a.side === b.side) return undefined;
  const [from, to] = a.side === "out" ? [a, b] : [b, a];
  return { source: from.node, sourceOutput: from.port, target: to.node, targetInput: to.port };
}

/** Why two ends can't be connected; undefined if they can. `except` is an edge that is being moved. */
export function refusal(
  types: NodeTypes,
  flow: Flow,
  checked: CheckedFlow,
  a: End,
  b: End,
  except?: EdgeId,
): string | undefined {
  const edge = edgeBetween(a, b);
  if (!edge) {
    return a.side === "out"
      ? "Both are outputs. Connect an output to an input."
      : "Both are inputs. Connect an input to an output.";
  }
  const misfit = whyNot(types, flow, checked, edge);
  if (misfit) return misfit;
  const twice = Object.entries(flow.edges).some(([id, other]) => id !== except && sameEnds(other, edge));
  return twice ? "These ports are already connected." : undefined;
}

/** All ends in the flow that one end may be connected to, in the order of the flow's nodes. */
export function partners(types: NodeTypes, flow: Flow, checked: CheckedFlow, end: End): End[] {
  const there = new Set(Object.values(flow.edges).map(key));
  return Object.keys(flow.nodes).flatMap((node) => fitting(types, flow, checked, end, node, there));
}

/** The ends on one node that one end may be connected to. */
export function partnersOn(types: NodeTypes, flow: Flow, checked: CheckedFlow, end: End, node: NodeId): End[] {
  return fitting(types, flow, checked, end, node, new Set(Object.values(flow.edges).map(key)));
}

function fitting(
  types: NodeTypes,
  flow: Flow,
  checked: CheckedFlow,
  end: End,
  node: NodeId,
  there: ReadonlySet<string>,
): End[] {
  const ports = declaredPorts(types, flow, checked, node);
  const side: Side = end.side === "out" ? "in" : "out";
  const found: End[] = [];
  for (const { name } of (side === "in" ? ports?.inputs : ports?.outputs) ?? []) {
    const other: End = { node, side, port: name };
    const edge = edgeBetween(end, other);
    if (edge && !there.has(key(edge)) && whyNot(types, flow, checked, edge) === undefined) found.push(other);
  }
  return found;
}

/** Why the ports of an edge are incompatible; undefined if they are compatible. */
function whyNot(types: NodeTypes, flow: Flow, checked: CheckedFlow, edge: Edge): string | undefined {
  const from = port(types, flow, checked, { node: edge.source, side: "out", port: edge.sourceOutput });
  const to = port(types, flow, checked, { node: edge.target, side: "in", port: edge.targetInput });
  if (typeof from === "string") return from;
  if (typeof to === "string") return to;
  if (from.kind !== to.kind) {
    return `“${edge.sourceOutput}” provides ${STRAND[from.kind]}, but “${edge.targetInput}” accepts ${STRAND[to.kind]}.`;
  }
  if (from.kind === "data" && !feeds(from.type, to.type)) {
    return `“${edge.sourceOutput}” provides ${TYPE[from.type]}, but “${edge.targetInput}” accepts ${TYPE[to.type]}.`;
  }
  return undefined;
}

/** The best port of a node type for an end; undefined if none is compatible. */
export function fittingPort(type: NodeDescriptor, kind: PortKind, valueType: PortType, side: End["side"]) {
  if (side === "out") {
    const inputs = type.ports.inputs.filter(
      (port) => port.kind === kind && (kind !== "data" || feeds(valueType, port.type)),
    );
    return inputs.find((port) => port.required) ?? inputs[0];
  }
  // An error output fits any object or anything, yet is seldom what is meant.
  const outputs = type.ports.outputs.filter(
    (port) => port.kind === kind && (kind !== "data" || feeds(port.type, valueType)),
  );
  return outputs.find((port) => port.name !== "error");
}

function port(
  types: NodeTypes,
  flow: Flow,
  checked: CheckedFlow,
  end: End,
): { kind: PortKind; type: PortType } | string {
  const found = findPort(declaredPorts(types, flow, checked, end.node), end.side, end.port);
  if (found) return found;
  const type = flow.nodes[end.node]?.type ?? "";
  return types.byType.has(type)
    ? `${name(flow, end.node)} has no ${end.side === "in" ? "input" : "output"} “${end.port}” with this config.`
    : `The node type “${type}” is not known here, so nothing can be connected to it.`;
}

function name(flow: Flow, id: NodeId): string {
  return `“${flow.nodes[id]?.title ?? id}”`;
}

/** Called for every edge at each pointer move, so it compares without building strings. */
function sameEnds(a: Edge, b: Edge): boolean {
  return (
    a.source === b.source &&
    a.target === b.target &&
    a.sourceOutput === b.sourceOutput &&
    a.targetInput === b.targetInput
  );
}

/** One text for both ends of an edge. */
function key(edge: Edge): string {
  return JSON.stringify([edge.source, edge.sourceOutput, edge.target, edge.targetInput]);
}
