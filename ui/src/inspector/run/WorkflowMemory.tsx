import type { Epoch } from "@/bindings";
import { formatIteration } from "@/run/fold/epoch";
import { formatCount } from "@/run/values/format";
import { ValueView } from "@/run/values/ValueView";
import { useWorkspace } from "@/workspace/context";
import { useRunHead } from "@/workspace/run-hooks";
import { Section } from "./Section";
import { TEXTS } from "./texts";

/** The memory that the nodes of the run share, as it stands: iteration, summary, recent turns. Nothing in a run without one. */
export function WorkflowMemory({ epoch }: { epoch?: Epoch }) {
  const workspace = useWorkspace();
  const memory = useRunHead((head) => head.memory);
  if (!memory) return null;
  const { summary, turns = [], changedBy, error } = memory;
  const iteration = epoch ?? changedBy?.epoch ?? [];
  const by = changedBy
    ? TEXTS.memoryChangedBy(workspace.nodeNames.nameOf(changedBy.node))
    : TEXTS.memoryFromConversation;
  return (
    <div data-testid="workflow-memory">
      <Section title={TEXTS.workflowMemory} trailing={by}>
        {iteration.length > 0 ? (
          <p className="mb-1 text-fg-3 text-xs">
            {TEXTS.iteration} {formatIteration(iteration)}
          </p>
        ) : null}
        {error ? <p className="mb-1 text-warn text-xs">{TEXTS.noSummaryWritten(error.message)}</p> : null}
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
