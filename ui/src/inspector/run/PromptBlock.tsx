import type { BlockSource, NodeId } from "@/bindings";
import type { Line } from "@/run/prompt-parts";
import { formatCount } from "@/run/values/format";
import { ValueView } from "@/run/values/ValueView";
import { useWorkspace } from "@/workspace/context";
import { OriginChips } from "./OriginChips";
import { TEXTS } from "./texts";

type Block = Extract<Line, { kind: "block" }>;

const TITLES: Record<Block["block"], string> = {
  retrieval: TEXTS.blockRetrieval,
  tools: TEXTS.blockTools,
  memory: TEXTS.blockMemory,
  partner: TEXTS.blockPartner,
};

/** One block of the user message: its kind, its tokens, what its items are, where they come from, and what its cap left out. */
export function PromptBlock({ line }: { line: Block }) {
  const workspace = useWorkspace();
  const nameOf = (node: NodeId) => workspace.nodeNames.nameOf(node);
  const { block, text, tokens, sources, origins, cut } = line;
  const title = TITLES[block];
  return (
    <article
      className="rounded-lg border border-line bg-bg-2 px-2.5 py-1.5"
      aria-label={TEXTS.block(title)}
      data-testid={`prompt-block-${block}`}
    >
      <header className="mb-0.5 flex items-baseline gap-2 text-xs">
        <i aria-hidden className={`part-${block === "partner" ? "question" : block} size-2 shrink-0 rounded-[2px]`} />
        <b className="font-semibold text-fg-2">{title}</b>
        <span className="ml-auto font-mono text-fg-3 tabular-nums">{formatCount(tokens)}</span>
      </header>
      <ValueView value={text} label={TEXTS.block(title)} />
      {sources.length > 0 ? (
        <p className="mt-1 break-words text-fg-3 text-xs" data-testid="block-sources">
          {TEXTS.origin} {distinct(sources.map((source) => describeSource(source, nameOf))).join(" · ")}
        </p>
      ) : null}
      <OriginChips origins={origins} />
      {cut ? (
        <p className="mt-1 break-words text-warn text-xs" data-testid="block-cut">
          {TEXTS.cutByCap(formatCount(cut.cap), formatCount(cut.tokens))}
          {cut.leftOut?.length
            ? ` ${distinct(cut.leftOut.map((source) => describeSource(source, nameOf))).join(" · ")}`
            : ""}
        </p>
      ) : null}
    </article>
  );
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
