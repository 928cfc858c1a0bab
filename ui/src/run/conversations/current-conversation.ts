/**
 * The conversation that the next run continues. None until it is chosen: an opened flow remembers nothing of earlier runs,
 * and opening another flow resets it.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { ConversationRecord } from "@/bindings";
import { notify } from "@/design/notify";
import type { FlowState } from "@/flow/flow-state";
import { HostError } from "@/ipc";
import { type ConversationList, flowKey, flowOf } from "./conversation-list";

/** Whether a conversation is had with the flow on the canvas. */
export function isOfThisFlow(conversation: ConversationRecord, state: FlowState): boolean {
  return conversation.flow === flowKey(flowOf(state));
}

export function titleOf(conversation: Pick<ConversationRecord, "title">): string {
  return conversation.title || "New conversation";
}

export class CurrentConversation {
  readonly store: StoreApi<{ conversation?: ConversationRecord }> = createStore(() => ({}));

  constructor(readonly list: ConversationList) {}

  get current(): ConversationRecord | undefined {
    return this.store.getState().conversation;
  }

  /** Keeps it in step with the document and the list until the returned function is called. */
  follow(): () => void {
    const stopDocument = this.list.editor.store.subscribe((state, before) => {
      if (state.key !== before.key) {
        this.leave();
        this.list.refresh();
      } else if (flowKey(flowOf(state)) !== flowKey(flowOf(before))) {
        this.list.refresh();
      }
    });
    // The first turn gives a conversation its title; another window may change it.
    const stopList = this.list.store.subscribe(({ list }) => {
      const known = list.find((one) => one.id === this.current?.id);
      if (known && known !== this.current) this.continueIn(known);
    });
    return () => {
      stopDocument();
      stopList();
    };
  }

  /** The next runs of this flow go on in it. */
  continueIn(conversation: ConversationRecord): void {
    this.store.setState({ conversation });
  }

  /** The next runs remember nothing again. */
  leave(): void {
    this.store.setState({ conversation: undefined });
  }

  /** Begins a conversation; the next runs go on in it. */
  async begin(): Promise<void> {
    const { host, editor } = this.list;
    try {
      this.continueIn(await host.call("conversations.open", { flow: flowOf(editor.state), new: true }));
      this.list.refresh();
    } catch (thrown) {
      notify.error(HostError.from(thrown));
    }
  }

  /** Whether the next run continues it. */
  isCurrent(conversation: ConversationRecord): boolean {
    return this.current?.id === conversation.id;
  }
}
