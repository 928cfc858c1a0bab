import { memo, useState } from "react";
import type { Attachment, Epoch, LeftOut, NodeId, Origins, RunId } from "@/bindings";
import type { LineChange } from "@/run/prompt/prompt-diff";
import type { Line } from "@/run/prompt/prompt-lines";
import { formatCount } from "@/run/values/format";
import { CopyButton, ValueView } from "@/run/values/ValueView";
import { AttachmentList } from "@/workspace/attachments/AttachmentList";
import { useWorkspace } from "@/workspace/context";
import { ChangedText, ChangeMark } from "./ChangedText";
import { Cut } from "./Cut";
import { FoldButton } from "./FoldButton";
import { OriginChips } from "./OriginChips";
import { PromptBlock } from "./PromptBlock";
import { type TextPlace, Traceable } from "./Traceable";
import { TEXTS } from "./texts";

/** Long histories are shown from their end; the rest on demand. */
const MAX_VISIBLE_MESSAGES = 40;

type Changes = ReadonlyMap<string, LineChange>;
const UNCHANGED: Changes = new Map();

/** The model call whose messages are shown. */
export type PromptPlace = { run: RunId; node: NodeId; epoch: Epoch; call: number };

type Props = {
  lines: readonly Line[];
  place: PromptPlace;
  /** Whether messages are folded, except messages that were opened by hand. */
  folded?: boolean;
  /** What differs from the previous call, if that is shown. */
  changes?: Changes;
};

/** The messages a model was sent, in order. */
export const PromptMessages = memo(function PromptMessages({
  lines,
  place,
  folded = false,
  changes = UNCHANGED,
}: Props) {
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
        // Folding all or none resets each message.
        <li key={`${line.key} ${folded}`}>
          <LineView line={line} place={place} folded={folded} change={changes.get(line.key)} />
        </li>
      ))}
    </ol>
  );
});

type LineProps = { line: Line; place: PromptPlace; folded: boolean; change?: LineChange };

function LineView({ line, place, folded, change }: LineProps) {
  const [open, setOpen] = useState(!folded);
  if (line.kind === "missing") {
    return <Cut>{TEXTS.messagesTokensContentNot(formatCount(line.count), formatCount(line.tokens))}</Cut>;
  }
  if (line.kind === "block") {
    const at = messageAt(place, line.key);
    return <PromptBlock line={line} place={at} open={open} onToggle={() => setOpen(!open)} change={change} />;
  }
  if (line.kind === "leftOut") {
    const { leftOut } = line;
    if (leftOut.kind === "history") return <LeftOutMessages leftOut={leftOut} />;
    return <Cut>{TEXTS.turnsLeftOut(leftOut.count, TEXTS.omissionReasons[leftOut.reason])}</Cut>;
  }
  const { role, author, attachments, origins } = line.message;
  return (
    <MessageBox
      role={role}
      tokens={line.tokens}
      text={line.text}
      author={author}
      attachments={attachments}
      origins={origins}
      open={open}
      onToggle={() => setOpen(!open)}
      change={change}
      place={messageAt(place, line.key)}
    />
  );
}

/** The message that a line is, or is a block of: its key begins with the number of the message. */
function messageAt({ run, ...call }: PromptPlace, key: string): TextPlace {
  return { run, spot: { kind: "message", ...call, message: Number.parseInt(key, 10) } };
}

/** The messages of the history that did not fit, and why. */
function LeftOutMessages({ leftOut }: { leftOut: Extract<LeftOut, { kind: "history" }> }) {
  const [open, setOpen] = useState(false);
  const { count, tokens, messages } = leftOut;
  return (
    <>
      <Cut onClick={messages && (() => setOpen(!open))} expanded={messages && open}>
        {formatCount(count)} older {count === 1 ? "message" : "messages"} left out
        {tokens === undefined ? "" : `, ${formatCount(tokens)} tokens`} {messages ? (open ? "▴" : "▾") : ""}
        <span className="block">{TEXTS.leftOutForWindow}</span>
      </Cut>
      {open
        ? messages?.map((message) => (
            <div key={message.id} className="mt-1.5 opacity-70">
              <MessageBox
                role={message.role}
                tokens={message.tokens}
                text={message.text}
                attachments={message.attachments}
              />
            </div>
          ))
        : null}
    </>
  );
}

type MessageProps = {
  role: string;
  tokens?: number;
  text: string;
  author?: NodeId;
  /** Images and files that were sent with it. */
  attachments?: readonly Attachment[];
  origins?: Origins;
  /** Whether the text is shown. */
  open?: boolean;
  /** Folds it or opens it; without it, the message can't be folded. */
  onToggle?: () => void;
  /** How it differs from the previous call. */
  change?: LineChange;
  /** Where its text stands, if it can be followed. */
  place?: TextPlace;
};

/** One message: role, author, tokens, text, and where it comes from. */
export function MessageBox({
  role,
  tokens,
  text,
  author,
  attachments = [],
  origins,
  open = true,
  onToggle,
  change,
  place,
}: MessageProps) {
  const workspace = useWorkspace();
  const label = `${role} message`;
  return (
    <article
      className={`rounded-lg border border-line bg-bg-2 px-2.5 py-1.5 ${change ? "border-l-2 border-l-ok" : ""}`}
      aria-label={label}
    >
      <header className="mb-0.5 flex min-h-6 items-center gap-2 text-xs">
        {onToggle ? <FoldButton label={label} open={open} onToggle={onToggle} /> : null}
        <b className="font-semibold text-fg-2">{role}</b>
        {author === undefined ? null : <span className="truncate text-fg-3">{workspace.nodeNames.nameOf(author)}</span>}
        <ChangeMark change={change} />
        <span className="ml-auto font-mono text-fg-3 tabular-nums">
          {tokens === undefined ? null : formatCount(tokens)}
        </span>
        {onToggle ? <CopyButton value={text} label={TEXTS.copyMessage(role)} /> : null}
      </header>
      {open ? (
        <>
          {change?.kind === "changed" ? (
            <ChangedText pieces={change.pieces} />
          ) : place ? (
            <Traceable run={place.run} spot={place.spot} value={text}>
              <ValueView value={text} label={label} />
            </Traceable>
          ) : (
            <ValueView value={text} label={label} />
          )}
          <AttachmentList attachments={attachments} />
          <OriginChips origins={origins} />
        </>
      ) : (
        <p className="truncate text-fg-3 text-sm">{text}</p>
      )}
    </article>
  );
}
