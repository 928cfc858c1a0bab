/** The host's conversations, most recently changed first. Reloaded when a run adds messages. */
import { create } from "zustand";
import type { ConversationFlow, ConversationRecord } from "@/bindings";
import { flowStore } from "@/flow/store";
import { call, HostError } from "@/ipc";

export type ConversationScope = "flow" | "all";

type Conversations = {
  list: ConversationRecord[];
  state: "unknown" | "loading" | "known";
  error?: HostError;
  words: string;
  scope: ConversationScope;
  /** At most so many; whether there are more. */
  limit: number;
  cut: boolean;
};

/** Page size, in conversations. */
export const PAGE = 300;
/** Debounce delay for typing and for bursts of messages. */
const DELAY_MS = 150;

export const conversationsStore = create<Conversations>(() => ({
  list: [],
  state: "unknown",
  words: "",
  scope: "flow",
  limit: PAGE,
  cut: false,
}));

/** The flow on the canvas, as conversations know it. */
export function flowOf(state = flowStore.getState()): ConversationFlow {
  return { path: state.path, name: state.flow.name };
}

/** What a conversation keeps of its flow; the host's rule. */
export function flowKey({ path, name }: ConversationFlow): string {
  return path ?? `name:${name}`;
}

export function setFilter(change: Partial<Pick<Conversations, "words" | "scope">>): void {
  conversationsStore.setState({ ...change, limit: PAGE });
  refreshConversations();
}

/** Lists older ones, too. */
export function moreConversations(): void {
  conversationsStore.setState(({ limit }) => ({ limit: limit + PAGE }));
  void loadConversations();
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Reloads shortly. */
export function refreshConversations(): void {
  if (timer !== undefined) return;
  timer = setTimeout(() => {
    timer = undefined;
    void loadConversations();
  }, DELAY_MS);
}

let latestRequest = 0;

/** Reloads now. */
export async function loadConversations(): Promise<void> {
  const { state, words, scope, limit } = conversationsStore.getState();
  if (state === "unknown") conversationsStore.setState({ state: "loading" });
  const request = ++latestRequest;
  const answered = (change: Partial<Conversations>) => {
    // Ignores the late reply to an earlier request.
    if (request === latestRequest) conversationsStore.setState({ state: "known", ...change });
  };
  try {
    const search = words.trim() || undefined;
    const flow = scope === "flow" ? flowOf() : undefined;
    // One more than displayed, to know whether there are more.
    const found = await call("conversations.list", { flow, search, limit: limit + 1 });
    answered({ list: found.slice(0, limit), cut: found.length > limit, error: undefined });
  } catch (thrown) {
    answered({ error: HostError.from(thrown) });
  }
}
