/** The document that is edited. Every change goes through `edit`, so every change can be undone. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { CanvasColor, Edge, EdgeId, Flow, FrameId, Node, NodeId, Pin, Position } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import { commitTyping } from "@/design/keys/commit-typing";
import { setColor } from "@/flow/edits/canvas-colors";
import { setFolded } from "@/flow/edits/container-edits";
import * as edits from "@/flow/edits/edits";
import { removeFrames, setFrameColor, setFramesFolded, setFrameTitle } from "@/flow/edits/frames";
import { setPin } from "@/flow/edits/pins";
import { TEXTS } from "@/flow/texts";
import { documentState, EMPTY_FLOW, type FlowState, NOTHING, UNCHECKED, type Viewing } from "./flow-state";
import * as history from "./history";
import { innerFlowOf, withInner } from "./inner-flow";
import { LatestRequests } from "./latest-requests";

type Options = {
  /** Edits in a row with the same key are one step. */
  merge?: string;
  /** The selection afterwards. */
  select?: Chosen;
};

type Chosen = { nodes?: Iterable<NodeId>; edges?: Iterable<EdgeId>; frames?: Iterable<FrameId> };

export class FlowEditor {
  readonly store: StoreApi<FlowState> = createStore<FlowState>(() => documentState(EMPTY_FLOW));
  readonly requests = new LatestRequests();
  #completeEdit: (before: Flow, after: Flow) => Flow = (_, after) => after;

  get state(): FlowState {
    return this.store.getState();
  }

  /** Sets what completes each edit, in the same undo step: loops grow around what an edit puts into them. */
  completeEditsWith(complete: (before: Flow, after: Flow) => Flow): void {
    this.#completeEdit = complete;
  }

  /** Replaces the document and everything that belongs to it. */
  open(document: FlowState): void {
    commitTyping();
    this.store.setState(document, true);
  }

  /** Whether the document can be edited now. If not, shows why. */
  mayEdit(): boolean {
    if (!this.state.viewing) return true;
    notify.info(TEXTS.viewingRun);
    return false;
  }

  /** Applies one change as one undo step. A change without effect is no step. */
  edit(label: string, change: (flow: Flow) => Flow, options: Options = {}): boolean {
    if (!this.mayEdit()) return false;
    const state = this.state;
    const changed = change(state.flow);
    if (changed === state.flow) return false;
    const edited = this.#completeEdit(state.flow, changed);
    const remembered = history.remember(state.history, state, label, options.merge);
    // Text that is typed and taken back again leaves the flow as it was.
    const undone = history.withoutEffect(remembered, edited, options.merge);
    const flow = undone?.flow ?? edited;
    this.store.setState({
      flow,
      isStart: undefined,
      history: undone?.history ?? remembered,
      selection: options.select ? items(options.select) : prune(flow, state.selection),
    });
    return true;
  }

  /** Ends a gesture of merged edits. */
  sealGesture(): void {
    this.store.setState((state) => ({ history: history.seal(state.history) }));
  }

  undo(): void {
    if (!this.mayEdit()) return;
    const state = this.state;
    const step = history.undo(state.history, state);
    if (step) this.store.setState({ flow: step.moment.flow, selection: step.moment.selection, history: step.history });
  }

  redo(): void {
    if (!this.mayEdit()) return;
    const state = this.state;
    const step = history.redo(state.history, state);
    if (step) this.store.setState({ flow: step.moment.flow, selection: step.moment.selection, history: step.history });
  }

  /** Adds a node, selects it and returns its id. */
  addNode(node: Node, position: Position): NodeId | undefined {
    let added: NodeId | undefined;
    const before = this.state.flow;
    const result = edits.addNode(before, node, position);
    if (this.edit(`Add ${node.type}`, () => result.flow, { select: result })) added = result.nodes[0];
    return added;
  }

  /** Adds a node and, in the same step, edges between it and existing nodes. */
  addConnectedNode(node: Node, position: Position, wire: (id: NodeId) => Edge): NodeId | undefined {
    const placed = edits.addNode(this.state.flow, node, position);
    const id = placed.nodes[0];
    if (id === undefined) return undefined;
    const wired = edits.connect(placed.flow, wire(id));
    return this.edit(`Add ${node.type}`, () => wired.flow, { select: { nodes: [id] } }) ? id : undefined;
  }

