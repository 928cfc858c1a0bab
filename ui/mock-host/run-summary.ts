/** A run of the mock host as lists show it. */
import type { RunSummary } from "@/bindings";
import { RunFold } from "@/run/fold/fold";
import { isOver } from "@/run/fold/status";
import type { MockRun } from "./replay";

export function summarize(run: MockRun, children: number): RunSummary {
  const fold = new RunFold();
  fold.apply(run.journal);
  const { head } = fold;
  const { done, failed, skipped } = head.counts;
  return {
    run: run.run,
    flowName: run.flow.name,
    path: run.path,
    conversation: head.conversation?.id,
    parentRunId: head.parentRunId,
    from: head.from?.run,
    children,
    status: head.status === "running" && !run.live && !isOver(head.status) ? "interrupted" : head.status,
    startedAt: head.startedAt ?? 0,
    endedAt: head.endedAt,
    nodes: { done, failed, skipped },
    tokens: head.totals.tokens,
    cost: head.totals.cost,
    waitingOn: head.status === "waiting" ? head.pauses[0]?.prompt : undefined,
    error: head.error?.error,
  };
}
