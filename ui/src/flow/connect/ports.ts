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
import { ERROR_PORT, FED_PORT_TYPES } from "@/bindings/constants";
import { innerEnds } from "@/flow/containers/containers";
import type { NodeTypes } from "@/flow/node-types/node-types";

export type Side = "in" | "out";
/** One port of one node, as the canvas addresses it. Ports inside a container's border lead into its body. */
export type End = { node: NodeId; side: Side; port: PortName; inner?: boolean };

/**
 * Which of the ports that most nodes have and few use have no edge: the output that carries a failure, and the input that only
 * orders the node after others. They stay hidden until they are needed.
 */
export type Unwired = "none" | "error" | "after" | "both";

const NO_PORTS: Ports = { inputs: [], outputs: [] };

/** The ports a node declares; undefined for unknown types. */
export function declaredPorts(types: NodeTypes, flow: Flow, checked: CheckedFlow, id: NodeId): Ports | undefined {
  const node = flow.nodes[id];
  if (!node) return undefined;
  const known = checked.ports[id];
  return known ?? types.byType.get(node.type)?.ports;
}

/** A node's ports as they are drawn: the declared ones, then ports that only an edge names. */
export function drawnPorts(flow: Flow, declared: Ports | undefined, touching: readonly Edge[], id: NodeId): Ports {
  const drawn = new PortList(declared ?? NO_PORTS);
  for (const edge of touching) {
    const inner = innerEnds(flow, edge);
    if (edge.target === id) drawn.addInput(edge.targetInput, inner.target);
    if (edge.source === id) drawn.addOutput(edge.sourceOutput, inner.source);
  }
  return drawn.ports;
}

/** Which of the ports that stay hidden have no edge, among the edges that touch the node. */
export function unwiredPorts(ports: Ports, touching: readonly Edge[], id: NodeId): Unwired {
  const order = ports.inputs.find((port) => port.orderOnly)?.name;
  const isAfterWired = touching.some((edge) => edge.target === id && edge.targetInput === order);
  const isErrorWired = touching.some((edge) => edge.source === id && edge.sourceOutput === ERROR_PORT);
  if (isAfterWired) return isErrorWired ? "none" : "error";
  return isErrorWired ? "after" : "both";
}

/** The ports, with ports that edges imply. The same object as long as there are none. */
class PortList {
  constructor(public ports: Ports) {}

  addInput(name: PortName, inner: boolean): void {
    const list = portsOn(this.ports, "in", inner);
    if (list.some((port) => port.name === name)) return;
    const inputs = [...(list as InputPort[]), impliedInput(name)];
    this.ports = inner ? { ...this.ports, innerInputs: inputs } : { ...this.ports, inputs };
  }

  addOutput(name: PortName, inner: boolean): void {
    const list = portsOn(this.ports, "out", inner);
    if (list.some((port) => port.name === name)) return;
    const outputs = [...(list as OutputPort[]), impliedOutput(name)];
    this.ports = inner ? { ...this.ports, innerOutputs: outputs } : { ...this.ports, outputs };
  }
}

/** The ports of a node on one side of its border. */
export function portsOn(ports: Ports | undefined, side: Side, inner = false): readonly (InputPort | OutputPort)[] {
  if (side === "in") return (inner ? ports?.innerInputs : ports?.inputs) ?? [];
  return (inner ? ports?.innerOutputs : ports?.outputs) ?? [];
}

export function findPort(
  ports: Ports | undefined,
  { side, port: name, inner }: Pick<End, "side" | "port" | "inner">,
): InputPort | OutputPort | undefined {
  return portsOn(ports, side, inner).find((port) => port.name === name);
}

/** Whether a value of one type may feed an input of another. */
export function feeds(output: PortType, input: PortType): boolean {
  return FED_PORT_TYPES[output].includes(input);
}

/** The two ends of an edge; which ports of a container they are follows from the other end. */
export function endsOfEdge(flow: Flow, edge: Edge): { from: End; to: End } {
  const inner = innerEnds(flow, edge);
  return {
    from: { node: edge.source, side: "out", port: edge.sourceOutput, inner: inner.source },
    to: { node: edge.target, side: "in", port: edge.targetInput, inner: inner.target },
  };
}

/** The strand of an edge, taken from its ports; a data edge where neither end is known. */
export function edgeKind(types: NodeTypes, flow: Flow, checked: CheckedFlow, edge: Edge): PortKind {
  const { from, to } = endsOfEdge(flow, edge);
  const out = findPort(declaredPorts(types, flow, checked, edge.source), from);
  if (out) return out.kind;
  const input = findPort(declaredPorts(types, flow, checked, edge.target), to);
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
