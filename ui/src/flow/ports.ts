/** The ports of the nodes on the canvas: from `flow.check`, or the node type, or as implied by their edges. */
import type {
  CheckedFlow,
  Edge,
  Flow,
  InputPort,
  NodeId,
  OutputPort,
  PortKind,
  PortName,
  Ports,
  PortType,
} from "@/bindings";
import type { NodeTypes } from "./node-types";

export type Side = "in" | "out";
/** One port of one node, as the canvas addresses it. */
export type End = { node: NodeId; side: Side; port: PortName };

const NO_PORTS: Ports = { inputs: [], outputs: [] };

/** The ports a node declares; undefined for unknown types. */
export function declaredPorts(types: NodeTypes, flow: Flow, checked: CheckedFlow, id: NodeId): Ports | undefined {
  const node = flow.nodes[id];
  if (!node) return undefined;
  const known = checked.ports[id];
  return known ?? types.byType.get(node.type)?.ports;
}

/** A node's ports as they are drawn: the declared ones, then those that only an edge names. */
export function drawnPorts(declared: Ports | undefined, touching: readonly Edge[], id: NodeId): Ports {
  const base = declared ?? NO_PORTS;
  const inputs = new Set(base.inputs.map((port) => port.name));
  const outputs = new Set(base.outputs.map((port) => port.name));
  let implied: Ports | undefined;
  for (const edge of touching) {
    if (edge.target === id && !inputs.has(edge.targetInput)) {
      inputs.add(edge.targetInput);
      implied ??= { inputs: [...base.inputs], outputs: [...base.outputs] };
      implied.inputs.push(impliedInput(edge.targetInput));
    }
    if (edge.source === id && !outputs.has(edge.sourceOutput)) {
      outputs.add(edge.sourceOutput);
      implied ??= { inputs: [...base.inputs], outputs: [...base.outputs] };
      implied.outputs.push(impliedOutput(edge.sourceOutput));
    }
  }
  return implied ?? base;
}

export function findPort(ports: Ports | undefined, side: Side, name: PortName): InputPort | OutputPort | undefined {
  return (side === "in" ? ports?.inputs : ports?.outputs)?.find((port) => port.name === name);
}

/** Whether a value of one type may feed an input of another: the engine's rule, see its `PortType::feeds`. */
export function feeds(output: PortType, input: PortType): boolean {
  if (output === input || output === "any" || input === "any") return true;
  return input === "text" && (output === "number" || output === "boolean");
}

/** The strand of an edge, taken from its ports; a data edge where neither end is known. */
export function edgeKind(types: NodeTypes, flow: Flow, checked: CheckedFlow, edge: Edge): PortKind {
  const out = findPort(declaredPorts(types, flow, checked, edge.source), "out", edge.sourceOutput);
  if (out) return out.kind;
  const input = findPort(declaredPorts(types, flow, checked, edge.target), "in", edge.targetInput);
  return input?.kind ?? guessKind(edge.sourceOutput);
}

/** What a port's name suggests, where its node's type is unknown. */
export function guessKind(name: PortName): PortKind {
  if (/context/i.test(name)) return "context";
  return /^tools?$/i.test(name) ? "tools" : "data";
}

function impliedInput(name: PortName): InputPort {
  return { name, kind: guessKind(name), type: "any", required: false, many: false, description: "" };
}

function impliedOutput(name: PortName): OutputPort {
  return { name, kind: guessKind(name), type: "any", description: "" };
}
