import { MessagesSquare, X } from "lucide-react";
import { Tooltip } from "@/design/controls/Tooltip";
import { titleOf } from "@/run/conversations/current-conversation";
import { TEXTS } from "@/shell/texts";
import { useFlow, useWorkspace } from "@/workspace/context";
import { useConversations, useCurrentConversation, useRunHead } from "@/workspace/run-hooks";

/** The conversation that the next run continues, or that the viewed run continued. Hidden without one. */
export function ConversationChip() {
  const workspace = useWorkspace();
  const viewing = useFlow((state) => state.viewing !== undefined);
  const current = useCurrentConversation();
  const displayed = useRunHead((head) => head.conversation?.id);
  const known = useConversations((state) => state.list.find((one) => one.id === displayed));
  if (viewing) {
    return displayed === undefined ? null : (
      <Chip text={known ? titleOf(known) : TEXTS.aConversation} tip="This run continued" />
    );
  }
  if (!current) return null;
  return (
    <span className="flex items-center">
      <Chip text={titleOf(current)} tip="The next run continues" />
      <Tooltip label={TEXTS.leaveConversation}>
        <button
          type="button"
          className="-ml-1 grid size-6 place-items-center rounded-full text-fg-3 hover:bg-bg-3 hover:text-fg"
          aria-label={TEXTS.leaveConversation}
          data-testid="conversation-leave"
          onClick={() => workspace.conversation.leave()}
        >
          <X size={13} aria-hidden />
        </button>
      </Tooltip>
    </span>
  );
}

function Chip({ text, tip }: { text: string; tip: string }) {
  const workspace = useWorkspace();
  return (
    <Tooltip label={TEXTS.showConversations(tip, text)}>
      <button
        type="button"
        className="flex h-[26px] max-w-44 items-center gap-1.5 rounded-full border border-context/50 px-2.5 text-xs hover:bg-bg-3"
        aria-label={TEXTS.showConversations(tip, text)}
        data-testid="conversation-chip"
        onClick={() => workspace.layout.showPanel("conversations")}
      >
        <MessagesSquare size={13} className="shrink-0 text-context" aria-hidden />
        <span className="truncate">{text}</span>
      </button>
    </Tooltip>
  );
}
