/** The breakpoints of flows: kept with the person's settings by the flow's file, and not in the flow. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Breakpoint, Flow, NodeId, Side } from "@/bindings";
import type { FlowEditor } from "@/flow/document/editor";

const NAME = "breakpoints";

/** What keeps them between sessions. */
export type Memory = {
  remembered<T>(name: string): T | undefined;
  remember(name: string, value: unknown): void;
};

/** By the file of the flow; by the document of one without a file. */
type State = Readonly<Record<string, readonly Breakpoint[]>>;

const NONE: readonly Breakpoint[] = [];

export class BreakpointStore {
  readonly store: StoreApi<State> = createStore<State>(() => ({}));
  readonly #editor: FlowEditor;
  readonly #memory: Memory;

  constructor(editor: FlowEditor, memory: Memory) {
    this.#editor = editor;
    this.#memory = memory;
    editor.store.subscribe((state, before) => {
      // The flow was saved under another name: its breakpoints go with it.
      if (state.key === before.key && state.path !== before.path) this.#put(nameOf(state), this.of(nameOf(before)));
    });
  }

  /** Takes what an earlier session left. */
  load(): void {
    this.store.setState(this.#memory.remembered<State>(NAME) ?? {}, true);
  }

  /** Those of the flow that is shown. */
  get current(): readonly Breakpoint[] {
    return this.of(nameOf(this.#editor.state));
  }

  of(name: string): readonly Breakpoint[] {
    return this.store.getState()[name] ?? NONE;
  }

  /** Sets a breakpoint of the shown flow, or changes it. */
  set(node: NodeId, side: Side, change: Partial<Pick<Breakpoint, "when" | "log" | "disabled">> = {}): void {
    const isKnown = this.current.some((one) => isAt(one, node, side));
    this.#putCurrent(
      isKnown
        ? this.current.map((one) => (isAt(one, node, side) ? { ...one, ...change } : one))
        : [...this.current, { id: idOf(node, side), node, side, ...change }],
    );
  }

  /** Removes a breakpoint of the shown flow. */
  remove(node: NodeId, side: Side): void {
    this.#putCurrent(this.current.filter((one) => !isAt(one, node, side)));
  }

  /** Takes over breakpoints that somebody else set in a run of the shown flow, and removes others. */
  adopt(set: readonly Breakpoint[], removed: readonly string[]): void {
    const kept = this.current.filter(({ id }) => !removed.includes(id) && set.every((one) => one.id !== id));
    this.#putCurrent([...kept, ...set]);
  }

  /** Removes all breakpoints of the shown flow. Returns what brings them back. */
  removeAll(): () => void {
    const name = nameOf(this.#editor.state);
    const removed = this.current;
    this.#putCurrent([]);
    return () => {
      const later = this.of(name);
      this.#put(name, [...removed.filter(({ id }) => later.every((one) => one.id !== id)), ...later]);
    };
  }

  #putCurrent(breakpoints: readonly Breakpoint[]): void {
    this.#put(nameOf(this.#editor.state), breakpoints);
  }

  #put(name: string, breakpoints: readonly Breakpoint[]): void {
    const { [name]: _, ...others } = this.store.getState();
    const state = breakpoints.length > 0 ? { ...others, [name]: breakpoints } : others;
    this.store.setState(state, true);
    // A document without a file has no name in the next session.
    const kept = Object.entries(state).filter(([name]) => name.includes("/") || name.includes("\\"));
    this.#memory.remember(NAME, Object.fromEntries(kept));
  }
}

/** The name by which the breakpoints of a document are kept. */
export function nameOf({ path, key }: { path?: string | undefined; key: string }): string {
  return path ?? key;
}

/** Those whose nodes the flow has. The others wait for the node to come back, by undo or from the file. */
export function breakpointsIn(flow: Flow, breakpoints: readonly Breakpoint[]): Breakpoint[] {
  return breakpoints.filter(({ node }) => node in flow.nodes);
}

/** A node of a sub-flow is no place in this flow. */
function isAt({ path, node, side }: Breakpoint, ofNode: NodeId, ofSide: Side): boolean {
  return !path?.length && node === ofNode && (side ?? "before") === ofSide;
}

function idOf(node: NodeId, side: Side): string {
  return `${node}:${side}`;
}
