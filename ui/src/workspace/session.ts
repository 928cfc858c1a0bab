/** The flow that was open last and the view of it, so that the window begins where it was left. */
import type { Viewport } from "@xyflow/react";
import type { FlowEditor } from "@/flow/editor";
import type { CanvasStore } from "./canvas-store";
import type { SettingsStore } from "./settings";

const NAME = "session";
const SAVE_DELAY_MS = 500;

/** No path: a flow without a file. Drafts restore those. */
export type Session = { path?: string; viewport?: Viewport };

export class SessionStore {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly settings: SettingsStore,
    readonly editor: FlowEditor,
    readonly canvas: CanvasStore,
  ) {}

  /** What was open when the window was closed. */
  get last(): Session {
    return this.settings.remembered<Session>(NAME) ?? {};
  }

  /** Begins with the next flow that is opened. Returns a function that stops it. */
  follow(): () => void {
    return this.editor.store.subscribe((state, before) => {
      if (state.key !== before.key || state.path !== before.path) this.#remember({ path: state.path });
    });
  }

  /** The view has moved. That of a run or of a flow inside another one is not remembered. */
  viewMoved(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const { path, viewing, outer } = this.editor.state;
      const viewport = this.canvas.instance?.getViewport();
      if (path !== undefined && viewport && !viewing && !outer) this.#remember({ path, viewport });
    }, SAVE_DELAY_MS);
  }

  /** The flow that was open last can't be opened any more. */
  forget(): void {
    this.#remember({});
  }

  #remember(session: Session): void {
    this.settings.remember(NAME, session);
  }
}
