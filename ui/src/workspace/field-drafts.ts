/**
 * Texts of inspector fields that are not valid yet, so that they are not part of the flow. They outlive their field: the person may
 * look at another node or another flow in between. Each document's are dropped when it is closed.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Node, NodeId } from "@/bindings";
import { displayedFlow, type FlowState } from "@/flow/document/flow-state";
import type { OpenDocuments } from "@/flow/files/open-documents";

/** Where a field is. Without a node, it is one of the flow itself. */
export type FieldPlace = { node: NodeId | undefined; path: readonly (string | number)[] };

/** `value` is what the flow has there: a draft made for another value is outdated. */
export type FieldDraft = { text: string; value: unknown; label: string; problem: string };

type PlacedDraft = FieldDraft & { place: FieldPlace };

/** Those of one flow, by their fields. */
type Drafts = ReadonlyMap<string, PlacedDraft>;

/** The drafts of a deleted node and of the flows in it: for each, the flow it belongs to and its field. */
type ParkedDrafts = { within: string; key: string; draft: PlacedDraft }[];

export class FieldDrafts {
  /** By document, and by the nodes with the inner flows around them. */
  readonly store: StoreApi<ReadonlyMap<string, ReadonlyMap<string, Drafts>>> = createStore(() => new Map());
  readonly #documents: OpenDocuments;
  /** By the node that was deleted: undoing that brings back the same object. */
  readonly #parked = new WeakMap<Node, ParkedDrafts>();

  constructor(documents: OpenDocuments) {
    this.#documents = documents;
    documents.editor.store.subscribe((state, before) => this.#followNodes(state, before));
    documents.onClosed((key) => {
      const others = new Map(this.store.getState());
      if (others.delete(key)) this.store.setState(others, true);
    });
  }

  /** The draft of a field of the shown flow that has this value there. */
  get(place: FieldPlace, value: unknown): string | undefined {
    const draft = this.#of(this.#documents.editor.state).get(keyOf(place));
    return draft && isEqual(draft.value, value) ? draft.text : undefined;
  }

  set(place: FieldPlace, draft: FieldDraft): void {
    this.#change(flowWithin(this.#documents.editor.state), (drafts) => drafts.set(keyOf(place), { ...draft, place }));
  }

  drop(place: FieldPlace): void {
    const { state } = this.#documents.editor;
    if (this.#of(state).has(keyOf(place))) this.#change(flowWithin(state), (drafts) => drafts.delete(keyOf(place)));
  }

  /** Those of the nodes of a flow, but not the outdated. */
  ofNodes(state: FlowState): (FieldDraft & { node: NodeId; key: string })[] {
    if (state.viewing) return [];
    const flow = displayedFlow(state);
    return [...this.#of(state)].flatMap(([key, { place, ...draft }]) => {
      const { node, path } = place;
      if (node === undefined || !flow.nodes[node]) return [];
      const found = valueAt(flow.nodes[node].config, path);
      return found && isEqual(draft.value, found.value) ? [{ ...draft, node, key }] : [];
    });
  }

  /** Parks the drafts of deleted nodes until that is undone: a new node with such an ID is another one. */
  #followNodes(state: FlowState, before: FlowState): void {
    if (state.key !== before.key || state.viewing || before.viewing || flowWithin(state) !== flowWithin(before)) return;
    const now = displayedFlow(state).nodes;
    const then = displayedFlow(before).nodes;
    if (now === then) return;
    for (const [within, drafts] of this.store.getState().get(state.key) ?? []) {
      for (const [key, draft] of drafts) {
        const id = nodeAround(state, within, draft);
        const node = id !== undefined && !now[id] ? then[id] : undefined;
        if (!node) continue;
        this.#parked.set(node, [...(this.#parked.get(node) ?? []), { within, key, draft }]);
        this.#change(within, (others) => others.delete(key));
      }
    }
    for (const [id, node] of Object.entries(now)) {
      if (then[id]) continue;
      for (const { within, key, draft } of this.#parked.get(node) ?? [])
        this.#change(within, (others) => others.set(key, draft));
      this.#parked.delete(node);
    }
  }

  #of(state: FlowState): Drafts {
    return this.store.getState().get(state.key)?.get(flowWithin(state)) ?? new Map();
  }

  /** Changes the drafts of a flow of the shown document. */
  #change(within: string, change: (drafts: Map<string, PlacedDraft>) => void): void {
    const { key } = this.#documents.editor.state;
    const all = new Map(this.store.getState());
    const flows = new Map(all.get(key));
    const drafts = new Map(flows.get(within));
    change(drafts);
    if (drafts.size > 0) flows.set(within, drafts);
    else flows.delete(within);
    if (flows.size > 0) all.set(key, flows);
    else all.delete(key);
    this.store.setState(all, true);
  }
}

/** Ids repeat in the flows inside of nodes. */
function flowWithin(state: FlowState): string {
  return JSON.stringify(outerNodes(state));
}

function outerNodes({ outer = [] }: FlowState): NodeId[] {
  return outer.map(({ node }) => node);
}

/**
 * The node of the shown flow that a draft belongs to: its own, or the node with the inner flow around it; none if it is
 * in another flow.
 */
function nodeAround(state: FlowState, within: string, { place }: PlacedDraft): NodeId | undefined {
  const shown = outerNodes(state);
  const outer: NodeId[] = JSON.parse(within);
  return shown.every((id, at) => id === outer[at]) ? (outer[shown.length] ?? place.node) : undefined;
}

function keyOf({ node, path }: FieldPlace): string {
  return JSON.stringify([node ?? null, path]);
}

/** The value there; nothing where the path leads to an item that a list does not have. An unset field has no value. */
function valueAt(config: unknown, path: FieldPlace["path"]): { value: unknown } | undefined {
  let value = config;
  for (const part of path) {
    if (typeof part === "number" && !(Array.isArray(value) && part < value.length)) return undefined;
    value = (value as Record<string | number, unknown> | undefined | null)?.[part];
  }
  return { value };
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
