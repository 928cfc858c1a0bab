/**
 * Texts of inspector fields that are not valid yet, so that they are not part of the flow. They outlive their field: the person may
 * look at another node or another flow in between. Each document's are dropped when it is closed.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Node, NodeId } from "@/bindings";
import { displayedFlow, type FlowState } from "@/flow/flow-state";
import type { OpenDocuments } from "@/flow/open-documents";

/** Where a field is. Without a node, it is one of the flow itself. */
export type FieldPlace = { node: NodeId | undefined; path: readonly (string | number)[] };

/** `value` is what the flow has there: a draft made for another value is outdated. */
export type FieldDraft = { text: string; value: unknown; label: string; problem: string };

/** `deletedNode` is the node as it was when it was deleted; undoing that brings back the same object. */
type PlacedDraft = FieldDraft & { place: FieldPlace; deletedNode?: Node };

/** Those of one flow, by their fields. */
type Drafts = ReadonlyMap<string, PlacedDraft>;

export class FieldDrafts {
  /** By document, and by the nodes whose inner flows they are in. */
  readonly store: StoreApi<ReadonlyMap<string, ReadonlyMap<string, Drafts>>> = createStore(() => new Map());
  readonly #documents: OpenDocuments;

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
    this.#change((drafts) => drafts.set(keyOf(place), { ...draft, place }));
  }

  drop(place: FieldPlace): void {
    if (this.#of(this.#documents.editor.state).has(keyOf(place))) this.#change((drafts) => drafts.delete(keyOf(place)));
  }

  /** Those of the nodes of a flow, but not the outdated. */
  ofNodes(state: FlowState): (FieldDraft & { node: NodeId; key: string })[] {
    if (state.viewing) return [];
    const flow = displayedFlow(state);
    return [...this.#of(state)].flatMap(([key, { place, deletedNode: _, ...draft }]) => {
      const { node, path } = place;
      if (node === undefined || !flow.nodes[node]) return [];
      const found = valueAt(flow.nodes[node].config, path);
      return found && isEqual(draft.value, found.value) ? [{ ...draft, node, key }] : [];
    });
  }

  /** Keeps the drafts of deleted nodes for the undoing of that, but drops them once another node takes such a node's ID. */
  #followNodes(state: FlowState, before: FlowState): void {
    if (state.key !== before.key || state.viewing || before.viewing || flowWithin(state) !== flowWithin(before)) return;
    const now = displayedFlow(state).nodes;
    const then = displayedFlow(before).nodes;
    if (now === then) return;
    for (const [key, draft] of this.#of(state)) {
      const { node: id = "" } = draft.place;
      const [node, old] = [now[id], then[id]];
      if (old && !node) this.#change((drafts) => drafts.set(key, { ...draft, deletedNode: old }));
      else if (node && !old && node !== draft.deletedNode) this.#change((drafts) => drafts.delete(key));
    }
  }

  #of(state: FlowState): Drafts {
    return this.store.getState().get(state.key)?.get(flowWithin(state)) ?? new Map();
  }

  #change(change: (drafts: Map<string, PlacedDraft>) => void): void {
    const { state } = this.#documents.editor;
    const drafts = new Map(this.#of(state));
    change(drafts);
    const all = new Map(this.store.getState());
    const flows = new Map(all.get(state.key));
    if (drafts.size > 0) flows.set(flowWithin(state), drafts);
    else flows.delete(flowWithin(state));
    if (flows.size > 0) all.set(state.key, flows);
    else all.delete(state.key);
    this.store.setState(all, true);
  }
}

/** Ids repeat in the flows inside of nodes. */
function flowWithin({ outer = [] }: FlowState): string {
  return JSON.stringify(outer.map((one) => one.node));
}

function keyOf({ node, path }: FieldPlace): string {
  return JSON.stringify([node ?? null, path]);
}

/** The value there; nothing where the path leads to an item that a list does not have. What is not set has no value. */
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
