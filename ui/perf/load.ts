/** Synthetic load: events at a given rate, to measure the window. A flow requests it in its settings. */
import type { Entry, Flow, NodeId, RunId } from "@/bindings";
import type { Host } from "@/ipc/host";

export type Load = {
  eventsPerSecond: number;
  seconds: number;
  streams: number;
  /** Instead of nodes that stream: a conversation of so many turns between the flow's first two nodes. */
  turns?: number;
};

export function loadOf(flow: Flow): Load | undefined {
  const settings = flow.settings as { load?: Load } | undefined;
  return settings?.load;
}

const WORDS = "the parcel left the depot this morning and the carrier was asked to hold it until Thursday ".split(" ");

/** How many events one turn has. */
const EVENT_OF_TURN = 9;

export type RunningLoad = { watch: Host["watch"]; cancel(): void };

export function startLoad(run: RunId, flow: Flow, load: Load): RunningLoad {
  const journal: Entry[] = [];
  const listeners = new Set<(entries: Entry[]) => void>();
  let over = false;
  const emit = (events: object[]) => {
    const at = Date.now();
    const entries = events.map((event) => {
      const isDelta = (event as { type: string }).type === "node.delta";
      const entry = (isDelta ? { at, ...event } : { seq: journal.length, at, ...event }) as Entry;
      if (!isDelta) journal.push(entry);
      return entry;
    });
    for (const listener of listeners) listener(entries);
  };
  emit([{ type: "run.started", run, flow: { name: flow.name, hash: "load" } }]);
  const ids = Object.keys(flow.nodes);
  const events = load.turns === undefined ? generate(ids, load.streams) : converse(ids);
  const began = performance.now();
  const total = load.turns === undefined ? load.eventsPerSecond * load.seconds : load.turns * EVENT_OF_TURN + 1;
  let emitted = 0;
  const tick = () => {
    if (over) return;
    const due = Math.min(total, Math.floor(((performance.now() - began) / 1000) * load.eventsPerSecond));
    const batch: object[] = [];
    for (; emitted < due; emitted++) batch.push(events.next().value as object);
    if (emitted >= total) {
      over = true;
      batch.push({ type: "run.finished", outputs: {} });
    }
    if (batch.length > 0) emit(batch);
    if (!over) requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  return {
    watch: (_run, fromSeq, onBatch) => {
      const listener = batched(onBatch);
      listener.add(journal.slice(fromSeq));
      listeners.add(listener.add);
      return () => {
        listeners.delete(listener.add);
        listener.stop();
      };
    },
    cancel: () => {
      if (over) return;
      over = true;
      emit([{ type: "run.cancelling" }, { type: "run.cancelled", outputs: {} }]);
    },
  };
}

/** Delivers added entries at most once a frame. */
function batched(onBatch: (entries: Entry[]) => void): { add(entries: Entry[]): void; stop(): void } {
  let waiting: Entry[] = [];
  let frame: number | undefined;
  const deliver = () => {
    frame = undefined;
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) onBatch(batch);
  };
  return {
    add: (entries) => {
      for (const entry of entries) waiting.push(entry);
      frame ??= requestAnimationFrame(deliver);
    },
    stop: () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
    },
  };
}

/** An endless sequence of events in the order of a real run. The first `streams` nodes stream and iterate. */
export function* generate(ids: readonly NodeId[], streams: number): Generator<object, never> {
  const nodes = ids.slice(0, Math.max(1, streams));
  const iterations = new Map<NodeId, { iteration: number; words: number }>();
  let count = 0;
  for (;;) {
    const node = nodes[count % nodes.length] ?? "";
    const state = iterations.get(node) ?? { iteration: 0, words: 0 };
    iterations.set(node, state);
    const epoch = [state.iteration];
    const at = state.words++;
    count += 1;
    if (at === 0) yield { type: "node.ready", node, epoch };
    else if (at === 1) yield { type: "node.started", node, epoch, attempt: 1 };
    else if (at < 40 && at % 2 === 0)
      yield { type: "node.delta", node, epoch, text: `${WORDS[count % WORDS.length]} ` };
    else if (at < 40)
      yield { type: "tool.called", node, epoch, step: at, call: { id: `${at}`, name: "clock", arguments: { at } } };
    else {
      yield {
        type: "node.finished",
        node,
        epoch,
        outputs: { result: `${node} ${state.iteration}` },
        metadata: { durationMs: at },
      };
      state.iteration += 1;
      state.words = 0;
    }
  }
}

/** Endless turns: one node asks a person, the other answers with a model. */
export function* converse(ids: readonly NodeId[]): Generator<object, never> {
  const [ask = "ask", answer = "answer"] = ids;
  const contextId = "main";
  const record = {
    contextId,
    contextType: "main",
    provider: "offline",
    model: "echo",
    messageHistory: [],
    revision: 0,
  };
  yield { type: "context.created", node: ask, epoch: [], context: record };
  for (let turn = 0; ; turn++) {
    const epoch = [turn];
    const of = (node: NodeId) => ({ node, epoch });
    const message = (role: string, content: string) => {
      return { id: `${role}-${turn}`, role, content, author: of(role === "user" ? ask : answer), tokens: 20 };
    };
    const question = `Question ${turn}: where is the parcel?`;
    // Rows differ in height, so that a list has to measure them.
    const reply = `It is **at depot ${turn}**.\n\n${`${WORDS.join(" ")}\n\n- one thing\n- another\n\n`.repeat(turn % 4)}`;
    yield { type: "node.started", ...of(ask), attempt: 1 };
    yield { type: "run.paused", ...of(ask), prompt: "Anything else?", schema: { type: "string" } };
    yield { type: "run.waiting", on: [of(ask)] };
    yield { type: "input.provided", ...of(ask), answer: { value: question } };
    yield { type: "node.finished", ...of(ask), outputs: { message: question }, metadata: { durationMs: 1 } };
    yield { type: "node.started", ...of(answer), attempt: 1 };
    yield { type: "turn.started", ...of(answer), contextId };
    const messages = [message("user", question), message("assistant", reply)];
    yield { type: "turn.committed", ...of(answer), contextId, messages };
    yield { type: "node.finished", ...of(answer), outputs: { reply }, metadata: { durationMs: 1 } };
  }
}
