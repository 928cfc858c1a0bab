/** Which connections are allowed, with a reason for the user if not. */
import type { CheckedFlow, Edge, EdgeId, Flow, NodeDescriptor, NodeId, PortKind, PortType } from "@/bindings";
import { innerEnds, isInBody, sideExit } from "@/flow/containers/containers";
import { specOf } from "@/flow/node-types/config-spec";
import type { NodeTypes } from "@/flow/node-types/node-types";
import { declaredPorts, type End, endsOfEdge, feeds, findPort, portsOn, type Side } from "./ports";

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
  const misfit = borderRefusal(flow, a, b) ?? whyNot(types, flow, checked, edge);
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
  // Into its body, a container has the ports inside of its border.
  const inner = isInBody(flow, end.node, node);
  for (const { name } of portsOn(ports, side, inner)) {
    const other: End = inner ? { node, side, port: name, inner } : { node, side, port: name };
    const edge = edgeBetween(end, other);
    if (edge && !there.has(key(edge)) && !borderRefusal(flow, end, other) && !whyNot(types, flow, checked, edge))
      found.push(other);
  }
  return found;
}

/** Why an edge would cross the border of a container where that has no port; undefined if it doesn't. */
export function borderRefusal(flow: Flow, a: End, b: End): string | undefined {
  const edge = edgeBetween(a, b);
  if (!edge) return undefined;
  const inner = innerEnds(flow, edge);
  const [from, to] = a.side === "out" ? [a, b] : [b, a];
  if (from.inner === true && !inner.source) return `“${from.port}” is for the nodes inside ${name(flow, from.node)}.`;
  if (to.inner === true && !inner.target) return `Only nodes inside ${name(flow, to.node)} can feed its “${to.port}”.`;
  if (!from.inner && inner.source) return `Inside ${name(flow, from.node)}, connect to the ports inside of its border.`;
  if (!to.inner && inner.target) return `From inside ${name(flow, to.node)}, connect to “next” or “exit”.`;
  const left = sideExit(flow, edge);
  return left === undefined ? undefined : `Values leave ${name(flow, left)} only by its “next”.`;
}

/** Why the ports of an edge are incompatible; undefined if they are compatible. */
function whyNot(types: NodeTypes, flow: Flow, checked: CheckedFlow, edge: Edge): string | undefined {
  const ends = endsOfEdge(flow, edge);
  const from = port(types, flow, checked, ends.from);
  const to = port(types, flow, checked, ends.to);
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
      (port) => port.kind === kind && !port.orderOnly && (kind !== "data" || feeds(valueType, port.type)),
    );
    return inputs.find((port) => port.required) ?? inputs[0];
  }
  // An error output fits any object or anything, yet is seldom meant.
  const outputs = type.ports.outputs.filter(
    (port) => port.kind === kind && (kind !== "data" || feeds(port.type, valueType)),
  );
  return outputs.find((port) => port.name !== "error");
}

/** The variable that a template of a new node begins with. */
export const TEMPLATE_VARIABLE = "value";

/** The types with a template as their subject, so that a value may be for it. */
const TEMPLATED: ReadonlySet<string> = new Set(["data", "models"]);

/** The field of a node type for a template with a variable that can take a data edge; undefined if there is none. */
export function templateField(type: NodeDescriptor, kind: PortKind, side: End["side"]): string | undefined {
  if (kind !== "data" || side !== "out" || !TEMPLATED.has(type.category)) return undefined;
  const spec = specOf(type.configSchema);
  if (spec.kind !== "object") return undefined;
  return spec.fields.find((field) => field.spec.kind === "text" && field.spec.widget === "template")?.name;
}

function port(
  types: NodeTypes,
  flow: Flow,
  checked: CheckedFlow,
  end: End,
): { kind: PortKind; type: PortType } | string {
  const found = findPort(declaredPorts(types, flow, checked, end.node), end);
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
