/**
 * The run sessions of all open documents: of each, the run that was started last from it and the run that is looked at in its
 * place. Those of the shown document are in the store; the others go on behind.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { RunId, RunStatus } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import type { FlowEditor } from "@/flow/document/editor";
import type { OpenDocuments } from "@/flow/files/open-documents";
import type { RunList } from "@/run/list/run-list";
import type { ActiveRun } from "@/run/live/active-run";
import type { RunSession } from "@/run/live/session";

type Sessions = {
  /** The run started last from the document. */
  document?: RunSession;
  /** The run that is looked at in place of the document. */
  viewed?: RunSession;
};

/** The sessions of the shown document. */
export type RunState = Sessions & {
  /** The keys of the documents with a requested run that has not started. */
  starting: ReadonlySet<string>;
  /** How the run of each open document is doing, by the keys of the documents. */
  statuses: Readonly<Record<string, RunStatus>>;
};

type Parts = { editor: FlowEditor; documents: OpenDocuments; list: RunList; active: ActiveRun };

export class DocumentSessions {
  readonly store: StoreApi<RunState> = createStore<RunState>(() => ({ starting: new Set(), statuses: {} }));
  /** The sessions of the documents behind, by their keys. Their runs go on. */
  readonly #behind = new Map<string, Sessions>();
  readonly #editor: FlowEditor;
  readonly #documents: OpenDocuments;
  readonly #list: RunList;
  readonly #active: ActiveRun;

  constructor({ editor, documents, list, active }: Parts) {
    this.#editor = editor;
    this.#documents = documents;
    this.#list = list;
    this.#active = active;
  }

  /** The sessions of the shown document. */
  get shown(): RunState {
    return this.store.getState();
  }

  /** Keeps the active run in sync with the documents. Call once; returns a function that stops it. */
  follow(): () => void {
    const stopClosed = this.#documents.onClosed((key) => {
      this.#closeAll(this.#behind.get(key) ?? {});
      this.#behind.delete(key);
      this.setStatus(key, undefined);
    });
    const stop = this.#editor.store.subscribe((state, before) => {
      if (state.key !== before.key) {
        this.#switchDocument(state.key, before.key);
        return;
      }
      if ((state.outer === undefined) !== (before.outer === undefined)) this.#showRun();
      if (before.viewing && state.viewing?.run !== before.viewing.run) {
        if (this.shown.viewed?.run === before.viewing.run) this.setViewed(undefined);
      }
    });
    return () => {
      stop();
      stopClosed();
    };
  }

  /** Replaces the run of a document; without a key, of the shown one. */
  setDocumentRun(document: RunSession | undefined, key = this.#editor.state.key): void {
    const isShown = key === this.#editor.state.key;
    const sessions = isShown ? this.shown : (this.#behind.get(key) ?? {});
    if (sessions.document !== document) this.#close(sessions.document);
    if (!document) this.setStatus(key, undefined);
    if (!isShown) {
      this.#behind.set(key, { ...sessions, document });
      return;
    }
    this.store.setState({ document });
    this.#showRun();
  }

  /** Replaces the run that is looked at in place of the shown document. */
  setViewed(viewed: RunSession | undefined): void {
    const before = this.shown.viewed;
    if (before !== viewed) this.#close(before);
    this.store.setState({ viewed });
    this.#showRun();
  }

  setStatus(key: string, status: RunStatus | undefined): void {
    const { [key]: before, ...others } = this.shown.statuses;
    if (before !== status) this.store.setState({ statuses: status ? { ...others, [key]: status } : others });
  }

  setStarting(key: string, isStarting: boolean): void {
    this.store.setState(({ starting }) => {
      const others = [...starting].filter((one) => one !== key);
      return { starting: new Set(isStarting ? [...others, key] : others) };
    });
  }

  /** The session that follows a run, of any document. */
  sessionOf(run: RunId): RunSession | undefined {
    const { viewed, document } = this.shown;
    const behind = [...this.#behind.values()].flatMap((sessions) => [sessions.viewed, sessions.document]);
    return [viewed, document, ...behind].find((one) => one?.run === run);
  }

  /** The document of a session's run. */
  documentOf(session: RunSession): string | undefined {
    if (this.shown.document === session) return this.#editor.state.key;
    for (const [key, { document }] of this.#behind) if (document === session) return key;
    return undefined;
  }

  /** The document behind that shows a run. */
  behindWith(run: RunId): string | undefined {
    for (const [key, { document, viewed }] of this.#behind)
      if (document?.run === run || viewed?.run === run) return key;
    return undefined;
  }

  /** Shows the runs of another document. Those of the one before go on behind, unless it was closed. */
  #switchDocument(key: string, left: string): void {
    const { document, viewed } = this.shown;
    if (this.#documents.isOpen(left)) this.#behind.set(left, { document, viewed });
    else this.#closeAll({ document, viewed });
    const shown = this.#behind.get(key);
    this.#behind.delete(key);
    if (shown?.document) notify.withdraw(shown.document.run);
    this.store.setState({ document: shown?.document, viewed: shown?.viewed });
    this.#showRun();
  }

  /** The document's run is about the nodes of its own flow, not about those of a flow inside of them. */
  #showRun(): void {
    const { viewed, document } = this.shown;
    this.#active.show(viewed ?? (this.#editor.state.outer ? undefined : document));
  }

  #closeAll({ document, viewed }: Sessions): void {
    this.#close(document);
    this.#close(viewed);
  }

  #close(session: RunSession | undefined): void {
    if (!session) return;
    session.close();
    this.#list.forgetStatus(session.run);
  }
}
