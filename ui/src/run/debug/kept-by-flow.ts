/** Lists that a person keeps for flows, such as breakpoints: with the settings, by the flow's file, and not in the flow. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { FlowEditor } from "@/flow/document/editor";

/** What keeps them between sessions. */
export type Memory = {
  remembered<T>(name: string): T | undefined;
  remember(name: string, value: unknown): void;
};

/** By the file of the flow; by the document of one without a file. */
type State<T> = Readonly<Record<string, readonly T[]>>;

const NONE: readonly never[] = [];

export class KeptByFlow<T> {
  readonly store: StoreApi<State<T>> = createStore<State<T>>(() => ({}));
  readonly #name: string;
  readonly #editor: FlowEditor;
  readonly #memory: Memory;

  /** `name` is that of the setting. */
  constructor(name: string, editor: FlowEditor, memory: Memory) {
    this.#name = name;
    this.#editor = editor;
    this.#memory = memory;
    editor.store.subscribe((state, before) => {
      // The flow was saved under another name: its list goes with it.
      if (state.key === before.key && state.path !== before.path) this.put(nameOf(state), this.of(nameOf(before)));
    });
  }

  /** Takes what an earlier session left. */
  load(): void {
    this.store.setState(this.#memory.remembered<State<T>>(this.#name) ?? {}, true);
  }

  /** Those of the flow that is shown. */
  get current(): readonly T[] {
    return this.of(this.currentName);
  }

  of(name: string): readonly T[] {
    return this.store.getState()[name] ?? NONE;
  }

  /** The name of the flow that is shown. */
  protected get currentName(): string {
    return nameOf(this.#editor.state);
  }

  protected putCurrent(list: readonly T[]): void {
    this.put(this.currentName, list);
  }

  protected put(name: string, list: readonly T[]): void {
    const { [name]: _, ...others } = this.store.getState();
    const state = list.length > 0 ? { ...others, [name]: list } : others;
    this.store.setState(state, true);
    // A document without a file has no name in the next session.
    const kept = Object.entries(state).filter(([name]) => name.includes("/") || name.includes("\\"));
    this.#memory.remember(this.#name, Object.fromEntries(kept));
  }
}

/** The name by which the lists of a document are kept. */
export function nameOf({ path, key }: { path?: string | undefined; key: string }): string {
  return path ?? key;
}
