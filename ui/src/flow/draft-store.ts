/** Stores a draft of an unsaved document with the host, so that a crash loses at most one second of work. */
import type { Host } from "@/ipc";
import type { FlowEditor } from "./editor";
import { documentFlow, type FlowState, isDirty } from "./flow-state";

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
  ) {}

  /** Registers a draft that an earlier session left with the host. */
  adopt(key: string): void {
    this.#known.add(key);
  }

  /** Deletes the draft of the document. The document itself stays as it is. */
  async discard(): Promise<void> {
    this.#cancelTimer();
    const { key } = this.editor.state;
    if (!this.#known.has(key)) return;
    this.#drop(key);
    await this.#queue;
  }

  /** Syncs the draft with the document: writes it if there are unsaved changes, otherwise drops it. */
  write(): void {
    this.#cancelTimer();
    const { state } = this.editor;
    if (isDirty(state)) this.#put(state);
    else if (this.#known.has(state.key)) this.#drop(state.key);
  }

  /** Keeps the draft up to date until the returned function is called, which writes what is outstanding. */
  follow(): () => void {
    const stop = this.editor.store.subscribe((state, before) => {
      if (!changed(state, before)) return;
      // The document was replaced on purpose, so its draft is dropped.
      if (state.key !== before.key && this.#known.has(before.key)) this.#drop(before.key);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.write(), DELAY_MS);
    });
    const flush = () => {
      if (this.#timer !== undefined) this.write();
    };
    const onHide = () => {
      if (document.visibilityState === "hidden") flush();
    };
    window.addEventListener("pagehide", flush);
    document.addEventListener("visibilitychange", onHide);
    return () => {
      stop();
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
