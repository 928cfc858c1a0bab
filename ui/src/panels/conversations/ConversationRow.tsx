import { Download, MessagesSquare, Pencil, Play, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ConversationRecord, Spending } from "@/bindings";
import { IconButton } from "@/design/controls/Button";
import { isComposing } from "@/design/keys/keys";
import { isOfThisFlow, titleOf } from "@/run/conversations/current-conversation";
import { describeCost, describeTokens, formatAgo, formatCost, formatCount, formatDate } from "@/run/values/format";
import { useFlow, useWorkspace } from "@/workspace/context";
import { useCurrentConversation } from "@/workspace/run-hooks";
import { deleteConversation, exportConversation, goOnIn, renameConversation } from "./actions";
import { TEXTS } from "./texts";

/** One conversation of the list: title, size, last change and actions. */
export function ConversationRow({
  conversation,
  now,
  onOpen,
}: {
  conversation: ConversationRecord;
  now: number;
  onOpen: () => void;
}) {
  const workspace = useWorkspace();
  const [renaming, setRenaming] = useState(false);
  const current = useCurrentConversation()?.id === conversation.id;
  const { id, messages, tokens, spent, updatedAt } = conversation;
  if (renaming) return <Rename conversation={conversation} onDone={() => setRenaming(false)} />;
  return (
    <li
      className="group relative rounded-md hover:bg-bg-3/60 has-[:focus-visible]:bg-bg-3/60 data-[current]:bg-bg-3"
      data-testid={`conversation-row-${id}`}
      data-current={current || undefined}
    >
      <button
        type="button"
        className="flex w-full items-start gap-2.5 rounded-md px-2 py-1.5 text-left"
        aria-current={current || undefined}
        onClick={onOpen}
      >
        <MessagesSquare size={14} className="mt-[3px] shrink-0 text-context" aria-hidden />
        <span className="min-w-0 flex-1">
          <b className="block truncate font-medium" title={titleOf(conversation)}>
            {titleOf(conversation)}
          </b>
          <span className="block truncate text-fg-3 text-xs tabular-nums">
            {formatCount(messages)} {messages === 1 ? "message" : "messages"} · {formatCount(tokens)} {TEXTS.tokensUnit}{" "}
            <time dateTime={new Date(updatedAt).toISOString()} title={formatDate(updatedAt)}>
              {formatAgo(updatedAt, now)}
            </time>
          </span>
          {spent.calls > 0 ? <SpentLine spent={spent} /> : null}
          {current ? <span className="block text-context text-xs">{TEXTS.nextRunContinues}</span> : null}
        </span>
      </button>
      <span className="absolute top-0.5 right-1 hidden rounded-md bg-bg-3 group-focus-within:flex group-hover:flex">
        <Continue conversation={conversation} />
        <IconButton
          label={TEXTS.rename}
          data-testid={`conversation-rename-${id}`}
          icon={<Pencil size={13} />}
          onClick={() => setRenaming(true)}
        />
        <IconButton
          label={TEXTS.exportMenu}
          data-testid={`conversation-export-${id}`}
          icon={<Download size={14} />}
          onClick={() => void exportConversation(workspace, conversation)}
        />
        <IconButton
          label={TEXTS.deleteMenu}
          data-testid={`conversation-delete-${id}`}
          icon={<Trash2 size={14} />}
          onClick={() => void deleteConversation(workspace, conversation)}
        />
      </span>
    </li>
  );
}

/** Usage and cost of its model calls. The tokens above count its messages once; most calls send them again. */
function SpentLine({ spent: { calls, tokens, cost } }: { spent: Spending }) {
  return (
    <span
      className="block truncate text-fg-3 text-xs tabular-nums"
      title={[describeTokens(tokens), describeCost(cost)].join("\n")}
      data-testid="conversation-spent"
    >
      {formatCost(cost)} for {formatCount(tokens.input + tokens.output)} tokens in {formatCount(calls)}{" "}
      {calls === 1 ? "call" : "calls"}
    </span>
  );
}

/** Continues a conversation in the next run. */
export function Continue({ conversation }: { conversation: ConversationRecord }) {
  const workspace = useWorkspace();
  const mine = useFlow((state) => isOfThisFlow(conversation, state));
  const current = useCurrentConversation()?.id === conversation.id;
  if (current) return null;
  return (
    <IconButton
      label={mine ? TEXTS.continueNextRun : TEXTS.continueHere}
      data-testid={`conversation-continue-${conversation.id}`}
      icon={<Play size={14} />}
      onClick={() => void goOnIn(workspace, conversation)}
    />
  );
}

function Rename({ conversation, onDone }: { conversation: ConversationRecord; onDone: () => void }) {
  const workspace = useWorkspace();
  const [title, setTitle] = useState(conversation.title);
  const keep = () => {
    onDone();
    if (title.trim() && title.trim() !== conversation.title)
      void renameConversation(workspace, conversation.id, title.trim());
  };
  return (
    <li className="px-2 py-1.5">
      <input
        // biome-ignore lint/a11y/noAutofocus: the field opens on request.
        autoFocus
        className="h-[30px] w-full rounded-md border border-line bg-bg px-2"
        aria-label={TEXTS.conversationTitle}
        data-testid="conversation-title"
        value={title}
        onChange={(event) => setTitle(event.target.value)}
        onBlur={keep}
        onKeyDown={(event) => {
          if (isComposing(event)) return;
          if (event.key === "Enter") keep();
          if (event.key === "Escape") onDone();
        }}
      />
    </li>
  );
}
