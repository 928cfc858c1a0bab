/** The conversations the host keeps, the one that changed last first. Asked for anew when a run has said something. */
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

/** So many are asked for, and as many more whenever somebody wants older ones. */
export const PAGE = 300;
/** Somebody types, or a run says several things: one question is enough. */
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

/** Asks again shortly. */
export function refreshConversations(): void {
  if (timer !== undefined) return;
  timer = setTimeout(() => {
    timer = undefined;
    void loadConversations();
  }, DELAY_MS);
}

let latestRequest = 0;

/** Asks now. */
export async function loadConversations(): Promise<void> {
  const { state, words, scope, limit } = conversationsStore.getState();
  if (state === "unknown") conversationsStore.setState({ state: "loading" });
  const request = ++latestRequest;
  const answered = (change: Partial<Conversations>) => {
    // A slower answer to an earlier question is no news.
    if (request === latestRequest) conversationsStore.setState({ state: "known", ...change });
  };
  try {
    const search = words.trim() || undefined;
    const flow = scope === "flow" ? flowOf() : undefined;
    // One more than is shown tells whether there are more.
    const found = await call("conversations.list", { flow, search, limit: limit + 1 });
    answered({ list: found.slice(0, limit), cut: found.length > limit, error: undefined });
  } catch (thrown) {
    answered({ error: HostError.from(thrown) });
  }
}