  connect(edge: Edge): EdgeId | undefined {
    const result = edits.connect(this.state.flow, edge);
    return this.edit("Connect", () => result.flow) ? result.edges[0] : undefined;
  }

  reconnect(id: EdgeId, ends: Edge): void {
    this.edit("Reconnect", (flow) => edits.reconnect(flow, id, ends));
  }

  /** Removes nodes with their edges, edges, and frames without their nodes. */
  removeItems(removed: Chosen): void {
    const gone = items(removed);
    const { nodes, edges: wires, frames = new Set() } = gone;
    this.edit(nodes.size + wires.size + frames.size === 1 ? "Delete" : "Delete selection", (flow) =>
      removeFrames(edits.remove(flow, gone), frames),
    );
  }

  removeSelection(): void {
    this.removeItems(this.state.selection);
  }

  /** Puts nodes elsewhere, as one step. */
  place(label: string, positions: ReadonlyMap<NodeId, Partial<Position>>, merge?: string): void {
    this.edit(label, (flow) => edits.place(flow, positions), { merge });
  }

  /** Adds nodes of a fragment, into the containers that `containerFor` names. Returns whether it could. */
  addFragment(
    label: string,
    part: edits.Fragment,
    offset: { x: number; y: number },
    containerFor?: (id: NodeId) => NodeId | undefined,
  ): boolean {
    const result = edits.addFragment(this.state.flow, part, offset, containerFor);
    return this.edit(label, () => result.flow, { select: { nodes: result.nodes } });
  }

  /** Folds loops and frames to cards, or opens them. While a run is viewed, only the drawing changes. */
  fold({ nodes = [], frames = [] }: Chosen, folded: boolean): void {
    const change = (flow: Flow) => setFramesFolded(setFolded(flow, nodes, folded), frames, folded);
    const { viewing } = this.state;
    if (!viewing) {
      this.edit(folded ? "Fold" : "Unfold", change);
      return;
    }
    const changed = change(viewing.flow);
    const flow = changed === viewing.flow ? changed : this.#completeEdit(viewing.flow, changed);
    if (flow !== viewing.flow) this.store.setState({ viewing: { ...viewing, flow } });
  }

  disable(ids: Iterable<NodeId>, disabled: boolean): void {
    this.edit(disabled ? "Disable" : "Enable", (flow) => edits.setDisabled(flow, ids, disabled));
  }

  setTrigger(id: NodeId, isTrigger: boolean): void {
    this.edit(isTrigger ? "Make trigger" : "Remove trigger", (flow) => edits.setTrigger(flow, id, isTrigger));
  }

  pin(id: NodeId, pin: Pin | undefined): void {
    this.edit(pin ? "Pin output" : "Unpin", (flow) => setPin(flow, id, pin));
  }

  setColor({ nodes = [], frames = [] }: Chosen, color: CanvasColor | undefined): void {
    this.edit("Change color", (flow) => setFrameColor(setColor(flow, nodes, color), frames, color));
  }

  renameFrame(id: FrameId, title: string): void {
    this.edit("Rename", (flow) => setFrameTitle(flow, id, title));
  }

  rename(id: NodeId, title: string): void {
    this.edit("Rename", (flow) => edits.setTitle(flow, id, title));
  }

  setConfig(id: NodeId, path: readonly (string | number)[], value: unknown): void {
    this.edit("Change config", (flow) => edits.setConfig(flow, id, path, value), {
      merge: `config:${id}:${path.join("/")}`,
    });
  }

  setNode(id: NodeId, change: Partial<Node>, field: string): void {
    this.edit("Change node", (flow) => edits.setNode(flow, id, change), { merge: `node:${id}:${field}` });
  }

  setFlow(change: Parameters<typeof edits.setFlow>[1], field: string): void {
    this.edit("Change flow", (flow) => edits.setFlow(flow, change), { merge: `flow:${field}` });
  }

