/** The expressions that a person watches: kept with the person's settings by the flow's file, as breakpoints are. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { FlowEditor } from "@/flow/document/editor";
import { type Memory, nameOf } from "./breakpoints";

const NAME = "watches";

/** By the file of the flow; by the document of one without a file. */
type State = Readonly<Record<string, readonly string[]>>;

const NONE: readonly string[] = [];

export class WatchStore {
  readonly store: StoreApi<State> = createStore<State>(() => ({}));
  readonly #editor: FlowEditor;
  readonly #memory: Memory;

  constructor(editor: FlowEditor, memory: Memory) {
    this.#editor = editor;
    this.#memory = memory;
    editor.store.subscribe((state, before) => {
      // The flow was saved under another name: its watches go with it.
      if (state.key === before.key && state.path !== before.path) this.#put(nameOf(state), this.of(nameOf(before)));
    });
  }

  /** Takes what an earlier session left. */
  load(): void {
    this.store.setState(this.#memory.remembered<State>(NAME) ?? {}, true);
  }

  of(name: string): readonly string[] {
    return this.store.getState()[name] ?? NONE;
  }

  /** Watches an expression in the shown flow. One that is watched already stays where it is. */
  add(expression: string): void {
    const name = nameOf(this.#editor.state);
    if (!this.of(name).includes(expression)) this.#put(name, [...this.of(name), expression]);
  }

  remove(expression: string): void {
    const name = nameOf(this.#editor.state);
    this.#put(
      name,
      this.of(name).filter((one) => one !== expression),
    );
  }

  #put(name: string, expressions: readonly string[]): void {
    const { [name]: _, ...others } = this.store.getState();
    const state = expressions.length > 0 ? { ...others, [name]: expressions } : others;
    this.store.setState(state, true);
    // A document without a file has no name in the next session.
    const kept = Object.entries(state).filter(([name]) => name.includes("/") || name.includes("\\"));
    this.#memory.remember(NAME, Object.fromEntries(kept));
  }
}
