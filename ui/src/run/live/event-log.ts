/** The events of a run as they came, and lookups in them: messages by context, and contexts as they once were. */
import type {
  ContextChange,
  ContextId,
  ContextRecord,
  Entry,
  Epoch,
  MemoryState,
  Message,
  NodeId,
  StopView,
} from "@/bindings";
import { withEdits } from "../fold/contexts";
import { sameEpoch } from "../fold/epoch";
import { applyToMemory, memoryOfConversation } from "../fold/memory";
import { stopsAfter, wholeStop } from "../fold/stops";

/** One change of a context. `start..length` is the history after it, in the list of all messages it ever had. */
export type ContextMark = {
  seq: number;
  at: number;
  node: NodeId;
  epoch: Epoch;
  kind: "created" | "discarded" | ContextChange["kind"];
  start: number;
  length: number;
  /** The rest of the record after it; its history is left empty. */
  record: ContextRecord;
};

export type ContextArchive = { messages: Message[]; marks: ContextMark[] };

/** A time in which the whole run stood still; without an end, it does. */
export type Standstill = { readonly from: number; readonly to?: number };

export class EventLog {
  /** Every entry of the journal so far, in order: the one at index `i` has `seq` `i` unless the journal has gaps. */
  readonly entries: Entry[] = [];
  readonly contexts = new Map<ContextId, ContextArchive>();
  /** How often the conversation of a loop changed, or ended with its loop or the run. The host has the conversations. */
  conversationChanges = 0;
  /** The loops that have a conversation. */
  readonly #conversations = new Set<NodeId>();
  /** The workflow's memory after each change. */
  readonly #memories: { seq: number; memory: MemoryState }[] = [];
  /** The times when the run only waited for a person. */
  readonly waits: { from: number; to?: number }[] = [];
  /** The times when the whole run stood still at a stop of the debugger. Another list whenever that changes. */
  standstills: readonly Standstill[] = [];
  #stops: readonly StopView[] = [];
  /** For each stop of the debugger, how many events there were with it. */
  readonly stops: number[] = [];
  /** Whether it began runs of its own. */
  hasChildren = false;

