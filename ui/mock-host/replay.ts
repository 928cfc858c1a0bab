/** One replayed run: its position in the recording, and how it handles answers. */
import type { Answer, ConversationRef, Entry, Epoch, Flow, MessageId, NodeId, RunId, RunOrigin } from "@/bindings";
import { HostError } from "@/ipc/host";
import { answerValue } from "@/run/values/answers";

/** A run recorded from the engine. Recordings of one flow differ in their answers. */
export type Recording = {
  nodes: Record<NodeId, string>;
  to?: NodeId;
  journal: Entry[];
  /** The runs it began, by the ids they have in the journal. */
  children?: Record<RunId, { flow: Flow; journal: Entry[] }>;
};

/** A run as stored across page loads. */
export type StoredRun = {
  run: RunId;
  flow: Flow;
  path?: string;
  conversation?: ConversationRef;
  /** The run that it retries. */
  from?: RunOrigin;
  journal: Entry[];
  place: number;
};

export type MockRun = {
  readonly run: RunId;
  readonly flow: Flow;
  readonly path?: string;
  readonly journal: Entry[];
  /** Whether it is at work or can take answers; after a reload it is not until it is resumed. */
  readonly live: boolean;
  /** Whether it is stored across page loads. */
  readonly keep: boolean;
  toStored(): StoredRun;
  play(): void;
  revive(recordings: Recording[]): void;
  answer(node: NodeId, epoch: Epoch, answer: Answer): void;
  pin(node: NodeId, epoch: Epoch, turn: MessageId, pinned: boolean): void;
  cancel(): void;
  subscribe(listener: (entries: Entry[]) => void): () => void;
};

/** Recorded gaps are played as they were, but no longer than this. */
const LONGEST_MS = 220;
/** How far a call has come stays long enough to be read. */
const PROGRESS_MS = 700;
/** What streams is spread out, so that it can be seen. */
const DELTA_MS = 28;

export async function loadRecordings(): Promise<Recording[]> {
  const files = import.meta.glob<Recording>("./recordings/*.json", { import: "default" });
  return Promise.all(Object.values(files).map((load) => load()));
}

