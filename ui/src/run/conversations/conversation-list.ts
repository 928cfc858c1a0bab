/** The host's conversations, most recently changed first. Reloaded when a run adds messages. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { ConversationFlow, ConversationRecord } from "@/bindings";
import type { FlowEditor } from "@/flow/document/editor";
import { documentFlow, type FlowState } from "@/flow/document/flow-state";
import { type Host, HostError } from "@/ipc";
import type { FlowFilter } from "@/run/list/run-filter";

export type Conversations = {
  list: ConversationRecord[];
  state: "unknown" | "loading" | "known";
  error?: HostError;
  words: string;
  flowFilter: FlowFilter;
  /** At most so many; whether there are more. */
  limit: number;
  cut: boolean;
};

/** Page size, in conversations. */
export const PAGE = 300;
/** Debounce delay for typing and for bursts of messages. */
const DELAY_MS = 150;

/** The flow on the canvas, as conversations know it. */
export function flowOf(state: Pick<FlowState, "path" | "flow">): ConversationFlow {
  return { path: state.path, name: documentFlow(state).name };
}

/** What a conversation keeps of its flow; the host's rule. */
export function flowKey({ path, name }: ConversationFlow): string {
  return path ?? `name:${name}`;
}

export class ConversationList {
  readonly store: StoreApi<Conversations> = createStore<Conversations>(() => ({
    list: [],
    state: "unknown",
    words: "",
    flowFilter: "flow",
    limit: PAGE,
    cut: false,
  }));
  #timer: ReturnType<typeof setTimeout> | undefined;
  #latestRequest = 0;

  constructor(
    readonly host: Host,
    readonly editor: FlowEditor,
  ) {}

  setFilter(change: Partial<Pick<Conversations, "words" | "flowFilter">>): void {
    this.store.setState({ ...change, limit: PAGE });
    this.refresh();
  }

  /** Lists older ones, too. */
  loadMore(): void {
    this.store.setState(({ limit }) => ({ limit: limit + PAGE }));
    void this.load();
  }

  /** Reloads shortly. */
  refresh(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.load();
    }, DELAY_MS);
  }

  /** Reloads now. */
  async load(): Promise<void> {
    const { state, words, flowFilter, limit } = this.store.getState();
    if (state === "unknown") this.store.setState({ state: "loading" });
    const request = ++this.#latestRequest;
    const answered = (change: Partial<Conversations>) => {
      // Ignores the late reply to an earlier request.
      if (request === this.#latestRequest) this.store.setState({ state: "known", ...change });
    };
    try {
      const search = words.trim() || undefined;
      const flow = flowFilter === "flow" ? flowOf(this.editor.state) : undefined;
      // One more than displayed, to know whether there are more.
      const found = await this.host.call("conversations.list", { flow, search, limit: limit + 1 });
      answered({ list: found.slice(0, limit), cut: found.length > limit, error: undefined });
    } catch (thrown) {
      answered({ error: HostError.from(thrown) });
    }
  }
}
