import { ArrowLeft, GitFork } from "lucide-react";
import { useEffect, useState } from "react";
import type { ConversationMessage, ConversationRecord } from "@/bindings";
import { Button, IconButton } from "@/design/controls/Button";
import { notify } from "@/design/dialogs/notify";
import { Empty } from "@/design/text/Empty";
import { HostError } from "@/ipc";
import { titleOf } from "@/run/conversations/current-conversation";
import { messageText } from "@/run/fold/message-text";
import { Truncated } from "@/run/values/Truncated";
import { useWorkspace } from "@/workspace/context";
import { forkConversation } from "./actions";
import { Continue } from "./ConversationRow";
import { TEXTS } from "./texts";

const PAGE = 100;

/** One conversation, message by message, from its end; each can be where another one begins. */
export function ConversationMessages({
  conversation,
  onClose,
  onOpen,
}: {
  conversation: ConversationRecord;
  onClose: () => void;
  onOpen: (conversation: ConversationRecord) => void;
}) {
  const workspace = useWorkspace();
  const { messages, earlier, more } = useMessages(conversation);
  return (
    <>
      <header className="flex shrink-0 items-center gap-1 border-line border-b px-1.5 py-1">
        <IconButton label={TEXTS.backToConversations} icon={<ArrowLeft size={15} />} onClick={onClose} />
        <h2 className="min-w-0 flex-1 truncate font-medium" title={titleOf(conversation)}>
          {titleOf(conversation)}
        </h2>
        <Continue conversation={conversation} />
      </header>
      {messages.length === 0 ? (
        <Empty title={TEXTS.noMessagesYet}>
          <p>{TEXTS.runFlowStartConversation}</p>
        </Empty>
      ) : (
        <section
          className="min-h-0 flex-1 overflow-auto px-2.5 py-2"
          aria-label={TEXTS.transcript}
          data-testid="conversation-messages"
        >
          {earlier > 0 ? (
            <Button className="mb-2 w-full" onClick={more}>
              {TEXTS.showMoreEarlier(earlier)}
            </Button>
          ) : null}
          <ol className="flex flex-col gap-2">
            {messages.map((message) => (
              <li key={message.id} className="group rounded-lg border border-line bg-bg px-2.5 py-1.5">
                <p className="flex h-[26px] items-center text-fg-3 text-xs">
                  <span className={message.role === "user" ? "text-data" : "text-context"}>
                    {message.role === "user" ? TEXTS.user : TEXTS.assistant}
                  </span>
                  <span className="ml-auto tabular-nums">{TEXTS.tokens(message.tokens)}</span>
                  <IconButton
                    label={message.role === "user" ? TEXTS.forkBeforeMessage : TEXTS.forkFromHere}
                    data-testid={`conversation-fork-${message.id}`}
                    icon={<GitFork size={13} />}
                    onClick={() =>
                      void forkConversation(workspace, conversation, message.id).then((fork) => fork && onOpen(fork))
                    }
                  />
                </p>
                <p className="whitespace-pre-wrap break-words text-sm">{messageText(message.content)}</p>
                {message.truncated ? <Truncated className="mt-0.5" /> : null}
              </li>
            ))}
          </ol>
        </section>
      )}
    </>
  );
}

/** The latest messages, with paging towards the start. Reloaded when the conversation grows. */
function useMessages({ id, messages: count }: ConversationRecord) {
  const { host } = useWorkspace();
  const [wanted, setWanted] = useState(PAGE);
  const [messages, setMessages] = useState<ConversationMessage[]>([]);
  useEffect(() => {
    let over = false;
    const from = Math.max(0, count - wanted);
    host.call("conversations.messages", { conversation: id, from, limit: wanted }).then(
      (page) => {
        if (!over) setMessages(page.messages);
      },
      (thrown) => notify.error(HostError.from(thrown)),
    );
    return () => {
      over = true;
    };
  }, [host, id, count, wanted]);
  return { messages, earlier: Math.max(0, count - wanted), more: () => setWanted(wanted + PAGE) };
}
