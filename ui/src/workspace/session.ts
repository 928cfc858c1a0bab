/** The flows that were open last and the views of them, so that the window begins where it was left. */
import type { Viewport } from "@xyflow/react";
import type { OpenDocuments } from "@/flow/files/open-documents";
import type { CanvasStore } from "./canvas-store";
import type { SettingsStore } from "./settings/settings";

const NAME = "session";
const SAVE_DELAY_MS = 500;

/** Flows without a file are not among them: drafts restore those. */
export type Session = {
  /** In the order of their tabs. */
  tabs: readonly { path: string; viewport?: Viewport }[];
  /** The one that was shown. */
  shown?: string;
};

export class SessionStore {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isFollowing = false;
  readonly #views = new Map<string, Viewport>();
  /** Files of the last session that could not be opened. */
  readonly #kept = new Set<string>();

  constructor(
    readonly settings: SettingsStore,
    readonly documents: OpenDocuments,
    readonly canvas: CanvasStore,
  ) {}

  /** What was open when the window was closed. */
  get last(): Session {
    const { tabs = [], shown } = this.settings.remembered<Partial<Session>>(NAME) ?? {};
    return { tabs, shown };
  }

  /**
   * Stores the open documents, now and after each change. Until then nothing is stored, so that the last session stays
   * whole while it is being opened again. Returns a function that stops it.
   */
  follow(): () => void {
    const { editor, store } = this.documents;
    this.#isFollowing = true;
    this.#remember();
    const stopEditor = editor.store.subscribe((state, before) => {
      if (state.key !== before.key || state.path !== before.path) this.#remember();
    });
    const stopDocuments = store.subscribe(() => this.#remember());
    return () => {
      this.#isFollowing = false;
      stopEditor();
      stopDocuments();
    };
  }

  /** Begins the flow of a file with this view, when it is shown. */
  restoreView(path: string, viewport: Viewport): void {
    this.#views.set(path, viewport);
    this.canvas.restoredViews.set(path, viewport);
  }

  /** Keeps a file in the session although it is not open: it could not be opened. */
  keep(path: string): void {
    this.#kept.add(path);
    this.#remember();
  }

  /** The person does not want the file any more, or has found it elsewhere. */
  drop(path: string): void {
    this.#kept.delete(path);
    this.#remember();
  }

  /** The view has moved. That of a run or of a flow inside another one is not remembered. */
  viewMoved(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const { path, viewing, outer } = this.documents.editor.state;
      const viewport = this.canvas.instance?.getViewport();
      if (path === undefined || !viewport || viewing || outer) return;
      this.#views.set(path, viewport);
      this.#remember();
    }, SAVE_DELAY_MS);
  }

  #remember(): void {
    if (!this.#isFollowing) return;
    const { all, editor } = this.documents;
    const open = all.flatMap(({ path }) => path ?? []);
    const kept = [...this.#kept].filter((path) => !open.includes(path));
    const tabs = [...open, ...kept].map((path) => ({ path, viewport: this.#views.get(path) }));
    const session: Session = { tabs, shown: editor.state.path };
    this.settings.remember(NAME, session);
  }
}
