/** What changed from one prompt of a node to its next: which messages are new, which differ and how, and which are gone. */
import type { Line } from "./prompt-lines";

export type DiffPiece = { kind: "same" | "added" | "removed"; text: string };

export type LineChange = { kind: "new" } | { kind: "changed"; pieces: DiffPiece[] };

export type PromptDiff = {
  /** The changes by the key of the line; lines without one are as they were. */
  changes: ReadonlyMap<string, LineChange>;
  /** How many messages are new or differ. */
  count: number;
  added: number;
  /** The tokens of what is no longer sent, or is sent shorter. */
  removed: number;
};

/** Above this many pairs of words a text counts as replaced: comparing them would take too long. */
const MAX_WORD_PAIRS = 250_000;

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

/** The difference of two texts, word by word: a longest common subsequence, with what begins and ends equal put aside. */
export function diffWords(before: string, after: string): DiffPiece[] {
  const old = before.split(/(?<=\s)/u);
  const next = after.split(/(?<=\s)/u);
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start++;
  let end = 0;
  while (end < old.length - start && end < next.length - start && old.at(-1 - end) === next.at(-1 - end)) end++;
  const middle = diffMiddle(old.slice(start, old.length - end), next.slice(start, next.length - end));
  return join([
    ...old.slice(0, start).map((text): DiffPiece => ({ kind: "same", text })),
    ...middle,
    ...next.slice(next.length - end).map((text): DiffPiece => ({ kind: "same", text })),
  ]);
}

function diffMiddle(old: readonly string[], next: readonly string[]): DiffPiece[] {
  const removed = old.map((text): DiffPiece => ({ kind: "removed", text }));
  const added = next.map((text): DiffPiece => ({ kind: "added", text }));
  if (old.length * next.length > MAX_WORD_PAIRS || old.length === 0 || next.length === 0) return [...removed, ...added];
  // `lengths[i][j]`: the longest common subsequence of what follows the words `i` and `j`.
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(next.length + 1));
  const lengthAt = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    const row = lengths[i];
    if (!row) continue;
    for (let j = next.length - 1; j >= 0; j--) {
      row[j] = old[i] === next[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  const pieces: DiffPiece[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < next.length) {
    if (i < old.length && j < next.length && old[i] === next[j]) {
      pieces.push({ kind: "same", text: old[i] ?? "" });
      i++;
      j++;
    } else if (j >= next.length || (i < old.length && lengthAt(i + 1, j) >= lengthAt(i, j + 1))) {
      pieces.push({ kind: "removed", text: old[i++] ?? "" });
    } else {
      pieces.push({ kind: "added", text: next[j++] ?? "" });
    }
  }
  return pieces;
}

/** Neighbors of one kind as one piece. */
function join(pieces: readonly DiffPiece[]): DiffPiece[] {
  const joined: DiffPiece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.kind === piece.kind) last.text += piece.text;
    else joined.push({ ...piece });
  }
  return joined;
}
