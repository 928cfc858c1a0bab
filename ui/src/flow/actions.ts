/** Actions on the document. Every change goes through `edit`, so every change can be undone. */
import type { Edge, EdgeId, Flow, Node, NodeId, Position } from "@/bindings";
import { notify } from "@/design/notify";
import * as edits from "./edits";
import * as history from "./history";
import { requestRun } from "./latest-request";
import { flowStore, NOTHING, UNCHECKED, type Viewing } from "./store";

type Options = {
  /** Edits in a row with the same key are one step. */
  merge?: string;
  /** What is selected afterwards. */
  select?: { nodes?: Iterable<NodeId>; edges?: Iterable<EdgeId> };
};

/** Whether the document can be edited now. If not, shows why. */
export function mayEdit(): boolean {
  if (!flowStore.getState().viewing) return true;
  notify.info("You are viewing a run. Go back to editing to change the flow.");
  return false;
}

/** Applies one change as one undo step. A change without effect is no step. */
export function edit(label: string, change: (flow: Flow) => Flow, options: Options = {}): boolean {
  if (!mayEdit()) return false;
  const state = flowStore.getState();
  const flow = change(state.flow);
  if (flow === state.flow) return false;
  flowStore.setState({
    flow,
    history: history.remember(state.history, state, label, options.merge),
    selection: options.select ? items(options.select) : prune(flow, state.selection),
  });
  return true;
}

/** Ends a gesture of merged edits. */
export function sealGesture(): void {
  flowStore.setState((state) => ({ history: history.seal(state.history) }));
}

export function undo(): void {
  if (!mayEdit()) return;
  const state = flowStore.getState();
  const step = history.undo(state.history, state);
  if (step) flowStore.setState({ flow: step.moment.flow, selection: step.moment.selection, history: step.history });
}

export function redo(): void {
  if (!mayEdit()) return;
  const state = flowStore.getState();
  const step = history.redo(state.history, state);
  if (step) flowStore.setState({ flow: step.moment.flow, selection: step.moment.selection, history: step.history });
}

/** Adds a node, selects it and returns its id. */
export function addNode(node: Node, position: Position): NodeId | undefined {
  let added: NodeId | undefined;
  const before = flowStore.getState().flow;
  const result = edits.addNode(before, node, position);
  if (edit(`Add ${node.type}`, () => result.flow, { select: result })) added = result.nodes[0];
  return added;
}

/** Adds a node and, in the same step, edges between it and what is there. */
export function addConnectedNode(node: Node, position: Position, wire: (id: NodeId) => Edge): NodeId | undefined {
  const placed = edits.addNode(flowStore.getState().flow, node, position);
  const id = placed.nodes[0];
  if (id === undefined) return undefined;
  const wired = edits.connect(placed.flow, wire(id));
  return edit(`Add ${node.type}`, () => wired.flow, { select: { nodes: [id] } }) ? id : undefined;
}

export function connect(edge: Edge): EdgeId | undefined {
  const result = edits.connect(flowStore.getState().flow, edge);
  return edit("Connect", () => result.flow) ? result.edges[0] : undefined;
}

export function reconnect(id: EdgeId, ends: Edge): void {
  edit("Reconnect", (flow) => edits.reconnect(flow, id, ends));
}

export function removeItems(removed: { nodes?: Iterable<NodeId>; edges?: Iterable<EdgeId> }): void {
  const gone = items(removed);
  edit(gone.nodes.size + gone.edges.size === 1 ? "Delete" : "Delete selection", (flow) => edits.remove(flow, gone));
}

export function removeSelection(): void {
  removeItems(flowStore.getState().selection);
}

/** Puts nodes elsewhere, as one step. */
export function place(label: string, positions: ReadonlyMap<NodeId, Partial<Position>>, merge?: string): void {
  edit(label, (flow) => edits.place(flow, positions), { merge });
}

export function addFragment(label: string, part: edits.Fragment, offset: { x: number; y: number }): void {
  const result = edits.addFragment(flowStore.getState().flow, part, offset);
  edit(label, () => result.flow, { select: { nodes: result.nodes } });
}

export function rename(id: NodeId, title: string): void {
  edit("Rename", (flow) => edits.setTitle(flow, id, title));
}

export function setConfig(id: NodeId, path: readonly (string | number)[], value: unknown): void {
  edit("Change config", (flow) => edits.setConfig(flow, id, path, value), { merge: `config:${id}:${path.join("/")}` });
}

export function setNode(id: NodeId, change: Partial<Node>, field: string): void {
  edit("Change node", (flow) => edits.setNode(flow, id, change), { merge: `node:${id}:${field}` });
}

export function setFlow(change: Parameters<typeof edits.setFlow>[1], field: string): void {
  edit("Change flow", (flow) => edits.setFlow(flow, change), { merge: `flow:${field}` });
}

/** Selects exactly these. */
export function selectOnly(chosen: { nodes?: Iterable<NodeId>; edges?: Iterable<EdgeId> }): void {
  flowStore.setState({ selection: items(chosen) });
}

export function selectAll(): void {
  const { flow, viewing } = flowStore.getState();
  selectOnly({ nodes: Object.keys((viewing?.flow ?? flow).nodes), edges: Object.keys((viewing?.flow ?? flow).edges) });
}

/** Shows a run's flow, read-only, in place of the document. */
export function viewFlow(viewing: Viewing): void {
  flowStore.setState((state) => ({
    viewing,
    documentSelection: state.viewing ? state.documentSelection : state.selection,
    selection: NOTHING,
    checked: UNCHECKED,
    checkedFlow: undefined,
  }));
}

/** Goes back to the document, and cancels a requested run that is still loading. */
export function leaveView(): void {
  requestRun();
  flowStore.setState(({ flow, viewing, documentSelection = NOTHING, selection }) => ({
    viewing: undefined,
    documentSelection: undefined,
    selection: prune(flow, viewing ? documentSelection : selection),
    checked: UNCHECKED,
    checkedFlow: undefined,
  }));
}

function items(chosen: { nodes?: Iterable<NodeId>; edges?: Iterable<EdgeId> }): edits.Items {
  return { nodes: new Set(chosen.nodes), edges: new Set(chosen.edges) };
}

/** A selection names only what is there. */
function prune(flow: Flow, selection: edits.Items): edits.Items {
  const nodes = [...selection.nodes].filter((id) => Object.hasOwn(flow.nodes, id));
  const edges = [...selection.edges].filter((id) => Object.hasOwn(flow.edges, id));
  if (nodes.length === selection.nodes.size && edges.length === selection.edges.size) return selection;
  return { nodes: new Set(nodes), edges: new Set(edges) };
}
