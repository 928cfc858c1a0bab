/** The breakpoints of flows. */
import type { Breakpoint, CheckedFlow, Edge, Flow, NodeId, PortName, Side } from "@/bindings";
import { ERROR_PORT } from "@/bindings/constants";
import { isContainer } from "@/flow/containers/containers";
import type { FlowEditor } from "@/flow/document/editor";
import type { NodeTypes } from "@/flow/node-types/node-types";
import { KeptByFlow, type Memory } from "./kept-by-flow";

/** What can be changed of a breakpoint. */
export type BreakpointChange = Partial<Pick<Breakpoint, "when" | "log" | "scope" | "disabled">>;

export class BreakpointStore extends KeptByFlow<Breakpoint> {
  constructor(editor: FlowEditor, memory: Memory) {
    super("breakpoints", editor, memory);
  }

  /** Sets a breakpoint of the shown flow, or changes it: at a side of a node, or at one of its ports. */
  set(node: NodeId, side: Side, change: BreakpointChange = {}, port?: PortName): void {
    const isKnown = this.current.some((one) => isAt(one, node, side, port));
    this.putCurrent(
      isKnown
        ? this.current.map((one) => (isAt(one, node, side, port) ? { ...one, ...change } : one))
        : [...this.current, { id: idOf(node, side, port), node, side, ...(port !== undefined && { port }), ...change }],
    );
  }

  /** Removes a breakpoint of the shown flow. */
  remove(node: NodeId, side: Side, port?: PortName): void {
    this.putCurrent(this.current.filter((one) => !isAt(one, node, side, port)));
  }

  /** Sets a breakpoint of the shown flow as it is, wherever it is. */
  add(breakpoint: Breakpoint): void {
    this.adopt([breakpoint], []);
  }

  /** Changes a breakpoint of the shown flow, wherever it is. */
  change(id: string, change: BreakpointChange): void {
    this.putCurrent(this.current.map((one) => (one.id === id ? { ...one, ...change } : one)));
  }

  /** Removes a breakpoint of the shown flow, wherever it is. */
  drop(id: string): void {
    this.putCurrent(this.current.filter((one) => one.id !== id));
  }

  /** Takes over breakpoints that somebody else set in a run of the shown flow, and removes others. */
  adopt(set: readonly Breakpoint[], removed: readonly string[]): void {
    const kept = this.current.filter(({ id }) => !removed.includes(id) && set.every((one) => one.id !== id));
    this.putCurrent([...kept, ...set]);
  }

  /** Removes all breakpoints of the shown flow. Returns what brings them back. */
  removeAll(): () => void {
    const name = this.currentName;
    const removed = this.current;
    this.putCurrent([]);
    return () => {
      const later = this.of(name);
      this.put(name, [...removed.filter(({ id }) => later.every((one) => one.id !== id)), ...later]);
    };
  }
}

/** Those whose nodes and ports the flow has. The others wait for them to come back, by undo or from the file. */
export function breakpointsIn(flow: Flow, { ports }: CheckedFlow, breakpoints: readonly Breakpoint[]): Breakpoint[] {
  return breakpoints.filter(
    (one) => isPlaceIn(flow, one) && (one.node === undefined || isPortThere(one, ports[one.node])),
  );
}

/** Whether a flow has the node and the edge of a breakpoint. One at every node is in each flow. */
export function isPlaceIn(flow: Flow, { path, node, port, from }: Breakpoint): boolean {
  const first = path?.[0] ?? node;
  if (first === undefined) return true;
  if (!(first in flow.nodes)) return false;
  if (from === undefined || path?.length) return true;
  return Object.values(flow.edges).some(
    ({ source, sourceOutput, target, targetInput }) =>
      target === node &&
      targetInput === port &&
      // What comes into a loop may come over an edge to the loop.
      ((source === from.node && sourceOutput === from.port) || source === flow.nodes[target]?.parent),
  );
}

/** Whether a breakpoint is at a side of a node of this flow, or at one of its ports, and neither on an edge nor for an event. */
export function isAt({ path, ...at }: Breakpoint, node: NodeId, side: Side, port?: PortName): boolean {
  if (path?.length || at.from || at.kind || at.event) return false;
  return at.node === node && (at.side ?? "before") === side && at.port === port;
}

/**
 * Whether runs can pause on an edge of a flow. A loop has no start of its own, and a value that comes in over the border of a loop comes
 * from the node before the loop, or from none.
 */
export function mayPauseOn(types: NodeTypes, flow: Flow, { source, target }: Edge): boolean {
  return flow.nodes[target]?.parent !== source && !isContainer(types, flow.nodes[target]);
}

/** Where a breakpoint on an edge is. */
export function placeOnEdge({ source, sourceOutput, target, targetInput }: Edge) {
  return { node: target, port: targetInput, from: { node: source, port: sourceOutput } };
}

/** Whether a breakpoint is on an edge of this flow. */
export function isOn({ path, node, port, from }: Breakpoint, edge: Edge): boolean {
  if (path?.length || node !== edge.target || port !== edge.targetInput) return false;
  return from?.node === edge.source && from.port === edge.sourceOutput;
}

/** Ports of nodes that are not checked yet count as there. */
function isPortThere({ side, port }: Breakpoint, ports: CheckedFlow["ports"][NodeId] | undefined): boolean {
  if (port === undefined || ports === undefined || port === ERROR_PORT) return true;
  return ((side ?? "before") === "before" ? ports.inputs : ports.outputs).some(({ name }) => name === port);
}

function idOf(node: NodeId, side: Side, port?: PortName): string {
  return port === undefined ? `${node}:${side}` : `${node}.${port}:${side}`;
}
