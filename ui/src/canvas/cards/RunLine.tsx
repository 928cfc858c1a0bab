import { memo, type ReactNode, useEffect, useState } from "react";
import type { Attachment, NodeId } from "@/bindings";
import { TEXTS } from "@/canvas/texts";
import { plain } from "@/design/markdown/plain-text";
import { InlineCode } from "@/design/text/InlineCode";
import type { NodeRun, WindowUse } from "@/run/nodes/element-views";
import { formatDuration } from "@/run/values/format";
import { AttachmentImage } from "@/workspace/attachments/AttachmentList";
import { useNodeRun } from "./useElementViews";

/**
 * The second row of a card: what a run says in it, else the summary of the node. It is as high in either case, so that a run
 * moves and covers nothing. Only this re-renders while a stream grows, not the card around it.
 */
export function RunLine({ node, summary }: { node: NodeId; summary: ReactNode }) {
  const run = useNodeRun(node);
  return (
    <>
      {run ? <Line node={node} run={run} summary={summary} /> : <p className="summary">{summary}</p>}
      {run?.windowUse ? <WindowBar use={run.windowUse} /> : null}
    </>
  );
}

function Line({ node, run, summary }: { node: NodeId; run: NodeRun; summary: ReactNode }) {
  const { state, error, progress, stream, images } = run;
  if (state === "paused") return <Said tone="wait">{TEXTS.waitingYourAnswer}</Said>;
  if (state === "retrying") return <Retrying attempt={run.attempt ?? 1} until={run.retryAt} />;
  if (error)
    return (
      <Said tone="bad" title={plain(error.message)}>
        <InlineCode text={error.message} />
      </Said>
    );
  if (progress)
    return (
      <Said tone="run" testId={`progress-${node}`}>
        {TEXTS.progress(progress)}
      </Said>
    );
  if (!stream && !images) return <p className="summary">{summary}</p>;
  return (
    <div className="summary stream" data-testid={`reply-${node}`} data-live={state === "running" || undefined}>
      {stream ? <span>{stream}</span> : null}
      {images ? <Images images={images} /> : null}
    </div>
  );
}

type SaidProps = { tone: "wait" | "run" | "bad"; title?: string; testId?: string; children: ReactNode };

function Said({ tone, title, testId, children }: SaidProps) {
  return (
    <p className="summary" data-tone={tone} title={title} data-testid={testId}>
      {children}
    </p>
  );
}

/** A card has room for a few small images. */
const MAX_CARD_IMAGES = 3;

const Images = memo(function Images({ images }: { images: readonly Attachment[] }) {
  const more = images.length - MAX_CARD_IMAGES;
  return (
    <span className="card-images" data-testid="card-images">
      {images.slice(0, MAX_CARD_IMAGES).map((image) => (
        <AttachmentImage key={image.hash} attachment={image} />
      ))}
      {more > 0 ? <span title={TEXTS.moreImages(more)}>+{more}</span> : null}
    </span>
  );
});

/** How much of the model's window the last prompt took. The prompt tab says with what. */
const WindowBar = memo(function WindowBar({ use: { tokens, window } }: { use: WindowUse }) {
  return (
    <div
      className="window-bar"
      role="img"
      aria-label={TEXTS.windowUsed(tokens, window)}
      title={TEXTS.tokensOfWindow(tokens.toLocaleString(), window.toLocaleString())}
    >
      <i style={{ width: `${Math.min(100, (100 * tokens) / Math.max(1, window))}%` }} />
    </div>
  );
});

/** A node that waits for its next try, and for how long still. */
function Retrying({ attempt, until }: { attempt: number; until: number | undefined }) {
  const left = useSecondsTo(until);
  const when = left === 0 ? "" : ` in ${left < 60 ? `${left} s` : formatDuration(left * 1000)}`;
  const text = TEXTS.attemptFailedRetrying(attempt, when);
  return (
    <Said tone="wait" title={text}>
      {text}
    </Said>
  );
}

/** Whole seconds that are left, counted down; none where it is not known until when. */
function useSecondsTo(until: number | undefined): number {
  const [now, setNow] = useState(Date.now);
  const left = until === undefined ? 0 : Math.max(0, Math.ceil((until - now) / 1000));
  const ticking = left > 0;
  useEffect(() => {
    if (!ticking) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [ticking]);
  return left;
}
