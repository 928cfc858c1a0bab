/**
 * The open documents, in the order of their tabs. The editor has the state of the one that is shown; the states of the others wait
 * here, each with its history, its selection and the run it views. Other parts keep what they have of a document by its key, until
 * the document is closed.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { FlowEditor } from "@/flow/document/editor";
import { type FlowState, isDirty } from "@/flow/document/flow-state";

/** How many closed documents can be opened again. */
const MAX_CLOSED = 20;

/** The state of the shown document is that of the editor; here is how it was when it was shown. */
export type Documents = { documents: readonly FlowState[] };

export class OpenDocuments {
  readonly store: StoreApi<Documents>;
  readonly #closed: FlowState[] = [];
  readonly #onClosed = new Set<(key: string) => void>();

  constructor(readonly editor: FlowEditor) {
    this.store = createStore<Documents>(() => ({ documents: [editor.state] }));
    // First of all subscribers: the others ask whether the document before is still open.
    editor.store.subscribe((state, before) => {
      if (state.key !== before.key) this.#follow(state, before);
    });
  }

  /** Their current states. */
  get all(): FlowState[] {
    return currentStates(this.store.getState(), this.editor.state);
  }

  /** The current state of a document, if it is open. */
  stateOf(key: string): FlowState | undefined {
    return this.all.find((document) => document.key === key);
  }

  isOpen(key: string): boolean {
    return this.stateOf(key) !== undefined;
  }

  /** The document of a file. */
  ofFile(path: string): FlowState | undefined {
    return this.all.find((document) => document.path === path);
  }

  /** Shows a document that is open. */
  show(key: string): void {
    const document = this.stateOf(key);
    if (!document || key === this.editor.state.key) return;
    // What still loads was requested for the document before.
    this.editor.requests.request();
    this.editor.open(document);
  }

  /** Shows the next document, or with -1 the one before. */
  showNext(step: 1 | -1): void {
    const { all } = this;
    const at = all.findIndex(({ key }) => key === this.editor.state.key);
    const next = all[(at + step + all.length) % all.length];
    if (next) this.show(next.key);
  }

  /** Opens a document in a tab of its own, behind the shown one or in its place. A document that nobody has touched gives its tab. */
  open(document: FlowState, behind = false): void {
    const shown = this.editor.state;
    if (isUntouched(shown) && !behind) {
      this.editor.open(document);
      return;
    }
    const { documents } = this.store.getState();
    const at = behind ? documents.length : documents.findIndex(({ key }) => key === shown.key) + 1;
    this.store.setState({ documents: documents.toSpliced(at, 0, document) });
    if (!behind) this.editor.open(document);
  }

  /** Changes the state of a document, wherever it is. */
  update(key: string, change: Partial<FlowState>): void {
    if (key === this.editor.state.key) this.editor.store.setState(change);
    else
      this.store.setState(({ documents }) => ({
        documents: documents.map((document) => (document.key === key ? { ...document, ...change } : document)),
      }));
  }

  /** Closes a document. The one beside it is shown; instead of the last one, `blank` is. */
  close(key: string, blank: FlowState): void {
    const document = this.stateOf(key);
    if (!document) return;
    if (!isUntouched(document)) this.#remember(document);
    if (key === this.editor.state.key) {
      const { all } = this;
      const at = all.findIndex((one) => one.key === key);
      const next = all[at + 1] ?? all[at - 1];
      if (!next) {
        this.editor.open(blank);
        return;
      }
      this.show(next.key);
    }
    this.store.setState(({ documents }) => ({ documents: documents.filter((one) => one.key !== key) }));
    this.#tellClosed(key);
  }

  /** Whether a closed document can be opened again. */
  get canReopen(): boolean {
    return this.#closed.length > 0;
  }

  /** Opens the document that was closed last, with its history. */
  reopen(): void {
    const document = this.#closed.pop();
    if (!document) return;
    const there = document.path === undefined ? undefined : this.ofFile(document.path);
    if (there) this.show(there.key);
    else this.open(document);
  }

  /** Puts a tab at another place of the row. */
  move(key: string, to: number): void {
    const { documents } = this.store.getState();
    const at = documents.findIndex((document) => document.key === key);
    const [document] = documents.slice(at, at + 1);
    if (!document || to === at || to < 0 || to >= documents.length) return;
    this.store.setState({ documents: documents.toSpliced(at, 1).toSpliced(to, 0, document) });
  }

  /** Puts the tab of the shown document one place further. */
  moveShown(step: 1 | -1): void {
    const { key } = this.editor.state;
    this.move(key, this.all.findIndex((document) => document.key === key) + step);
  }

  /** Puts the documents of these files into this order; others come after them. */
  arrange(paths: readonly string[]): void {
    const rank = ({ path }: FlowState) =>
      path !== undefined && paths.includes(path) ? paths.indexOf(path) : paths.length;
    this.store.setState(({ documents }) => ({ documents: documents.toSorted((a, b) => rank(a) - rank(b)) }));
  }

  /** Calls a function with the key of each document that is closed. */
  onClosed(listener: (key: string) => void): () => void {
    this.#onClosed.add(listener);
    return () => this.#onClosed.delete(listener);
  }

  /** The editor shows another document: an open one, or a new one in the same tab. */
  #follow(state: FlowState, before: FlowState): void {
    const { documents } = this.store.getState();
    const isSwitch = documents.some(({ key }) => key === state.key);
    const inTab = isSwitch ? before : state;
    this.store.setState({ documents: documents.map((one) => (one.key === before.key ? inTab : one)) });
    if (!isSwitch) this.#tellClosed(before.key);
  }

  #remember(document: FlowState): void {
    this.#closed.push({ ...document, viewing: undefined, documentSelection: undefined });
    if (this.#closed.length > MAX_CLOSED) this.#closed.shift();
  }

  #tellClosed(key: string): void {
    for (const listener of this.#onClosed) listener(key);
  }
}

/** The documents as they are now: the shown one is `shown`. */
export function currentStates({ documents }: Documents, shown: FlowState): FlowState[] {
  return documents.map((document) => (document.key === shown.key ? shown : document));
}

/** Whether a document is empty, never was anything else, and shows no run. */
function isUntouched(state: FlowState): boolean {
  const { flow, path, viewing, outer, history } = state;
  const isNew = path === undefined && !viewing && !outer && !isDirty(state);
  return isNew && Object.keys(flow.nodes).length === 0 && history.past.length + history.future.length === 0;
}
