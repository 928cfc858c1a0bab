/** What differs between two runs, arranged as a person reads it: the first difference, what follows from it, and the rest. */
import type { ActivationChange, Flow, NodeId, RunComparison, RunDifference, RunSummary } from "@/bindings";

/** Two runs that are compared. */
export type ComparedRuns = {
  before: RunSummary;
  after: RunSummary;
  comparison: RunComparison;
  /** The flows that they ran. */
  flows: { before: Flow; after: Flow };
};

/** Differences under one heading. */
export type DifferenceGroup = { id: "first" | "follows" | "apart" | "others"; differences: RunDifference[] };

/** The groups that are not empty, in the order in which they are read. */
export function groupsOf({ differences }: RunComparison): DifferenceGroup[] {
  const roots = differences.filter(({ follows }) => follows.length === 0);
  const [first] = roots;
  if (first === undefined) return [];
  const place = differences.indexOf(first);
  const following = differences.filter(({ follows }) => follows.length > 0);
  const ofFirst = following.filter(({ follows }) => follows.includes(place));
  const groups: DifferenceGroup[] = [
    { id: "first", differences: [first] },
    { id: "follows", differences: ofFirst },
    { id: "apart", differences: roots.slice(1) },
    { id: "others", differences: following.filter((difference) => !ofFirst.includes(difference)) },
  ];
  return groups.filter((group) => group.differences.length > 0);
}

/** Whether the runs began with something else: another flow, another input, another value that was set. */
export function beganOtherwise({ flow, input, differences }: RunComparison): boolean {
  const wasSet = differences.some(({ changes }) => changes.some(({ kind }) => kind === "set"));
  return flow.changes.length > 0 || input !== undefined || wasSet;
}

/** The node of a difference, in the run that has it. */
export function nodeOf({ before, after }: RunDifference): NodeId {
  return after?.at.node ?? before?.at.node ?? "";
}

/** Which part of an activation differs, as a short name. */
export function nameOfChange(change: ActivationChange): string {
  switch (change.kind) {
    case "config":
      return change.change.pointer.slice(1).replaceAll("/", " › ");
    case "set":
      return `set ${change.port}`;
    case "state":
      return "state";
    case "answer":
      return "answer";
    case "model":
      return `model of call ${change.call + 1}`;
    case "message":
      return `prompt ${change.call + 1}`;
    case "reply":
      return `reply ${change.call + 1}`;
    case "tool":
      return `tool call ${change.tool + 1}`;
    case "output":
      return `output ${change.port}`;
    case "error":
      return "error";
  }
}
