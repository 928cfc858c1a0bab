/**
 * The conversation that the next run continues. None until it is chosen: an opened flow remembers nothing of earlier runs,
 * and opening another flow resets it.
 */
import { create } from "zustand";
import type { ConversationRecord } from "@/bindings";
import { notify } from "@/design/notify";
import { flowStore } from "@/flow/store";
import { call, HostError } from "@/ipc";
import { conversationsStore, flowKey, flowOf, refreshConversations } from "./conversation-list";

export const currentStore = create<{ conversation?: ConversationRecord }>(() => ({}));

flowStore.subscribe((state, before) => {
  if (state.key !== before.key) {
    currentStore.setState({ conversation: undefined });
    refreshConversations();
  } else if (flowKey(flowOf(state)) !== flowKey(flowOf(before))) {
    refreshConversations();
  }
});

// Its first turn sets its title, and another window may change it.
conversationsStore.subscribe(({ list }) => {
  const { conversation } = currentStore.getState();
  const known = list.find((one) => one.id === conversation?.id);
  if (known && known !== conversation) currentStore.setState({ conversation: known });
});

/** The next runs of this flow go on in it. */
export function continueIn(conversation: ConversationRecord): void {
  currentStore.setState({ conversation });
}

/** The next runs remember nothing again. */
export function stopContinuing(): void {
  currentStore.setState({ conversation: undefined });
}

/** Begins a conversation; the next runs go on in it. */
export async function beginConversation(): Promise<void> {
  try {
    continueIn(await call("conversations.open", { flow: flowOf(), new: true }));
    refreshConversations();
  } catch (thrown) {
    notify.error(HostError.from(thrown));
  }
}

/** Whether the next run continues it. */
export function isCurrent(conversation: ConversationRecord): boolean {
  return currentStore.getState().conversation?.id === conversation.id;
}

/** Whether a conversation is had with the flow on the canvas. */
export function isOfThisFlow(conversation: ConversationRecord, state = flowStore.getState()): boolean {
  return conversation.flow === flowKey(flowOf(state));
}

export function titleOf(conversation: Pick<ConversationRecord, "title">): string {
  return conversation.title || "New conversation";
}
