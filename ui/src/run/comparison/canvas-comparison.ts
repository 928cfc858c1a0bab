/** What is compared on the canvas: a run with another one or with an execution of another tool, or the document with another flow. All marks
 * come from `lens.compare`, `import.compare` and `flow.diff`. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { EdgeEnds, EdgeId, Flow, FlowDiff, ImportComparison, NodeId, NodeMark, RunId } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import type { FlowEditor } from "@/flow/document/editor";
import type { FlowState } from "@/flow/document/flow-state";
import { type Host, HostError } from "@/ipc";
import type { ComparedRuns } from "./comparison";

export type Sign = NodeMark | "departs" | "changed" | "added" | "removed";

/** All signs; of several at one place, the first in this order is shown. */
export const SIGNS: readonly Sign[] = ["first", "own", "departs", "changed", "added", "removed", "follows", "same"];

/** What is shown of a node: its sign, and whether only one of the runs has reached it. */
export type MarkedNode = { sign: Sign; onlyIn?: "first" | "second" };

/** What the canvas does not have and the other flow does. Ends of edges are nodes of the canvas, or those of `nodes`. */
export type Ghosts = {
  /** The flow that has them. */
  flow: Flow;
  sign: "added" | "removed";
  nodes: readonly NodeId[];
  edges: readonly EdgeEnds[];
};

export type Marks = {
  nodes: ReadonlyMap<NodeId, MarkedNode>;
  edges: ReadonlyMap<EdgeId, "added" | "removed">;
  ghosts: Ghosts;
};

/** One place to go to. */
export type Step = { node?: NodeId; edge?: EdgeId; run?: RunId; sign: Sign };

/** The document, compared with another flow. */
export type ComparedFlow = {
  kind: "flow";
  /** What the other flow is called. */
  title: string;
  other: Flow;
  /** Which of both the other flow is: an earlier version, or what would come of an edit. */
  otherIs: "before" | "after";
  /** The proposed edit that the other flow is. */
  proposal?: string;
};

/** An imported flow, compared with an execution of the original. */
export type ComparedImport = {
  kind: "import";
  /** What the execution is called. */
  title: string;
  comparison: ImportComparison;
};

export type ComparedOnCanvas = ({ kind: "runs" } & ComparedRuns) | ComparedFlow | ComparedImport;

type State = {
  shown?: ComparedOnCanvas;
  /** The document that `shown` is about, if it is compared with a flow. */
  key?: string;
  /** What differs between the document and the other flow. */
  diff?: FlowDiff;
  /** Which of the steps was gone to last. */
  at?: number;
};

/** While a document is edited, it is compared again after this time. */
const DELAY_MS = 250;

export class CanvasComparison {
  readonly store: StoreApi<State> = createStore<State>(() => ({}));
  #timer: ReturnType<typeof setTimeout> | undefined;
  #request = 0;

  constructor(
    readonly host: Host,
    readonly editor: FlowEditor,
  ) {
    editor.store.subscribe((state, before) => {
      const { shown } = this.store.getState();
      if (shown?.kind !== "flow" || state.flow === before.flow || !this.isOfDocument(state)) return;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#compare(shown, state.flow), DELAY_MS);
    });
  }

  showRuns(runs: ComparedRuns): void {
    this.store.setState({ shown: { kind: "runs", ...runs }, key: undefined, diff: undefined, at: undefined }, true);
  }

  showImport(compared: ComparedImport): void {
    this.store.setState({ shown: compared, key: undefined, diff: undefined, at: undefined }, true);
  }

  /** Compares the document with another flow. */
  async showFlow(compared: Omit<ComparedFlow, "kind">): Promise<void> {
    const shown: ComparedFlow = { kind: "flow", ...compared };
    this.store.setState({ shown, key: this.editor.state.key, diff: undefined, at: undefined }, true);
    await this.#compare(shown, this.editor.state.flow);
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.store.setState({}, true);
  }

