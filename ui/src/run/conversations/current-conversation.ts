/**
 * The conversation that the next run of the shown document continues. None until it is chosen: an opened flow remembers nothing
 * of earlier runs. Documents behind keep theirs.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { ConversationRecord } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import type { FlowState } from "@/flow/document/flow-state";
import type { OpenDocuments } from "@/flow/files/open-documents";
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

  /** Those of the documents behind, by their keys. */
  readonly #behind = new Map<string, ConversationRecord>();

  constructor(
    readonly list: ConversationList,
    readonly documents: OpenDocuments,
  ) {}

  get current(): ConversationRecord | undefined {
    return this.store.getState().conversation;
  }

  /** Keeps it in step with the document and the list until the returned function is called. */
  follow(): () => void {
    const stopDocument = this.list.editor.store.subscribe((state, before) => {
      if (state.key !== before.key) {
        if (this.current && this.documents.isOpen(before.key)) this.#behind.set(before.key, this.current);
        this.store.setState({ conversation: this.#behind.get(state.key) });
        this.#behind.delete(state.key);
        this.list.refresh();
      } else if (flowKey(flowOf(state)) !== flowKey(flowOf(before))) {
        this.list.refresh();
      }
    });
    const stopClosed = this.documents.onClosed((key) => this.#behind.delete(key));
    // The first turn gives a conversation its title; another window may change it.
    const stopList = this.list.store.subscribe(({ list }) => {
      const known = list.find((one) => one.id === this.current?.id);
      if (known && known !== this.current) this.continueIn(known);
    });
    return () => {
      stopDocument();
      stopClosed();
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

  /** The same for the documents behind. */
  leaveAll(): void {
    this.#behind.clear();
    this.leave();
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