  /** Selects exactly these. */
  selectOnly(chosen: Chosen): void {
    this.store.setState({ selection: items(chosen) });
  }

  selectAll(): void {
    const { flow, viewing } = this.state;
    this.selectOnly({
      nodes: Object.keys((viewing?.flow ?? flow).nodes),
      edges: Object.keys((viewing?.flow ?? flow).edges),
    });
  }

  /** Edits the flow inside a node, with a history of its own. Returns whether there is one that can be drawn. */
  openInner(node: NodeId): boolean {
    if (!this.mayEdit()) return false;
    commitTyping();
    const { flow, history: past, selection, outer = [] } = this.state;
    const inner = innerFlowOf(flow.nodes[node]);
    if (!inner) {
      notify.info(TEXTS.innerFlowUnreadable);
      return false;
    }
    // An empty flow of its own, so that two of them are never taken for one another.
    const opened = { ...inner };
    this.store.setState({
      flow: opened,
      outer: [...outer, { flow, history: past, selection, node, opened }],
      history: history.EMPTY_HISTORY,
      selection: NOTHING,
      checked: UNCHECKED,
      checkedFlow: undefined,
    });
    return true;
  }

  /** Goes back to a flow around the one that is edited: so many levels below the document. What was edited is one undo step there. */
  closeInner(depth = (this.state.outer?.length ?? 0) - 1): void {
    commitTyping();
    const { viewing } = this.state;
    for (let outer = this.state.outer ?? []; outer.length > Math.max(0, depth); outer = this.state.outer ?? []) {
      const around = outer.at(-1);
      if (!around) return;
      const flow = withInner(around, this.state.flow);
      const edited = flow !== around.flow;
      const selection = { ...NOTHING, nodes: new Set([around.node]) };
      this.store.setState({
        flow,
        outer: outer.length > 1 ? outer.slice(0, -1) : undefined,
        history: edited ? history.remember(around.history, around, TEXTS.editInnerFlow) : around.history,
        selection: viewing ? this.state.selection : selection,
        checked: viewing ? this.state.checked : UNCHECKED,
        checkedFlow: viewing ? this.state.checkedFlow : undefined,
      });
    }
  }

  /** Shows a run's flow, read-only, in place of the document. */
  viewFlow(viewing: Viewing): void {
    commitTyping();
    this.store.setState((state) => ({
      viewing,
      documentSelection: state.viewing ? state.documentSelection : state.selection,
      selection: NOTHING,
      checked: UNCHECKED,
      checkedFlow: undefined,
    }));
  }

  /** The run that is looked at is of another flow now. What is selected stays selected if it is still there. */
  redrawView(flow: Flow): void {
    this.store.setState(({ viewing, selection }) =>
      viewing
        ? {
            viewing: { ...viewing, flow },
            selection: prune(flow, selection),
            checked: UNCHECKED,
            checkedFlow: undefined,
          }
        : {},
    );
  }

  /** Goes back to the document, and cancels a requested run that is still loading. */
  leaveView(): void {
    this.requests.request();
    this.store.setState(({ flow, viewing, documentSelection = NOTHING, selection }) => ({
      viewing: undefined,
      documentSelection: undefined,
      selection: prune(flow, viewing ? documentSelection : selection),
      checked: UNCHECKED,
      checkedFlow: undefined,
    }));
  }
}

function items(chosen: Chosen): edits.Items {
  return { nodes: new Set(chosen.nodes), edges: new Set(chosen.edges), frames: new Set(chosen.frames) };
}

/** A selection names only existing elements. */
function prune(flow: Flow, selection: edits.Items): edits.Items {
  const nodes = [...selection.nodes].filter((id) => Object.hasOwn(flow.nodes, id));
  const edges = [...selection.edges].filter((id) => Object.hasOwn(flow.edges, id));
  const before = [...(selection.frames ?? [])];
  const frames = before.filter((id) => Object.hasOwn(flow.frames ?? {}, id));
  const same =
    nodes.length === selection.nodes.size && edges.length === selection.edges.size && frames.length === before.length;
  return same ? selection : items({ nodes, edges, frames });
}
