import type { BlockSource, NodeId } from "@/bindings";
import type { Line } from "@/run/prompt-parts";
import { formatCount } from "@/run/values/format";
import { ValueView } from "@/run/values/ValueView";
import { useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

type Block = Extract<Line, { kind: "block" }>;

const TITLES: Record<Block["block"], string> = {
  retrieval: TEXTS.blockRetrieval,
  tools: TEXTS.blockTools,
  memory: TEXTS.blockMemory,
  partner: TEXTS.blockPartner,
};

/** One block of the user message: its kind, its tokens, where its items come from, and what its cap left out. */
export function PromptBlock({ line }: { line: Block }) {
  const workspace = useWorkspace();
  const nameOf = (node: NodeId) => workspace.nodeNames.nameOf(node);
  const { block, text, tokens, origins, cut } = line;
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
      {origins.length > 0 ? (
        <p className="mt-1 break-words text-fg-3 text-xs" data-testid="block-origins">
          {TEXTS.origin} {distinct(origins.map((origin) => describeOrigin(origin, nameOf))).join(" · ")}
        </p>
      ) : null}
      {cut ? (
        <p className="mt-1 break-words text-warn text-xs" data-testid="block-cut">
          {TEXTS.cutByCap(formatCount(cut.cap), formatCount(cut.tokens))}
          {cut.leftOut?.length
            ? ` ${distinct(cut.leftOut.map((origin) => describeOrigin(origin, nameOf))).join(" · ")}`
            : ""}
        </p>
      ) : null}
    </article>
  );
}

function distinct(names: string[]): string[] {
  return [...new Set(names)];
}

function describeOrigin(origin: BlockSource, nameOf: (node: NodeId) => string): string {
  switch (origin.from) {
    case "summary":
      return TEXTS.originSummary;
    case "tool":
      return TEXTS.originTool(origin.name);
    case "passage":
      return TEXTS.originPassage(origin.base, origin.source, origin.line);
    case "turn":
      if (origin.node !== undefined) return nameOf(origin.node);
      return origin.label ?? TEXTS.originUnknown;
  }
}