  /** Whether the canvas shows the document that is compared with a flow. */
  isOfDocument({ viewing, outer, key }: FlowState): boolean {
    return !viewing && !outer && key === this.store.getState().key;
  }

  /** Goes so many of the steps on, round and round, and returns where that is. */
  step(steps: readonly Step[], by: 1 | -1): Step | undefined {
    if (steps.length === 0) return undefined;
    const { at } = this.store.getState();
    const next = at === undefined ? (by === 1 ? 0 : steps.length - 1) : (at + by + steps.length) % steps.length;
    this.store.setState({ at: next });
    return steps[next];
  }

  async #compare(shown: ComparedFlow, flow: Flow): Promise<void> {
    this.#request += 1;
    const request = this.#request;
    const [before, after] = shown.otherIs === "before" ? [shown.other, flow] : [flow, shown.other];
    try {
      const diff = await this.host.call("flow.diff", { before, after });
      if (request === this.#request && this.store.getState().shown === shown) this.store.setState({ diff });
    } catch (thrown) {
      notify.error(HostError.from(thrown));
    }
  }
}

/** What differs between the flow on the canvas and another one, which is before or after it. */
export function marksOfDiff({ changes }: FlowDiff, canvas: Flow, other: Flow, otherIs: "before" | "after"): Marks {
  const nodes = new Map<NodeId, MarkedNode>();
  const edges = new Map<EdgeId, "added" | "removed">();
  const ghostNodes: NodeId[] = [];
  const ghostEdges: EdgeEnds[] = [];
  const isBefore = otherIs === "before";
  const renamed = new Map<NodeId, NodeId>();
  if (!isBefore) for (const change of changes) if (change.kind === "nodeRenamed") renamed.set(change.to, change.from);
  // Changes have the ids of the second flow.
  const onCanvas = (id: NodeId) => renamed.get(id) ?? id;
  const ids = new Map(Object.entries(canvas.edges).map(([id, edge]) => [keyOf(edge), id]));
  const mark = (node: NodeId, sign: Sign) => {
    if (!nodes.has(node)) nodes.set(node, { sign });
  };
  for (const change of changes) {
    if (change.kind === "nodeAdded" || change.kind === "nodeRemoved") {
      if ((change.kind === "nodeAdded") === isBefore) mark(change.node, isBefore ? "added" : "removed");
      else ghostNodes.push(change.node);
    } else if (change.kind === "nodeRenamed") mark(isBefore ? change.to : change.from, "changed");
    else if (change.kind === "node") mark(onCanvas(change.node), "changed");
    else if (change.kind !== "flow") {
      const edge = { ...change.edge, source: onCanvas(change.edge.source), target: onCanvas(change.edge.target) };
      const id = ids.get(keyOf(edge));
      if ((change.kind === "edgeAdded") !== isBefore) ghostEdges.push(edge);
      else if (id !== undefined) edges.set(id, isBefore ? "added" : "removed");
    }
  }
  const sign = isBefore ? "removed" : "added";
  return { nodes, edges, ghosts: { flow: other, sign, nodes: ghostNodes, edges: ghostEdges } };
}

/** What a comparison says of the run on the canvas; nothing if it has no part in it. */
export function marksOfRuns(runs: ComparedRuns, run: RunId, canvas: Flow): Marks | undefined {
  const { before, after, comparison, flows } = runs;
  const nodes = new Map<NodeId, MarkedNode>();
  for (const found of comparison.nodes) {
    const here = found.after?.run === run ? found.after : found.before?.run === run ? found.before : undefined;
    if (here) nodes.set(here.node, { sign: found.mark, onlyIn: onlyIn(found) });
  }
  const isRoot = run === before.run || run === after.run;
  if (nodes.size === 0 && !isRoot) return undefined;
  const isAfter = run === after.run;
  const other = isAfter ? flows.before : flows.after;
  const drawn = marksOfDiff(isRoot ? comparison.flow : { changes: [] }, canvas, other, isAfter ? "before" : "after");
  return { ...drawn, nodes };
}

