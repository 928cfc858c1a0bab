/** The items of the conversation in the order of their events. Grows with the journal; nothing is computed twice. */
import type { Answer, ContextId, Entry, Epoch, Fault, Message, NodeId, PortName } from "@/bindings";
import { activationKey } from "@/run/fold/epoch";
import { plainMessageText } from "@/run/fold/message-text";
import { answerValue } from "@/run/values/answers";
import { wasStopped } from "@/run/values/outputs";

export type Item =
  | { kind: "message"; key: string; context: ContextId; message: Message }
  | { kind: "cleared"; key: string; context: ContextId; node: NodeId }
  | { kind: "edited"; key: string; context: ContextId; node: NodeId }
  | { kind: "question"; key: string; node: NodeId; epoch: Epoch; prompt: string }
  | { kind: "answer"; key: string; node: NodeId; epoch: Epoch; answer: Answer }
  | { kind: "failure"; key: string; node: NodeId; epoch: Epoch; error: Fault }
  | { kind: "output"; key: string; node: NodeId; port: PortName; value: unknown };

/** An item, and the places of the entries of the journal that add it and take it away. */
type Shown = { item: Item; from: number; until?: number };

export class ConversationItems {
  readonly items: Item[] = [];
  /** These, and those that are not shown any more. */
  readonly #all: Shown[] = [];
  #read = 0;
  /** Answers by activation, until it is known whether they became messages. */
  #answers = new Map<string, Shown>();
  /** Texts already in the conversation, so that an equal output is not repeated. */
  #messageTexts = new Set<string>();

  /** Adds the new entries of the journal. */
  read(entries: readonly Entry[]): void {
    for (; this.#read < entries.length; this.#read++) {
      const entry = entries[this.#read];
      if (entry) this.#take(entry);
    }
  }

  /** The items after the first `count` entries, of those that were read. */
  after(count: number): Item[] {
    const items: Item[] = [];
    for (const { item, from, until } of this.#all) {
      // They stand in the order of the entries that add them.
      if (from >= count) break;
      if (until === undefined || until >= count) items.push(item);
    }
    return items;
  }

  #add(item: Item): Shown {
    const shown = { item, from: this.#read };
    this.items.push(item);
    this.#all.push(shown);
    return shown;
  }

  #take(entry: Entry): void {
    const key = String(entry.seq ?? 0);
    switch (entry.type) {
      case "context.created":
        this.#messages(key, entry.context.contextId, entry.context.messageHistory);
        break;
      case "context.changed":
        if (entry.change.kind === "messages" || entry.change.kind === "turn") {
          this.#messages(key, entry.contextId, entry.change.messages);
          this.#removeAnswer(entry.node, entry.epoch);
        }
        if (entry.change.kind === "recalled") {
          this.#messages(key, entry.contextId, entry.change.messages ?? []);
        }
        if (entry.change.kind === "edited") {
          this.#add({ kind: "edited", key, context: entry.contextId, node: entry.node });
        }
        if (entry.change.kind === "reset") {
          this.#add({ kind: "cleared", key, context: entry.contextId, node: entry.node });
        }
        break;
      case "turn.committed":
        this.#messages(key, entry.contextId, entry.messages);
        this.#removeAnswers(entry.messages);
        break;
      case "run.paused":
        this.#add({ kind: "question", key, node: entry.node, epoch: entry.epoch, prompt: entry.prompt });
        break;
      case "input.provided": {
        const shown = this.#add({ kind: "answer", key, node: entry.node, epoch: entry.epoch, answer: entry.answer });
        this.#answers.set(activationKey(entry.node, entry.epoch), shown);
        break;
      }
      case "node.failed":
        if (!entry.handled && !wasStopped(entry)) {
          this.#add({ kind: "failure", key, node: entry.node, epoch: entry.epoch, error: entry.error });
        }
        break;
      case "run.finished":
        this.#outputs(key, entry.outputs as Record<NodeId, Record<PortName, unknown>>);
    }
  }

  #messages(key: string, context: ContextId, messages: readonly Message[]): void {
    for (const message of messages) {
      this.#add({ kind: "message", key: `${key}/${message.id}`, context, message });
      if (typeof message.content === "string") this.#messageTexts.add(message.content);
    }
  }

  /** Removes the answer of this activation, which is in the conversation as a message now. */
  #removeAnswer(node: NodeId, epoch: Epoch): void {
    const key = activationKey(node, epoch);
    const shown = this.#answers.get(key);
    if (!shown) return;
    this.#answers.delete(key);
    shown.until = this.#read;
    const place = this.items.lastIndexOf(shown.item);
    if (place >= 0) this.items.splice(place, 1);
  }

  /** A turn with an answer as its user message includes the answer: it is not shown twice. */
  #removeAnswers(messages: readonly Message[]): void {
    const userMessages = messages.filter((message) => message.role === "user");
    const userTexts = userMessages.map((message) => plainMessageText(message.content));
    const taken = [...this.#answers.values()].findLast(
      ({ item }) => item.kind === "answer" && userTexts.includes(answerValue(item.answer) as string),
    )?.item;
    if (taken?.kind === "answer") this.#removeAnswer(taken.node, taken.epoch);
  }

  #outputs(key: string, outputs: Record<NodeId, Record<PortName, unknown>>): void {
    for (const [node, ports] of Object.entries(outputs)) {
      for (const [port, value] of Object.entries(ports)) {
        if (typeof value === "string" && this.#messageTexts.has(value)) continue;
        if (isHandle(value)) continue;
        this.#add({ kind: "output", key: `${key}/${node}/${port}`, node, port, value });
      }
    }
  }
}

/** The items of one context, and the items without a context. */
export function itemsOf(items: readonly Item[], context: ContextId | undefined): Item[] {
  return items.filter((item) => !("context" in item) || item.context === context);
}

function isHandle(value: unknown): boolean {
  return typeof value === "object" && value !== null && "contextId" in value;
}
