import type { Epoch, NodeId } from "@/bindings";
import { formatIteration } from "@/run/fold/epoch";
import { isOver } from "@/run/fold/status";
import { formatCount } from "@/run/values/format";
import { ValueView } from "@/run/values/ValueView";
import { useWorkspace } from "@/workspace/context";
import { useRunHead, useShownRun } from "@/workspace/run-hooks";
import { Section } from "./Section";
import { TEXTS } from "./texts";

type Props = {
  /** The activation after which it is shown; as it is now without one. */
  after?: { node: NodeId; epoch: Epoch };
};

/**
 * The memory that the nodes of the run share, by its journal: iteration, summary, recent turns. Nothing in a run without one.
 */
export function WorkflowMemory({ after }: Props) {
  const workspace = useWorkspace();
  const run = useShownRun();
  const hasMemory = useRunHead((head) => head.memory) !== undefined;
  const over = useRunHead((head) => isOver(head.status));
  if (!run || !hasMemory) return null;
  const end = after && run.log.endOf(after.node, after.epoch);
  const ended = end === undefined ? undefined : after;
  const memory = run.log.memoryAt(end);
  const { summary, turns = [], changedBy, error } = memory ?? {};
  const iteration = (ended ?? changedBy)?.epoch ?? [];
  const moment = [
    ended ? TEXTS.afterNode(workspace.nodeNames.nameOf(ended.node)) : over ? TEXTS.atRunEnd : TEXTS.soFar,
    ...(iteration.length > 0 ? [TEXTS.ofIteration(formatIteration(iteration))] : []),
    ...(memory === run.log.memoryAt() ? [] : [TEXTS.changedSince]),
  ];
  const by = changedBy
    ? TEXTS.memoryChangedBy(workspace.nodeNames.nameOf(changedBy.node))
    : memory && TEXTS.memoryFromConversation;
  return (
    <div data-testid="workflow-memory">
      <Section title={TEXTS.workflowMemory} trailing={by}>
        <p className="mb-1 text-fg-3 text-xs" data-testid="memory-as-of">
          {moment.join(", ")}
        </p>
        {error ? <p className="mb-1 text-wait text-xs">{TEXTS.noSummaryWritten(error.message)}</p> : null}
        <h4 className="text-fg-3 text-xs">{TEXTS.memorySummaryTitle}</h4>
        {summary ? (
          <ValueView value={summary.text} label={TEXTS.memorySummaryTitle} />
        ) : (
          <p className="text-fg-3 text-sm">{TEXTS.noMemorySummary}</p>
        )}
        <h4 className="mt-2 text-fg-3 text-xs">{TEXTS.recentTurns}</h4>
        {turns.length === 0 ? <p className="text-fg-3 text-sm">{TEXTS.noTurns}</p> : null}
        <ol className="flex flex-col gap-1">
          {turns.map((turn, index) => {
            const speaker =
              turn.label ?? (turn.node === undefined ? TEXTS.originUnknown : workspace.nodeNames.nameOf(turn.node));
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a turn has no id of its own, and turns only move as a whole.
              <li key={index} className="rounded-lg border border-line bg-bg-2 px-2.5 py-1.5">
                <header className="flex items-baseline gap-2 text-xs">
                  <b className="truncate font-semibold text-fg-2">{speaker}</b>
                  <span className="ml-auto font-mono text-fg-3 tabular-nums">{formatCount(turn.tokens)}</span>
                </header>
                <ValueView value={turn.text} label={speaker} />
              </li>
            );
          })}
        </ol>
      </Section>
    </div>
  );
}