/** What a comparison with an execution says of the run on the canvas; nothing if it has no part in it. */
export function marksOfImport({ nodes, run: root }: ImportComparison, run: RunId, canvas: Flow): Marks | undefined {
  const here = nodes.filter((node) => runOf(node, root) === run);
  if (here.length === 0 && run !== root) return undefined;
  const marks = new Map<NodeId, MarkedNode>();
  for (const { node, state } of here) {
    if (departs({ state })) marks.set(node, { sign: "departs" });
    else if (state === "same" && !marks.has(node)) marks.set(node, { sign: "same" });
  }
  return { nodes: marks, edges: new Map(), ghosts: { flow: canvas, sign: "added", nodes: [], edges: [] } };
}

/** The nodes that depart from an execution, in the order of the file. One of a sub-flow that did not run is shown by its call. */
export function stepsOfImport({ nodes, run: root }: ImportComparison): Step[] {
  return nodes.filter(departs).map((node) => {
    const run = runOf(node, root);
    return run === undefined
      ? { node: node.subflows?.[0], run: root, sign: "departs" }
      : { node: node.node, run, sign: "departs" };
  });
}

/** Whether a node does something else than the recorded execution. */
export function departs({ state }: { state: ImportComparison["nodes"][number]["state"] }): boolean {
  return state === "differs" || state === "onlyRecorded" || state === "onlyHere";
}

/** The run that shows a node, if there is one. */
function runOf({ run, subflows }: ImportComparison["nodes"][number], root: RunId): RunId | undefined {
  return run ?? (subflows === undefined ? root : undefined);
}

function onlyIn({ before, after }: { before?: unknown; after?: unknown }): MarkedNode["onlyIn"] {
  if (before && after) return undefined;
  return before ? "first" : "second";
}

/** The differences of two runs, one for each node, in the order of the comparison. */
export function stepsOfRuns({ comparison }: Pick<ComparedRuns, "comparison">): Step[] {
  return comparison.nodes
    .filter(({ difference }) => difference !== undefined)
    .toSorted((a, b) => (a.difference ?? 0) - (b.difference ?? 0))
    .flatMap(({ before, after, mark: sign }) => {
      const at = after ?? before;
      return at ? [{ node: at.node, run: at.run, sign }] : [];
    });
}

/** The differences of two flows: nodes, also those that the canvas does not have, then edges. */
export function stepsOfMarks({ nodes, edges, ghosts }: Marks): Step[] {
  return [
    ...[...nodes].map(([node, { sign }]) => ({ node, sign })),
    ...ghosts.nodes.map((node) => ({ node, sign: ghosts.sign })),
    ...[...edges].map(([edge, sign]) => ({ edge, sign })),
    ...ghostEdgesBetween(ghosts).map(({ target }) => ({ node: target, sign: ghosts.sign })),
  ];
}

/** The ghosts of edges between nodes that the canvas has: the others belong to the ghosts of their nodes. */
export function ghostEdgesBetween({ nodes, edges }: Ghosts): EdgeEnds[] {
  const ghostNodes = new Set(nodes);
  return edges.filter(({ source, target }) => !ghostNodes.has(source) && !ghostNodes.has(target));
}

/** Which of two compared runs this one is, or belongs to as the run of a sub-flow. */
export function sideOf({ before, after, comparison }: ComparedRuns, run: RunId): "before" | "after" | undefined {
  const isOf = (side: "before" | "after", whole: RunId) =>
    run === whole || comparison.nodes.some((node) => node[side]?.run === run);
  return isOf("before", before.run) ? "before" : isOf("after", after.run) ? "after" : undefined;
}

/** What makes two edges the same: what they connect. */
function keyOf({ source, sourceOutput, target, targetInput }: EdgeEnds): string {
  return JSON.stringify([source, sourceOutput, target, targetInput]);
}