export function startReplay(
  begun: StoredRun,
  recordings: Recording[],
  env: { now(): number },
  changed: () => void,
  began: (child: RunId, recording: Recording) => void = () => {},
): MockRun {
  const { run, flow, path, journal } = begun;
  const listeners = new Set<(entries: Entry[]) => void>();
  const answers = new Map<string, Answer>();
  let candidates = recordings;
  let place = begun.place;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isOver = () => ["run.finished", "run.failed", "run.cancelled"].includes(journal.at(-1)?.type ?? "");

  const emit = (entry: Entry) => {
    const { seq: _, ...event } = entry;
    const emitted = (
      entry.seq === undefined ? { ...event, at: env.now() } : { ...event, seq: journal.length, at: env.now() }
    ) as Entry;
    if (emitted.type === "run.started") {
      emitted.run = run;
      emitted.conversation = begun.conversation;
      if (begun.from) emitted.from = begun.from;
    }
    if (emitted.seq !== undefined) journal.push(emitted);
    for (const listener of listeners) listener([emitted]);
    if (emitted.type === "child.started" && candidates[0]) began(emitted.run, candidates[0]);
    if (emitted.type.startsWith("run.") || emitted.type === "input.provided") changed();
  };

  const step = () => {
    timer = undefined;
    const next = candidates[0]?.journal[place];
    if (!next || isOver()) return;
    if (next.type === "input.provided") {
      const answer = answers.get(key(next.node, next.epoch));
      if (answer === undefined) return;
      answers.delete(key(next.node, next.epoch));
      place += 1;
      emit({ ...next, answer });
    } else {
      place += 1;
      emit(next);
    }
    schedule();
  };

  const schedule = () => {
    const journal = candidates[0]?.journal;
    const [before, next] = [journal?.[place - 1], journal?.[place]];
    if (!next || timer !== undefined) return;
    const longest = before?.type === "tool.progressed" ? PROGRESS_MS : LONGEST_MS;
    const gap =
      next.type === "node.delta" ? DELTA_MS : Math.min(longest, Math.max(0, next.at - (before?.at ?? next.at)));
    timer = setTimeout(step, before?.type === "input.provided" || before?.type === "run.waiting" ? 0 : gap);
  };

  return {
    run,
    flow,
    path,
    journal,
    keep: true,
    get live() {
      return candidates.length > 0;
    },
    toStored: () => ({ run, flow, path, conversation: begun.conversation, from: begun.from, journal, place }),
    play: schedule,
    revive: (found) => {
      candidates = found.filter((one) => sameBeginning(one.journal, journal));
    },
    answer: (node, epoch, answer) => {
      if (!isOpen(journal, node, epoch) || answers.has(key(node, epoch))) {
        throw new HostError({
          code: "answer.not_waiting",
          message: `\`${node}\` asks nothing at the moment.`,
          hint: "It may have been answered in another window.",
        });
      }
      const fitting = candidates.filter((one) => fits(recordedAnswer(one.journal, place, node, epoch), answer));
      const [chosen] = fitting;
      if (!chosen) {
        throw new HostError({
          code: "answer.invalid",
          message: "This page replays recorded runs, and none of them goes on with this answer.",
          hint: "Run the flow in the desktop window, where it is really run.",
        });
      }
      candidates = fitting.map((one) => replay(one, recordedAnswer(one.journal, place, node, epoch), answer));
      answers.set(key(node, epoch), answer);
      schedule();
    },
    pin: (node, epoch, turn, pinned) => {
      emit({ seq: 0, at: 0, type: "history.pinned", node, epoch, turn, pinned } as Entry);
    },
    cancel: () => {
      if (isOver()) return;
      clearTimeout(timer);
      timer = undefined;
      for (const event of cancelled(journal)) emit({ seq: 0, at: 0, ...event } as Entry);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function key(node: NodeId, epoch: Epoch): string {
  return `${node}\u0000${epoch.join(".")}`;
}

function isOpen(journal: readonly Entry[], node: NodeId, epoch: Epoch): boolean {
  const last = journal.findLast(
    (entry) =>
      (entry.type === "run.paused" || entry.type === "input.provided") &&
      key(entry.node, entry.epoch) === key(node, epoch),
  );
  return last?.type === "run.paused" && !journal.some((entry) => entry.type === "run.cancelled");
}

function recordedAnswer(journal: readonly Entry[], place: number, node: NodeId, epoch: Epoch): Answer | undefined {
  for (const entry of journal.slice(place)) {
    if (entry.type === "input.provided" && key(entry.node, entry.epoch) === key(node, epoch)) return entry.answer;
  }
  return undefined;
}

/** Texts match any text, also inside objects, where they may be absent. Everything else must be equal. */
function fits(recorded: Answer | undefined, answer: Answer): boolean {
  if (recorded === undefined || recorded === "end" || answer === "end") return recorded === answer;
  return JSON.stringify(withoutTexts(answerValue(recorded))) === JSON.stringify(withoutTexts(answerValue(answer)));
}

function withoutTexts(value: unknown): unknown {
  if (typeof value === "string") return "";
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.entries(value).filter(([, inner]) => typeof inner !== "string");
}

/** The rest of a recording, with every occurrence of the recorded answer replaced by the actual one. */
function replay(recording: Recording, recorded: Answer | undefined, answer: Answer): Recording {
  if (recorded === undefined || recorded === "end" || answer === "end") return recording;
  const [from, to] = [answerValue(recorded), answerValue(answer)];
  if (typeof from !== "string" || typeof to !== "string") return recording;
  return from === to || from === ""
    ? recording
    : { ...recording, journal: replace(recording.journal, from, to) as Entry[] };
}

function replace(value: unknown, from: string, to: string): unknown {
  if (typeof value === "string") return value.replaceAll(from, to);
  if (Array.isArray(value)) return value.map((item) => replace(item, from, to));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replace(inner, from, to)]));
}

/** Whether a recording began like this journal, but for the texts of answers. */
function sameBeginning(recorded: readonly Entry[], journal: readonly Entry[]): boolean {
  const events = recorded.filter((entry) => entry.seq !== undefined);
  return journal.every((entry, index) => {
    const other = events[index];
    if (entry.type !== "input.provided" || other?.type !== "input.provided") return other?.type === entry.type;
    return fits(other.answer, entry.answer);
  });
}

/** The events that end a canceled run, in the engine's order. */
function cancelled(journal: readonly Entry[]): object[] {
  const open = new Map<string, { node: NodeId; epoch: Epoch; running: boolean }>();
  for (const entry of journal) {
    if (!("node" in entry)) continue;
    const id = key(entry.node, entry.epoch);
    if (entry.type === "node.ready") open.set(id, { node: entry.node, epoch: entry.epoch, running: false });
    else if (entry.type === "node.started" || entry.type === "input.provided") {
      open.set(id, { node: entry.node, epoch: entry.epoch, running: true });
    } else if (entry.type === "run.paused") open.set(id, { node: entry.node, epoch: entry.epoch, running: false });
    else if (entry.type === "node.finished" || entry.type === "node.failed" || entry.type === "node.skipped")
      open.delete(id);
  }
  const error = { code: "node.cancelled", message: "Stopped, because the run was cancelled." };
  return [
    { type: "run.cancelling" },
    ...[...open.values()].map(({ node, epoch, running }) =>
      running
        ? { type: "node.failed", node, epoch, error, handled: false }
        : { type: "node.skipped", node, epoch, reason: "runCancelled" },
    ),
    { type: "run.cancelled", outputs: {} },
  ];
}
