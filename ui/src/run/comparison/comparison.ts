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

/** Steps that only one of the runs has are one entry for each node: the first of them, and how many more there are. */
export function gathered(differences: readonly RunDifference[]): { difference: RunDifference; more: number }[] {
  const entries: { difference: RunDifference; more: number }[] = [];
  const ofNode = new Map<string, { more: number }>();
  for (const difference of differences) {
    const { path = [], before, after, changes } = difference;
    const key = JSON.stringify([path, nodeOf(difference), before === undefined]);
    const isLone = changes.length === 0 && (before === undefined || after === undefined);
    const first = isLone ? ofNode.get(key) : undefined;
    if (first !== undefined) {
      first.more += 1;
      continue;
    }
    const entry = { difference, more: 0 };
    entries.push(entry);
    if (isLone) ofNode.set(key, entry);
  }
  return entries;
}

/** Places as people count them, neighbors as a range: `1–9, 12`. */
export function itemNumbers(places: readonly number[]): string {
  const ranges: { from: number; to: number }[] = [];
  for (const place of places) {
    const last = ranges.at(-1);
    if (last !== undefined && last.to + 1 === place) last.to = place;
    else ranges.push({ from: place, to: place });
  }
  const show = ({ from, to }: { from: number; to: number }) =>
    from === to ? `${from + 1}` : `${from + 1}${to - from === 1 ? ", " : "–"}${to + 1}`;
  return ranges.map(show).join(", ");
}
