import { Plus } from "lucide-react";
import { useEffect, useState } from "react";
import type { ConversationRecord } from "@/bindings";
import { Button, IconButton } from "@/design/controls/Button";
import { SearchField } from "@/design/controls/SearchField";
import { Select } from "@/design/controls/Select";
import { Empty } from "@/design/text/Empty";
import { InlineCode } from "@/design/text/InlineCode";
import { useNow } from "@/design/useNow";
import type { FlowFilter } from "@/run/list/run-filter";
import { useWorkspace } from "@/workspace/context";
import { useConversations } from "@/workspace/run-hooks";
import { ConversationMessages } from "./ConversationMessages";
import { ConversationRow } from "./ConversationRow";
import { LoadMore } from "./LoadMore";
import { TEXTS } from "./texts";

/** The conversations of a flow, to read, continue or fork. */
export function ConversationsPanel() {
  const workspace = useWorkspace();
  const list = useConversations((state) => state.list);
  const [open, setOpen] = useState<ConversationRecord>();
  useEffect(() => void workspace.conversations.load(), [workspace]);
  // The listed record is current; one that the search hides stays as it was when opened.
  const displayed = open && (list.find((one) => one.id === open.id) ?? open);
  return (
    <section className="flex h-full min-h-0 flex-col" aria-label={TEXTS.conversations}>
      {displayed ? (
        <ConversationMessages conversation={displayed} onClose={() => setOpen(undefined)} onOpen={setOpen} />
      ) : (
        <>
          <Filters />
          <List onOpen={setOpen} />
          <LoadMore />
        </>
      )}
    </section>
  );
}

const FLOW_FILTERS: readonly { id: FlowFilter; label: string }[] = [
  { id: "flow", label: TEXTS.thisFlow },
  { id: "all", label: TEXTS.allFlows },
];

function Filters() {
  const workspace = useWorkspace();
  const { words, flowFilter } = useConversations((conversations) => conversations);
  return (
    <div className="flex shrink-0 flex-col gap-1.5 p-2.5">
      <SearchField
        label={TEXTS.searchConversations}
        testId="conversations-search"
        value={words}
        onChange={(text) => workspace.conversations.setFilter({ words: text })}
      />
      <div className="flex gap-1.5">
        <Select
          label={TEXTS.flow}
          testId="conversations-scope"
          className="min-w-0 flex-1"
          options={FLOW_FILTERS}
          value={flowFilter}
          onChange={(chosen) => workspace.conversations.setFilter({ flowFilter: chosen })}
        />
        <IconButton
          kind="plain"
          label={TEXTS.newConversation}
          data-testid="conversation-new"
          icon={<Plus size={15} />}
          onClick={() => void workspace.conversation.begin()}
        />
      </div>
    </div>
  );
}

function List({ onOpen }: { onOpen: (conversation: ConversationRecord) => void }) {
  const workspace = useWorkspace();
  const { list, state, error, words, flowFilter } = useConversations((conversations) => conversations);
  const now = useNow();
  if (error) {
    return (
      <Empty title={TEXTS.couldntLoadConversations}>
        <p>
          <InlineCode text={error.message} /> <InlineCode text={error.hint} />
        </p>
        <Button onClick={() => void workspace.conversations.load()}>{TEXTS.tryAgain}</Button>
      </Empty>
    );
  }
  if (list.length === 0) {
    return state !== "known" ? (
      <Empty title={TEXTS.loadingConversations} />
    ) : words.trim() ? (
      <Empty title={TEXTS.noMatches}>
        <p>{TEXTS.tryOtherWordsSearch}</p>
      </Empty>
    ) : (
      <Empty title={TEXTS.noConversationsYet}>
        <p>
          {TEXTS.runsStartWithoutHistory}
          {flowFilter === "flow" ? TEXTS.olderUnderAllFlows : ""}
        </p>
        <Button data-testid="conversation-begin" onClick={() => void workspace.conversation.begin()}>
          <Plus size={14} aria-hidden /> {TEXTS.newConversation}
        </Button>
      </Empty>
    );
  }
  return (
    <ul
      className="min-h-0 flex-1 overflow-auto px-1.5 pb-2"
      aria-label={TEXTS.conversationsNewestFirst}
      data-testid="conversations"
    >
      {list.map((one) => (
        <ConversationRow key={one.id} conversation={one} now={now} onOpen={() => onOpen(one)} />
      ))}
    </ul>
  );
}
