import { memo, type ReactNode, useMemo, useState } from "react";
import type { NodeId, Origins, PromptRecord } from "@/bindings";
import type { EpochView } from "@/run/fold/types";
import type { RunSession } from "@/run/live/session";
import { type Line, linesOf } from "@/run/prompt-parts";
import { formatCount } from "@/run/values/format";
import { contextOf } from "@/run/values/inputs";
import { messageText } from "@/run/values/message-text";
import { ValueView } from "@/run/values/ValueView";
import { useWorkspace } from "@/workspace/context";
import { useEventCount } from "@/workspace/run-hooks";
import { OriginChips } from "./OriginChips";
import { PromptBlock } from "./PromptBlock";
import { TEXTS } from "./texts";

/** Long histories are shown from their end; the rest on demand. */
const MAX_VISIBLE_MESSAGES = 40;

// A prompt does not change any more: once all its lines are known, they are for good.
const complete = new WeakMap<PromptRecord, Line[]>();

/** The lines of a prompt, as they are known by now. */
export function usePromptLines(session: RunSession, node: NodeId, epoch: EpochView, prompt: PromptRecord): Line[] {
  // What is not known yet may come with any event.
  const events = useEventCount();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the journal is mutable; its length says when it changed.
  return useMemo(() => {
    const known = complete.get(prompt);
    if (known) return known;
    const context = contextOf({ nodes: session.fold.nodes, head: session.fold.head }, node, epoch.epoch);
    const lines = linesOf(prompt, epoch, session.log, context);
    if (!lines.some((line) => line.kind === "unknown")) complete.set(prompt, lines);
    return lines;
  }, [session, node, epoch.epoch, prompt, events]);
}

/** The messages a model was sent, in order. */
export const PromptMessages = memo(function PromptMessages({ lines }: { lines: readonly Line[] }) {
  const [all, setAll] = useState(false);
  const hidden = all ? 0 : Math.max(0, lines.length - MAX_VISIBLE_MESSAGES);
  return (
    <ol className="mt-2.5 flex flex-col gap-1.5" aria-label={TEXTS.messagesSent}>
      {hidden > 0 ? (
        <li>
          <Cut onClick={() => setAll(true)}>{TEXTS.showEarlierMessages(formatCount(hidden))}</Cut>
        </li>
      ) : null}
      {lines.slice(hidden).map((line) => (
        <li key={line.key}>
          <LineView line={line} />
        </li>
      ))}
    </ol>
  );
});

function LineView({ line }: { line: Line }) {
  const [open, setOpen] = useState(false);
  if (line.kind === "unknown") {
    return <Cut>{TEXTS.messagesTokensContentNot(formatCount(line.count), formatCount(line.tokens))}</Cut>;
  }
  if (line.kind === "block") return <PromptBlock line={line} />;
  if (line.kind === "left") {
    return (
      <>
        <Cut onClick={() => setOpen(!open)}>
          {formatCount(line.messages.length)} older {line.messages.length === 1 ? "message" : "messages"} left out,{" "}
          {formatCount(line.tokens)} tokens {open ? "▴" : "▾"}
        </Cut>
        {open
          ? line.messages.map((message) => (
              <div key={message.id} className="mt-1.5 opacity-70">
                <MessageBox role={message.role} tokens={message.tokens} text={messageText(message.content)} />
              </div>
            ))
          : null}
      </>
    );
  }
  const { role, tokens, text, author, origins } = line;
  return <MessageBox role={role} tokens={tokens} text={text} author={author} origins={origins} />;
}

/** One message: role, author, tokens, text, and where it comes from. */
export function MessageBox({
  role,
  tokens,
  text,
  author,
  origins,
}: {
  role: string;
  tokens?: number;
  text: string;
  author?: NodeId;
  origins?: Origins;
}) {
  const workspace = useWorkspace();
  return (
    <article className="rounded-lg border border-line bg-bg-2 px-2.5 py-1.5" aria-label={`${role} message`}>
      <header className="mb-0.5 flex items-baseline gap-2 text-xs">
        <b className="font-semibold text-fg-2">{role}</b>
        {author === undefined ? null : <span className="truncate text-fg-3">{workspace.nodeNames.nameOf(author)}</span>}
        {tokens === undefined ? null : (
          <span className="ml-auto font-mono text-fg-3 tabular-nums">{formatCount(tokens)}</span>
        )}
      </header>
      <ValueView value={text} label={`${role} message`} />
      <OriginChips origins={origins} />
    </article>
  );
}

function Cut({ children, onClick }: { children: ReactNode; onClick?: () => void }) {
  const look = "w-full rounded-lg border border-dashed border-line px-2 py-1 text-center text-fg-3 text-xs";
  return onClick ? (
    <button type="button" className={`${look} hover:border-line-2 hover:text-fg`} onClick={onClick}>
      {children}
    </button>
  ) : (
    <p className={look}>{children}</p>
  );
}
