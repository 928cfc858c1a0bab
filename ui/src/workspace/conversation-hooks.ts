/** Hooks for the list of conversations and for the one that the next run continues. */
import { useStore } from "zustand";
import type { ConversationRecord } from "@/bindings";
import type { Conversations } from "@/run/conversations/conversation-list";
import { useWorkspace } from "./context";

export function useConversations<T>(select: (conversations: Conversations) => T): T {
  return useStore(useWorkspace().conversations.store, select);
}

/** The conversation that the next run continues, if there is one. */
export function useCurrentConversation(): ConversationRecord | undefined {
  return useStore(useWorkspace().conversation.store, (state) => state.conversation);
}
