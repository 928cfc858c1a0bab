/** What changed from one prompt of a node to its next: which messages are new, which differ and how, and which are gone. */
import { type ChangeObject, diffArrays } from "diff";
import type { Line } from "./prompt-lines";

export type DiffPiece = { kind: "same" | "added" | "removed"; text: string };

export type LineChange = { kind: "new" } | { kind: "changed"; pieces: DiffPiece[] };

export type PromptDiff = {
  /** The changes by the key of the line; lines without one are as they were. */
  changes: ReadonlyMap<string, LineChange>;
  /** How many messages are new or differ. */
  count: number;
  added: number;
  /** The tokens of parts that are no longer sent, or sent shorter. */
  removed: number;
};

/** A text with more removed and added words counts as replaced: the time of the comparison grows with their square. */
const MAX_CHANGED_WORDS = 500;

/** Compares two prompts by what their messages say. Messages that were left out of one do not count as its own. */
export function diffPrompts(before: readonly Line[], after: readonly Line[]): PromptDiff {
  const old = before.filter(isText);
  const unmatched = new Set(old);
  const open: TextLine[] = [];
  for (const line of after.filter(isText)) {
    const same = old.find((one) => unmatched.has(one) && slotOf(one) === slotOf(line) && one.text === line.text);
    const equal =
      same ?? old.find((one) => unmatched.has(one) && one.text === line.text && roleOf(one) === roleOf(line));
    if (equal) unmatched.delete(equal);
    else open.push(line);
  }
  const changes = new Map<string, LineChange>();
  let added = 0;
  for (const line of open) {
    const slot = slotOf(line);
    const earlier = slot === undefined ? undefined : [...unmatched].find((one) => slotOf(one) === slot);
    if (earlier) {
      unmatched.delete(earlier);
      changes.set(line.key, { kind: "changed", pieces: diffWords(earlier.text, line.text) });
      added += Math.max(0, (line.tokens ?? 0) - (earlier.tokens ?? 0));
    } else {
      changes.set(line.key, { kind: "new" });
      added += line.tokens ?? 0;
    }
  }
  let removed = 0;
  for (const line of unmatched) removed += line.tokens ?? 0;
  return { changes, count: changes.size, added, removed };
}

type TextLine = Extract<Line, { kind: "message" | "block" }>;

function isText(line: Line): line is TextLine {
  return line.kind === "message" || line.kind === "block";
}

function roleOf(line: TextLine): string {
  return line.kind === "block" ? "user" : line.message.role;
}

/** What a line is in every prompt of a node: the system text, or a block. Messages come and go. */
function slotOf(line: TextLine): string | undefined {
  if (line.kind === "block") return line.block.block === "partner" ? undefined : line.block.block;
  return line.message.part === "system" ? "system" : undefined;
}

/** The difference of two texts, word by word. Texts with too many changes count as replaced, but for their equal ends. */
export function diffWords(before: string, after: string): DiffPiece[] {
  const old = before.split(/(?<=\s)/u);
  const next = after.split(/(?<=\s)/u);
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start++;
  let end = 0;
  while (end < old.length - start && end < next.length - start && old.at(-1 - end) === next.at(-1 - end)) end++;
  const removed = old.slice(start, old.length - end);
  const added = next.slice(start, next.length - end);
  const changes = diffArrays(removed, added, { maxEditLength: MAX_CHANGED_WORDS });
  const pieces = [
    piece("same", next.slice(0, start)),
    ...(changes?.map((change) => piece(kindOf(change), change.value)) ?? [
      piece("removed", removed),
      piece("added", added),
    ]),
    piece("same", next.slice(next.length - end)),
  ];
  return pieces.filter(({ text }) => text !== "");
}

function kindOf(change: ChangeObject<string[]>): DiffPiece["kind"] {
  if (change.added) return "added";
  return change.removed ? "removed" : "same";
}

function piece(kind: DiffPiece["kind"], words: readonly string[]): DiffPiece {
  return { kind, text: words.join("") };
}
