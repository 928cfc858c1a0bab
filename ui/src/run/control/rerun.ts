/** What the document can be run again for. */
import { documentFlow, type FlowState } from "@/flow/document/flow-state";
import { isOver } from "@/run/fold/status";
import type { RunSession } from "@/run/live/session";
import { runBlockers } from "./control";

/** Whether the document was edited since its run, which has ended, and can run. */
export function isRerunnable(state: FlowState, session: RunSession | undefined): boolean {
  if (!session || state.viewing || !isOver(session.fold.head.status)) return false;
  return (
    session.fold.head.parentRunId === undefined &&
    documentFlow(state) !== session.flow &&
    runBlockers(state).length === 0
  );
}
