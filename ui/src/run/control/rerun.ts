/** What can be run again, and what of it otherwise. */
import type { Bill, FreshFrom, NodeId, ReplySource, WorldPolicy } from "@/bindings";
import { documentFlow, type FlowState } from "@/flow/document/flow-state";
import type { Args } from "@/ipc";
import { isOver } from "@/run/fold/status";
import type { RunSession } from "@/run/live/session";
import { TEXTS } from "@/run/texts";
import { runBlockers } from "./run-blockers";

/** What a fork does otherwise than its run, beside an edit of the flow. */
export type ForkEdits = Pick<Args<"run.rerun">, "at" | "fresh" | "to" | "world">;

/** What a fork takes over, as the person chooses it beside the bill. */
export type ForkChoice = {
  world: WorldPolicy;
  replies: ReplySource;
  /** What it does again, if something follows from that. */
  fresh?: FreshFrom;
};

/** What the person is asked before a fork starts. `billWith` is the bill of another choice. */
export type BillRequest = {
  title: string;
  hint: string;
  bill: Bill;
  choice: ForkChoice;
  /** Whether the fork begins in a sub-flow's run, which the window shows: the bill is of the run above it. */
  isInside: boolean;
  billWith(choice: ForkChoice): Promise<Bill>;
};

/** Whether a run can be forked: it is over, and no other run started it. */
export function isForkable(session: RunSession | undefined): session is RunSession {
  return session !== undefined && isOver(session.fold.head.status) && session.fold.head.parentRunId === undefined;
}

/** Whether a fork can begin at a place in a run: it is over. If another run started it, all of that one's tree is forked. */
export function hasForkablePlaces(session: RunSession | undefined): session is RunSession {
  return session !== undefined && isOver(session.fold.head.status);
}

/** Whether what a run said can be kept as a conversation: it is a fork that differs, of a run in one. */
export function isKeepable(session: RunSession | undefined): session is RunSession {
  if (session === undefined || !isOver(session.fold.head.status)) return false;
  const { from, conversation } = session.fold.head;
  const differs =
    from !== undefined &&
    (from.of_branch === true ||
      from.edited === true ||
      from.cut === true ||
      from.fresh !== undefined ||
      (from.world?.live ?? []).length > 0);
  return differs && conversation !== undefined;
}

/** Whether the document was edited since its run, which has ended, and can run. */
export function isRerunnable(state: FlowState, session: RunSession | undefined): boolean {
  return (
    isForkable(session) && !state.viewing && documentFlow(state) !== session.flow && runBlockers(state).length === 0
  );
}

/** New replies for all activations of a node and what follows from them. */
export const runFromHere = (node: NodeId, name: string): [ForkEdits, string, string] => [
  { fresh: { node } },
  TEXTS.runFromTitle(name),
  TEXTS.runFromHint,
];

/** New replies for all activations of a node. What follows is reused where it asks the same. */
export const runAgainAlone = (node: NodeId, name: string): [ForkEdits, string, string] => [
  { fresh: { node, alone: true } },
  TEXTS.runAgainTitle(name),
  TEXTS.runAgainHint,
];

/** A new reply for a node alone, with which the run ends. */
export const runOnlyHere = (node: NodeId, name: string): [ForkEdits, string, string] => [
  { fresh: { node }, to: node },
  TEXTS.runOnlyTitle(name),
  TEXTS.runOnlyHint,
];

/** What a node asked tools, knowledge bases and memories for is asked again. */
export const runLive = (node: NodeId, name: string): [ForkEdits, string, string] => [
  { world: { live: [{ node }] } },
  TEXTS.runLiveTitle(name),
  TEXTS.runLiveHint,
];

/** New replies for one iteration of a node and what follows from it. */
export const sampleAgain = (node: NodeId, epoch: number[], name: string): [ForkEdits, string, string] => [
  { fresh: { node, epoch } },
  TEXTS.sampleAgainTitle(name),
  TEXTS.runFromHint,
];

/** All that came after the first events of a run again. */
export const forkAt = (session: RunSession, count: number): [ForkEdits, string, string] => [
  { at: (session.log.entries[count - 1]?.seq ?? count - 1) + 1 },
  TEXTS.forkTitle(count),
  TEXTS.forkHint,
];
