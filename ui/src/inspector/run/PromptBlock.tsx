import type { BlockKind, BlockSource, NodeId } from "@/bindings";
import type { LineChange } from "@/run/prompt/prompt-diff";
import type { Line } from "@/run/prompt/prompt-lines";
import { formatCount } from "@/run/values/format";
import { CopyButton, ValueView } from "@/run/values/ValueView";
import { AttachmentList } from "@/workspace/attachments/AttachmentList";
import { useWorkspace } from "@/workspace/context";
import { ChangedText, ChangeMark } from "./ChangedText";
import { FoldButton } from "./FoldButton";
import { OriginChips } from "./OriginChips";
import { type TextPlace, Traceable } from "./Traceable";
import { TEXTS } from "./texts";

type Block = Extract<Line, { kind: "block" }>;

const TITLES: Record<BlockKind, string> = {
  retrieval: TEXTS.blockRetrieval,
  tools: TEXTS.blockTools,
  memory: TEXTS.blockMemory,
  partner: TEXTS.blockPartner,
};

type Props = {
  line: Block;
  place: TextPlace;
  /** Whether the text is shown. */
  open: boolean;
  onToggle: () => void;
  /** How it differs from the previous call. */
  change?: LineChange;
};

/**
 * One block of the user message: its kind, its tokens, its items with their origins, and the items that its cap left
 * out.
 */
export function PromptBlock({ line, place, open, onToggle, change }: Props) {
  const workspace = useWorkspace();
  const nameOf = (node: NodeId) => workspace.nodeNames.nameOf(node);
  const { text, tokens, attachments = [] } = line;
  const { block, sources = [], origins, cut } = line.block;
  const title = TITLES[block];
  return (
    <article
      className={`rounded-lg border border-line bg-bg-2 px-2.5 py-1.5 ${change ? "border-l-2 border-l-ok" : ""}`}
      aria-label={TEXTS.block(title)}
      data-testid={`prompt-block-${block}`}
    >
      <header className="mb-0.5 flex min-h-6 items-center gap-2 text-xs">
        <FoldButton label={TEXTS.block(title)} open={open} onToggle={onToggle} />
        <i aria-hidden className={`part-${block} size-2 shrink-0 rounded-[2px]`} />
        <b className="font-semibold text-fg-2">{title}</b>
        <ChangeMark change={change} />
        <span className="ml-auto font-mono text-fg-3 tabular-nums">{formatCount(tokens)}</span>
        <CopyButton value={text} label={TEXTS.copyMessage(title)} />
      </header>
      {open ? (
        <Traceable run={place.run} spot={place.spot} value={text} offset={line.offset}>
          <Text text={text} title={title} change={change} />
        </Traceable>
      ) : (
        <p className="truncate text-fg-3 text-sm">{text}</p>
      )}
      <AttachmentList attachments={attachments} />
      {sources.length > 0 ? (
        <p className="mt-1 break-words text-fg-3 text-xs" data-testid="block-sources">
          {TEXTS.origin} {distinct(sources.map((source) => describeSource(source, nameOf))).join(" · ")}
        </p>
      ) : null}
      <OriginChips origins={origins} />
      {cut ? (
        <p className="mt-1 break-words text-wait text-xs" data-testid="block-cut">
          {TEXTS.cutByCap(formatCount(cut.cap), formatCount(cut.tokens))}
          {cut.leftOut?.length
            ? ` ${distinct(cut.leftOut.map((source) => describeSource(source, nameOf))).join(" · ")}`
            : ""}
        </p>
      ) : null}
    </article>
  );
}

function Text({ text, title, change }: { text: string; title: string; change?: LineChange }) {
  if (change?.kind === "changed") return <ChangedText pieces={change.pieces} />;
  return <ValueView value={text} label={TEXTS.block(title)} />;
}

function distinct(names: string[]): string[] {
  return [...new Set(names)];
}

function describeSource(source: BlockSource, nameOf: (node: NodeId) => string): string {
  switch (source.from) {
    case "summary":
      return TEXTS.originSummary;
    case "tool":
      return TEXTS.originTool(source.name);
    case "passage":
      return TEXTS.originPassage(source.base, source.source, source.line);
    case "turn":
      if (source.node !== undefined) return nameOf(source.node);
      return source.label ?? TEXTS.originUnknown;
  }
}
