import { memo } from "react";
import type { NodeId } from "@/bindings";
import { TEXTS } from "@/canvas/texts";
import { useIterationOf, useLoopProgress } from "@/workspace/run-hooks";

/** Which iteration of a loop is looked at, and how many have begun; nothing before the first one. */
export const LoopIteration = memo(function LoopIteration({ id }: { id: NodeId }) {
  const progress = useLoopProgress(id);
  const chosen = useIterationOf(id);
  if (!progress || progress.count === 0) return null;
  const at = Math.min(chosen?.at(-1) ?? progress.count - 1, progress.count - 1);
  return (
    <span className="loop-iteration" data-testid={`loop-iteration-${id}`}>
      {TEXTS.iterationOf(at + 1, progress.count)}
    </span>
  );
});
