import { memo, useEffect, useState } from "react";
import type { Attachment, NodeId } from "@/bindings";
import { TEXTS } from "@/canvas/texts";
import { plain } from "@/design/markdown/plain-text";
import { InlineCode } from "@/design/text/InlineCode";
import type { WindowUse } from "@/run/nodes/element-views";
import { formatDuration } from "@/run/values/format";
import { AttachmentImage } from "@/workspace/attachments/AttachmentList";
import { useNodeRun } from "./useElementViews";

/**
 * What a run adds to a card: the pause, the end of the stream, the error and the use of the window. Only this re-renders
 * while a stream grows, not the card around it.
 */
export function RunLines({ node }: { node: NodeId }) {
  const run = useNodeRun(node);
  if (!run) return null;
  return (
    <>
      {run.state === "paused" ? (
        <p className="status-line" data-tone="wait">
          {TEXTS.waitingYourAnswer}
        </p>
      ) : null}
      {run.progress ? (
        <p className="status-line" data-tone="run" data-testid={`progress-${node}`}>
          {TEXTS.progress(run.progress)}
        </p>
      ) : null}
      {run.state === "retrying" ? <Retrying attempt={run.attempt ?? 1} until={run.retryAt} /> : null}
      {run.error ? (
        <p className="status-line" data-tone="bad" title={plain(run.error.message)}>
          <InlineCode text={run.error.message} />
        </p>
      ) : null}
      {run.stream === undefined ? null : (
        <div className="stream" data-live={run.state === "running" || undefined}>
          <span>{run.stream}</span>
        </div>
      )}
      {run.images ? <Images images={run.images} /> : null}
      {run.windowUse ? <WindowBar use={run.windowUse} /> : null}
    </>
  );
}

/** A card has room for a few small images. */
const MAX_CARD_IMAGES = 3;

const Images = memo(function Images({ images }: { images: readonly Attachment[] }) {
  const more = images.length - MAX_CARD_IMAGES;
  return (
    <div className="card-images" data-testid="card-images">
      {images.slice(0, MAX_CARD_IMAGES).map((image) => (
        <AttachmentImage key={image.hash} attachment={image} />
      ))}
      {more > 0 ? <span title={TEXTS.moreImages(more)}>+{more}</span> : null}
    </div>
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
  return (
    <p className="status-line" data-tone="wait">
      {TEXTS.attemptFailedRetrying(attempt, when)}
    </p>
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
