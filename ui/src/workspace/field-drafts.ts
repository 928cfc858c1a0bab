/**
 * Texts of inspector fields that are not valid yet, so that they are not part of the flow. They outlive their field: the person may
 * look at another node or another flow in between. Each document's are dropped when it is closed.
 */
import type { NodeId } from "@/bindings";
import type { FlowState } from "@/flow/flow-state";
import type { OpenDocuments } from "@/flow/open-documents";

/** Where a field is. Without a node, it is one of the flow itself. */
export type FieldPlace = { node: NodeId | undefined; path: readonly (string | number)[] };

type Draft = { text: string; value: unknown };

export class FieldDrafts {
  readonly #byDocument = new Map<string, Map<string, Draft>>();
  readonly #documents: OpenDocuments;

  constructor(documents: OpenDocuments) {
    this.#documents = documents;
    documents.onClosed((key) => this.#byDocument.delete(key));
  }

  /** The draft of a field of the shown flow. `value` is what the flow has there: a draft made for another value is outdated. */
  get(place: FieldPlace, value: unknown): string | undefined {
    const state = this.#documents.editor.state;
    const draft = this.#byDocument.get(state.key)?.get(keyOf(state, place));
    return draft && JSON.stringify(draft.value) === JSON.stringify(value) ? draft.text : undefined;
  }

  set(place: FieldPlace, text: string, value: unknown): void {
    const state = this.#documents.editor.state;
    const drafts = this.#byDocument.get(state.key) ?? new Map<string, Draft>();
    this.#byDocument.set(state.key, drafts.set(keyOf(state, place), { text, value }));
  }

  drop(place: FieldPlace): void {
    const state = this.#documents.editor.state;
    this.#byDocument.get(state.key)?.delete(keyOf(state, place));
  }
}

/** Ids repeat in the flows inside of nodes, so the nodes around a field are part of its key. */
function keyOf({ outer = [] }: FlowState, { node, path }: FieldPlace): string {
  return JSON.stringify([outer.map((one) => one.node), node ?? null, path]);
}
