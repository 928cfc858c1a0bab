/** Stores a draft of each unsaved document with the host, so that a crash loses at most one second of work. */

import type { FlowEditor } from "@/flow/document/editor";
import { documentFlow, type FlowState, isDirty } from "@/flow/document/flow-state";
import type { Host } from "@/ipc";
import type { OpenDocuments } from "./open-documents";

const DELAY_MS = 1000;

export class DraftStore {
  /** Keys of the drafts the host has. */
  readonly #known = new Set<string>();
  /** Writes and drops are serialized: a late write must not restore a dropped draft. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Pending draft write. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly host: Host,
    readonly editor: FlowEditor,
    readonly documents: OpenDocuments,
  ) {}

  /** Registers a draft that an earlier session left with the host. */
  adopt(key: string): void {
    this.#known.add(key);
  }

  /** Deletes the draft of a document. The document itself stays as it is. */
  async discard(key: string): Promise<void> {
    if (key === this.editor.state.key) this.#cancelTimer();
    if (!this.#known.has(key)) return;
    this.#drop(key);
    await this.#queue;
  }

  /** Syncs the draft with its document: writes it if there are unsaved changes, otherwise drops it. */
  #write(state = this.editor.state): void {
    this.#cancelTimer();
    if (isDirty(state)) this.#put(state);
    else if (this.#known.has(state.key)) this.#drop(state.key);
  }

  /** Keeps the drafts up to date until the returned function is called, which writes outstanding drafts. */
  follow(): () => void {
    const stop = this.editor.store.subscribe((state, before) => {
      if (!changed(state, before)) return;
      // Another document is shown; the one before waits with its draft, unless it was closed.
      const isOutstanding = this.#timer !== undefined && state.key !== before.key;
      if (isOutstanding && this.documents.isOpen(before.key)) this.#write(before);
      if (state.key !== before.key) this.#cancelTimer();
      // Saved: the draft goes at once. Who closes the window now is not asked about it the next time.
      if (state.key === before.key && this.#known.has(state.key) && !isDirty(state)) {
        this.#write();
        return;
      }
      // A pending write is not put off: somebody may type without a pause.
      this.#timer ??= setTimeout(() => this.#write(), DELAY_MS);
    });
    // A document is closed on purpose, so its draft goes, too.
    const stopClosed = this.documents.onClosed((key) => {
      if (this.#known.has(key)) this.#drop(key);
    });
    const flush = () => {
      if (this.#timer !== undefined) this.#write();
    };
    const onHide = () => {
      if (document.visibilityState === "hidden") flush();
    };
    window.addEventListener("pagehide", flush);
    document.addEventListener("visibilitychange", onHide);
    return () => {
      stop();
      stopClosed();
      flush();
      window.removeEventListener("pagehide", flush);
      document.removeEventListener("visibilitychange", onHide);
    };
  }

  #cancelTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Errors are ignored: without a draft, saving still works and reports errors. */
  #put(state: FlowState): void {
    const { key, path, hash } = state;
    const flow = documentFlow(state);
    this.#known.add(key);
    this.#queue = this.#queue
      .then(() => this.host.call("autosave.put", { key, path, baseHash: hash, flow }))
      .catch(() => this.#known.delete(key));
  }

  #drop(key: string): void {
    this.#known.delete(key);
    this.#queue = this.#queue.then(() => this.host.call("autosave.drop", { key })).catch(() => undefined);
  }
}

function changed(a: FlowState, b: FlowState): boolean {
  return documentFlow(a) !== documentFlow(b) || a.saved !== b.saved || a.key !== b.key;
}
