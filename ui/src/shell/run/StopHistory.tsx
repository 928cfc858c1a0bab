import { useState } from "react";
import type { ContextId, Message, MessageId, StopView } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import type { HostError } from "@/ipc";
import { plainMessageText } from "@/run/fold/message-text";
import { TEXTS } from "@/shell/texts";
import { useWorkspace } from "@/workspace/context";
import { useContextView } from "@/workspace/run-hooks";

/** The most messages of a history that can be edited here: the newest. */
const MAX_MESSAGES = 40;

/** The context that a node uses which is held before its start. */
export function heldContext({ at, values }: StopView): ContextId | undefined {
  return at?.side === "before" ? contextIn(values.context) : undefined;
}

/** The id of a context, if a value is one. */
export function contextIn(handle: unknown): ContextId | undefined {
  const isHandle = typeof handle === "object" && handle !== null && "contextId" in handle;
  return isHandle && typeof handle.contextId === "string" ? handle.contextId : undefined;
}

/** The history of a context, whose messages can be reworded and removed before the next turn. */
export function StopHistory({ context }: { context: ContextId }) {
  const view = useContextView(context);
  const messages = view?.record.messageHistory ?? [];
  if (messages.length === 0) return <p className="w-full text-fg-2 text-sm">{TEXTS.emptyHistory}</p>;
  // An edit makes another revision, and so a form without drafts.
  return <HistoryForm key={view?.record.revision} messages={messages.slice(-MAX_MESSAGES)} />;
}

function HistoryForm({ messages }: { messages: readonly Message[] }) {
  const { runs } = useWorkspace();
  const [drafts, setDrafts] = useState<ReadonlyMap<MessageId, string | null>>(new Map());
  const [error, setError] = useState<HostError>();
  const draft = (id: MessageId, text: string | null, before: string) => {
    const next = new Map(drafts);
    if (text === before) next.delete(id);
    else next.set(id, text);
    setDrafts(next);
  };
  const apply = async () => {
    const edits = [...drafts].map(([message, text]) => ({ message, ...(text !== null && { text }) }));
    setError(await runs.debugger.editHistory(edits));
  };
  return (
    <div className="max-h-64 w-full overflow-y-auto" data-testid="stop-history">
      {messages.map((message) => {
        const before = plainMessageText(message.content);
        const text = drafts.has(message.id) ? drafts.get(message.id) : before;
        const name = `${TEXTS.roles[message.role]} · ${message.author.node}`;
        return (
          <div key={message.id} className="mb-1.5 flex items-start gap-2">
            <span className="w-28 shrink-0 truncate pt-1 text-right text-fg-2 text-xs" title={message.id}>
              {name}
            </span>
            <textarea
              aria-label={TEXTS.messageOf(name)}
              className="min-h-7 min-w-0 flex-1 resize-y rounded-md border border-line bg-bg-2 px-2 py-1 text-xs outline-none focus:border-accent disabled:line-through disabled:opacity-50"
              rows={Math.min(4, before.split("\n").length)}
              value={text ?? before}
              disabled={text === null}
              onChange={(event) => draft(message.id, event.currentTarget.value, before)}
            />
            <Button
              aria-pressed={text === null}
              aria-label={TEXTS.removeMessageOf(name)}
              onClick={() => draft(message.id, text === null ? before : null, before)}
            >
              {TEXTS.removeMessage}
            </Button>
          </div>
        );
      })}
      {error ? <ErrorMessage className="text-xs" error={error} /> : null}
      <Button className="ml-30" disabled={drafts.size === 0} onClick={() => void apply()}>
        {TEXTS.changeHistory}
      </Button>
    </div>
  );
}
