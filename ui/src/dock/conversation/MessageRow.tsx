import {
  CircleAlert,
  CornerDownRight,
  Eraser,
  FileOutput,
  MessageCircleQuestion,
  PencilLine,
  ScrollText,
  Sparkles,
  UserRound,
  Wrench,
} from "lucide-react";
import { memo, type ReactNode } from "react";
import type { Message } from "@/bindings";
import { Markdown } from "@/design/markdown/Markdown";
import { plain } from "@/design/markdown/plain-text";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { formatIteration } from "@/run/fold/epoch";
import { plainMessageText } from "@/run/fold/message-text";
import type { NodeNames } from "@/run/nodes/node-names";
import { answerAttachments, answerValue } from "@/run/values/answers";
import { attachmentsOf } from "@/run/values/attachments";
import { formatCount } from "@/run/values/format";
import { previewOf } from "@/run/values/preview";
import { Reasoning } from "@/run/values/Reasoning";
import { Truncated } from "@/run/values/Truncated";
import { ValueView } from "@/run/values/ValueView";
import { AttachedValue } from "@/workspace/attachments/AttachedValue";
import { AttachmentList } from "@/workspace/attachments/AttachmentList";
import { useWorkspace } from "@/workspace/context";
import { ErrorActionButton } from "@/workspace/errors/ErrorActionButton";
import { ReadLargeButton } from "@/workspace/reader/ReadLargeButton";
import type { Item } from "./conversation-items";
import { TEXTS } from "./texts";

/** One item of the conversation. */
export const Row = memo(function Row({ item }: { item: Item }) {
  const workspace = useWorkspace();
  switch (item.kind) {
    case "message":
      return <MessageRow message={item.message} />;
    case "question":
      return (
        <SystemLine icon={<MessageCircleQuestion size={12} aria-hidden />}>
          {TEXTS.asked(
            titleWithIteration(workspace.nodeNames, item.node, item.epoch),
            previewOf(plain(item.prompt), 140),
          )}
        </SystemLine>
      );
    case "answer":
      return item.answer === "end" ? (
        <SystemLine icon={<CornerDownRight size={12} aria-hidden />}>
          {TEXTS.endedWithoutAnswer(titleWithIteration(workspace.nodeNames, item.node, item.epoch))}
        </SystemLine>
      ) : (
        <Spoken avatar={<UserRound size={13} aria-hidden />} who="You">
          <ValueView value={answerValue(item.answer)} label={TEXTS.yourAnswer} />
          <AttachmentList attachments={answerAttachments(item.answer)} />
        </Spoken>
      );
    case "cleared":
      return (
        <SystemLine icon={<Eraser size={12} aria-hidden />}>
          {TEXTS.clearedTheHistory(workspace.nodeNames.nameOf(item.node))}
        </SystemLine>
      );
    case "edited":
      return (
        <SystemLine icon={<PencilLine size={12} aria-hidden />}>
          {TEXTS.editedTheHistory(workspace.nodeNames.nameOf(item.node))}
        </SystemLine>
      );
    case "failure":
      return (
        <Spoken
          avatar={<CircleAlert size={13} aria-hidden />}
          tone="bg-bad/20 text-bad"
          who={titleWithIteration(workspace.nodeNames, item.node, item.epoch)}
        >
          <ErrorMessage error={item.error}>
            <ErrorActionButton error={item.error} className="mt-1" />
          </ErrorMessage>
        </Spoken>
      );
    case "output":
      return (
        <Spoken
          avatar={<FileOutput size={13} aria-hidden />}
          tone="bg-data/20 text-data"
          who={workspace.nodeNames.nameOf(item.node)}
          named
          action={
            typeof item.value === "string" ? (
              <ReadLargeButton title={workspace.nodeNames.nameOf(item.node)} text={item.value} />
            ) : null
          }
        >
          {typeof item.value === "string" ? (
            <Markdown text={item.value} />
          ) : (
            <AttachedValue
              value={item.value}
              label={TEXTS.outputOf(item.port, workspace.nodeNames.nameOf(item.node))}
            />
          )}
        </Spoken>
      );
  }
});

const AVATARS: Record<Message["role"], { icon: ReactNode; tone: string }> = {
  user: { icon: <UserRound size={13} aria-hidden />, tone: "bg-bg-3 text-fg-2" },
  assistant: { icon: <Sparkles size={13} aria-hidden />, tone: "bg-accent/25 text-accent" },
  system: { icon: <ScrollText size={13} aria-hidden />, tone: "bg-bg-3 text-fg-3" },
  tool: { icon: <Wrench size={13} aria-hidden />, tone: "bg-tools/20 text-tools" },
};

function MessageRow({ message }: { message: Message }) {
  const workspace = useWorkspace();
  const { icon, tone } = AVATARS[message.role];
  const name = workspace.nodeNames.nameOf(message.author.node);
  const text = plainMessageText(message.content);
  return (
    <Spoken
      avatar={icon}
      tone={tone}
      who={`${name}, ${message.role}`}
      more={`${formatCount(message.tokens)} tokens`}
      action={<ReadLargeButton title={name} text={text} />}
    >
      {message.reasoning ? <Reasoning text={message.reasoning} /> : null}
      <Markdown text={text} className={message.role === "system" ? "text-fg-2" : ""} />
      <AttachmentList attachments={attachmentsOf(message.content)} />
      {message.truncated ? <Truncated className="mt-0.5" /> : null}
    </Spoken>
  );
}

/** A message with an avatar. The name is for the tooltip and for screen readers, unless it is to be read. */
export function Spoken({
  avatar,
  tone = "bg-bg-3 text-fg-2",
  who,
  more,
  named = false,
  action,
  children,
}: {
  avatar: ReactNode;
  tone?: string;
  who: string;
  more?: string;
  named?: boolean;
  /** A button beside it. */
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <article className="flex gap-2.5" aria-label={who}>
      <span
        className={`flex size-[22px] shrink-0 items-center justify-center rounded-full ${tone}`}
        title={more ? `${who} · ${more}` : who}
      >
        {avatar}
      </span>
      <div className="min-w-0 flex-1 break-words pt-px">
        {named ? <p className="text-fg-3 text-xs">{who}</p> : null}
        {children}
      </div>
      {action}
    </article>
  );
}

function SystemLine({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <p className="flex items-center gap-1.5 pl-[5px] text-fg-3 text-xs">
      {icon} <span className="min-w-0 truncate">{children}</span>
    </p>
  );
}

function titleWithIteration(names: NodeNames, node: string, epoch: number[]): string {
  const iteration = formatIteration(epoch);
  return iteration ? `${names.nameOf(node)} · iteration ${iteration}` : names.nameOf(node);
}
