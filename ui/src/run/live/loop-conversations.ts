/** What was said in the loops of a run that have a conversation, which turns are pinned, and what a prompt had of them. */
import type { Entry, Epoch, Message, MessageId, NodeId, PromptPart } from "@/bindings";
import { activationKey } from "../fold/epoch";

type TurnsPart = Extract<PromptPart, { kind: "turns" }>;
/** A summary of the older turns: what a loop's node outputs before an iteration. */
type WrittenSummary = { attempt: "written"; text: string; tokens: number };

export type LoopTurn = { message: Message; pinned: boolean };

/** The conversation of one execution of a loop. `isOpen` while the loop has not ended. */
export type LoopTurns = { node: NodeId; epoch: Epoch; turns: readonly LoopTurn[]; isOpen: boolean };

/** A turn as a prompt had it. */
export type SentTurn = Pick<Message, "id" | "role" | "content" | "tokens" | "origins"> & { node: NodeId };

export class LoopConversations {
  readonly #loops = new Map<string, LoopTurns>();
  readonly #summaries = new Map<string, SentTurn>();

  append(entry: Entry): void {
    switch (entry.type) {
      case "history.appended": {
        const known = this.of(entry.node, entry.epoch);
        const pinned = new Set<MessageId>(entry.pinned);
        const added = entry.turns.map((message) => ({ message, pinned: pinned.has(message.id) }));
        this.#put({ node: entry.node, epoch: entry.epoch, turns: [...(known?.turns ?? []), ...added], isOpen: true });
        break;
      }
      case "history.pinned": {
        const known = this.of(entry.node, entry.epoch);
        const at = known?.turns.findLastIndex(({ message }) => message.id === entry.turn) ?? -1;
        if (!known || at < 0) break;
        const { pinned } = entry;
        this.#put({ ...known, turns: known.turns.map((turn, index) => (index === at ? { ...turn, pinned } : turn)) });
        break;
      }
      case "node.finished":
        if (isSummary(entry.outputs.summary)) this.#summarize(entry.node, entry.epoch, entry.outputs.summary);
        this.#close(entry.node, entry.epoch);
        break;
      case "node.failed":
      case "node.skipped":
        this.#close(entry.node, entry.epoch);
    }
  }

  /** The conversation of a loop, in the loop's own epoch. */
  of(node: NodeId, epoch: Epoch): LoopTurns | undefined {
    return this.#loops.get(activationKey(node, epoch));
  }

  /** The newest conversation of a loop whose epoch begins with `outer`. */
  latest(node: NodeId, outer: Epoch = []): LoopTurns | undefined {
    const all = [...this.#loops.values()];
    return all.findLast((known) => known.node === node && outer.every((counter, at) => known.epoch[at] === counter));
  }

  /** The summary and the turns from before the iteration that a prompt has; nothing unless all are known. */
  sentIn({ node, epoch, summary, pinned = [], first, own, current = [], count }: TurnsPart): SentTurn[] | undefined {
    const written = summary && this.#summaries.get(activationKey(node, summary));
    if (summary && !written) return undefined;
    const newest = count - current.length - pinned.length - (written ? 1 : 0);
    const turns = this.of(node, epoch)?.turns ?? [];
    const positions = [...pinned];
    for (let at = first; positions.length < pinned.length + newest; at++) if (at !== own) positions.push(at);
    const messages = positions.map((at) => turns[at]?.message).filter((message) => message !== undefined);
    if (messages.length < positions.length) return undefined;
    const sent = messages.map((message) => ({ ...message, node: message.author.node }));
    return written ? [written, ...sent] : sent;
  }

  #summarize(node: NodeId, epoch: Epoch, { text, tokens }: WrittenSummary): void {
    const key = activationKey(node, epoch);
    this.#summaries.set(key, { id: `${key}/summary`, role: "assistant", content: text, tokens, node });
  }

  #close(node: NodeId, epoch: Epoch): void {
    const known = this.of(node, epoch);
    if (known) this.#put({ ...known, isOpen: false });
  }

  #put(turns: LoopTurns): void {
    this.#loops.set(activationKey(turns.node, turns.epoch), turns);
  }
}

function isSummary(output: unknown): output is WrittenSummary {
  return typeof output === "object" && output !== null && "attempt" in output && output.attempt === "written";
}
