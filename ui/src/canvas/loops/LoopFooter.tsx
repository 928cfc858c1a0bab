import { ChevronLeft, ChevronRight } from "lucide-react";
import { memo } from "react";
import type { Node, NodeId } from "@/bindings";
import { loopBound } from "@/canvas/cards/loop-summary";
import { useLoopRun } from "@/canvas/cards/useElementViews";
import { TEXTS } from "@/canvas/texts";
import { plain } from "@/design/markdown/plain-text";
import { InlineCode } from "@/design/text/InlineCode";
import { iterationAt, type LoopProgress } from "@/run/nodes/loop-iterations";
import { useWorkspace } from "@/workspace/context";
import { useIterationOf, useLoopProgress } from "@/workspace/run-hooks";

/** The lower bar of a loop: the iteration shown in its body, and its end condition. */
export const LoopFooter = memo(function LoopFooter({ id, node }: { id: NodeId; node: Node }) {
  const progress = useLoopProgress(id);
  const error = useLoopRun(id)?.error;
  return (
    <footer className="loop-bar loop-footer" data-testid={`loop-footer-${id}`}>
      {progress && progress.count > 0 ? <IterationPicker id={id} progress={progress} /> : null}
      <span className="loop-space" />
      {error ? (
        <span className="loop-bound status-line" data-tone="bad" title={plain(error.message)}>
          <InlineCode text={error.message} />
        </span>
      ) : (
        <span className="loop-bound">{loopBound(node)}</span>
      )}
    </footer>
  );
});

/** Goes through the iterations. At the newest one it follows the run. */
function IterationPicker({ id, progress }: { id: NodeId; progress: LoopProgress }) {
  const { epochChoice } = useWorkspace();
  const chosen = useIterationOf(id);
  const newest = progress.count - 1;
  const at = Math.min(chosen?.at(-1) ?? newest, newest);
  const look = (index: number) =>
    epochChoice.chooseIteration(id, index >= newest ? undefined : iterationAt(progress, index));
  return (
    <fieldset className="iteration-picker nodrag" aria-label={TEXTS.iterations} data-testid={`iterations-${id}`}>
      <span>{TEXTS.iterations}</span>
      <button
        type="button"
        aria-label={TEXTS.previousIteration}
        title={TEXTS.previousIteration}
        data-testid={`iteration-previous-${id}`}
        disabled={at <= 0}
        onClick={() => look(at - 1)}
      >
        <ChevronLeft size={14} aria-hidden />
      </button>
      <output data-testid={`iteration-${id}`} data-chosen={chosen !== undefined || undefined}>
        {TEXTS.iterationCount(at + 1, progress.count)}
      </output>
      <button
        type="button"
        aria-label={TEXTS.nextIteration}
        title={TEXTS.nextIteration}
        data-testid={`iteration-next-${id}`}
        disabled={at >= newest}
        onClick={() => look(at + 1)}
      >
        <ChevronRight size={14} aria-hidden />
      </button>
      {chosen ? (
        <button
          type="button"
          className="iteration-newest"
          title={TEXTS.followNewest}
          data-testid={`iteration-newest-${id}`}
          onClick={() => epochChoice.chooseIteration(id, undefined)}
        >
          {TEXTS.newestIteration}
        </button>
      ) : null}
    </fieldset>
  );
}