  append(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.entries.push(entry);
      if (entry.type === "debug.stopped") this.stops.push(this.entries.length);
      this.#wait(entry);
      this.#stand(entry);
      if (entry.type === "child.started") this.hasChildren = true;
      this.#remember(entry);
      this.#countConversationChange(entry);
      if (entry.type === "context.created") this.#create(entry);
      else if (entry.type === "context.changed") this.#change(entry, entry.contextId, entry.change);
      else if (entry.type === "turn.committed") {
        this.#change(entry, entry.contextId, { kind: "turn", messages: entry.messages });
      } else if (entry.type === "context.discarded") this.#discard(entry);
    }
  }

  /** A context right after the entry with this `seq`; its current state without one. */
  contextAt(id: ContextId, seq?: number): { mark: ContextMark; messages: Message[] } | undefined {
    const archive = this.contexts.get(id);
    const mark = seq === undefined ? archive?.marks.at(-1) : archive?.marks.findLast((known) => known.seq <= seq);
    return archive && mark && { mark, messages: archive.messages.slice(mark.start, mark.length) };
  }

  /** The workflow's memory right after the entry with this `seq`; as it is now without one. */
  memoryAt(seq?: number): MemoryState | undefined {
    if (seq === undefined) return this.#memories.at(-1)?.memory;
    return this.#memories.findLast((known) => known.seq <= seq)?.memory;
  }

  /** The place in the journal where an activation ended, if it has. */
  endOf(node: NodeId, epoch: Epoch): number | undefined {
    const end = this.entries.findLast(
      (entry) =>
        (entry.type === "node.finished" || entry.type === "node.failed" || entry.type === "node.skipped") &&
        entry.node === node &&
        sameEpoch(entry.epoch, epoch),
    );
    return end?.seq;
  }

  #countConversationChange(entry: Entry): void {
    switch (entry.type) {
      case "history.appended":
      case "history.pinned":
        this.#conversations.add(entry.node);
        this.conversationChanges += 1;
        break;
      case "node.finished":
      case "node.failed":
      case "node.skipped":
        if (this.#conversations.has(entry.node)) this.conversationChanges += 1;
        break;
      case "run.finished":
      case "run.failed":
      case "run.cancelled":
        if (this.#conversations.size > 0) this.conversationChanges += 1;
    }
  }

  #remember(entry: Entry): void {
    const memory =
      entry.type === "run.started"
        ? memoryOfConversation(entry)
        : entry.type === "memory.appended"
          ? applyToMemory(this.memoryAt(), entry)
          : undefined;
    if (memory) this.#memories.push({ seq: entry.seq ?? 0, memory });
  }

  #wait(entry: Entry): void {
    const last = this.waits.at(-1);
    const open = last !== undefined && last.to === undefined;
    switch (entry.type) {
      case "run.waiting":
        if (!open) this.waits.push({ from: entry.at });
        break;
      case "input.provided":
      case "child.resumed":
      case "run.cancelling":
      case "run.finished":
      case "run.failed":
      case "run.cancelled":
        if (open) last.to = entry.at;
    }
  }

  #stand(entry: Entry): void {
    const last = this.standstills.at(-1);
    switch (entry.type) {
      case "debug.stopped":
      case "debug.continued": {
        const before = wholeStop(this.#stops);
        this.#stops = stopsAfter(this.#stops, entry);
        const after = wholeStop(this.#stops);
        if (before?.number === after?.number) break;
        const ended = last && before ? [...this.standstills.slice(0, -1), { ...last, to: entry.at }] : this.standstills;
        this.standstills = after ? [...ended, { from: after.since }] : ended;
        break;
      }
      case "run.finished":
      case "run.failed":
      case "run.cancelled":
        if (last && last.to === undefined)
          this.standstills = [...this.standstills.slice(0, -1), { ...last, to: entry.at }];
        this.#stops = [];
    }
  }

  #create(entry: Extract<Entry, { type: "context.created" }>): void {
    const { messageHistory, ...record } = entry.context;
    const id = record.contextId;
    const archive = this.contexts.get(id) ?? { messages: [], marks: [] };
    this.contexts.set(id, archive);
    const start = archive.messages.length;
    add(archive, messageHistory);
    this.#mark(archive, entry, "created", start, { ...record, messageHistory: [] });
  }

  #change(entry: Entry & { node: NodeId; epoch: Epoch }, id: ContextId, change: ContextChange): void {
    const archive = this.contexts.get(id);
    const before = archive?.marks.at(-1);
    if (!archive || !before) return;
    let { start } = before;
    const record = { ...before.record, revision: before.record.revision + 1 };
    if (change.kind === "messages" || change.kind === "turn") add(archive, change.messages);
    else if (change.kind === "recalled") add(archive, change.messages ?? []);
    else if (change.kind === "edited") {
      const edited = withEdits(archive.messages.slice(before.start, before.length), change.edits);
      start = archive.messages.length;
      add(archive, edited);
    } else if (change.kind === "reset") start = archive.messages.length;
    else if (change.kind === "systemInstructions") record.systemInstructions = change.text || undefined;
    else {
      record.provider = change.provider;
      record.model = change.model;
    }
    this.#mark(archive, entry, change.kind, start, record);
  }

  /** Iterations of a loop failed: what they said in contexts does not count. The messages stay for earlier marks. */
  #discard(entry: Extract<Entry, { type: "context.discarded" }>): void {
    const isGone = ({ author }: Message) =>
      entry.activations.some(({ node, epoch }) => node === author.node && sameEpoch(epoch, author.epoch));
    for (const archive of this.contexts.values()) {
      const before = archive.marks.at(-1);
      const messages = before ? archive.messages.slice(before.start, before.length) : [];
      if (!before || !messages.some(isGone)) continue;
      const start = archive.messages.length;
      add(
        archive,
        messages.filter((message) => !isGone(message)),
      );
      this.#mark(archive, entry, "discarded", start, before.record);
    }
  }

  #mark(
    archive: ContextArchive,
    entry: Entry & { node: NodeId; epoch: Epoch },
    kind: ContextMark["kind"],
    start: number,
    record: ContextRecord,
  ): void {
    const { at, node, epoch } = entry;
    archive.marks.push({ seq: entry.seq ?? 0, at, node, epoch, kind, start, length: archive.messages.length, record });
  }
}

function add(archive: ContextArchive, messages: readonly Message[]): void {
  for (const message of messages) archive.messages.push(message);
}
