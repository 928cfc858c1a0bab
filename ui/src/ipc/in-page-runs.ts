/**
 * The in-page host's runs. There is no engine in a page: a run replays a journal that the engine recorded, at a watchable
 * speed, and where the recording goes on with an answer it waits for that answer. A flow that nobody recorded cannot run
 * here and is told so.
 */
import type { ConversationId, Entry, Epoch, Flow, NodeId, RunDetail, RunId, RunSummary } from "@/bindings";
import { isOver } from "@/run/fold/status";
import { HostError } from "./host";
import type { InPageConversations } from "./in-page-conversations";
import { loadOf, startLoad } from "./in-page-load";
import { type InPageRun, type KeptRun, loadRecordings, type Recording, startReplay } from "./in-page-replay";
import { store, stored } from "./in-page-storage";
import { summarise } from "./in-page-summary";

export type InPageRuns = {
  commands: Record<string, (args: never) => unknown>;
  /** Whether a run that has not ended goes on in that conversation. */
  busy(conversation: ConversationId): boolean;
  watch(run: RunId, fromSeq: number, onBatch: (entries: Entry[]) => void): () => void;
};

type Asked = { flow: Flow; path?: string; to?: NodeId; conversation?: ConversationId };
type Place = { run: RunId; node: NodeId; epoch: Epoch };

const KEPT = "runs";
/** Journals are large and the page's storage is small. */
const MOST = 12;

export function inPageRuns(env: { now(): number }, conversations: InPageConversations): InPageRuns {
  const runs = new Map<RunId, InPageRun>();
  const keep = () => {
    const kept = [...runs.values()].filter((run) => run.keep).map((run) => run.kept());
    store(KEPT, kept.slice(-MOST));
  };
  const begin = (kept: KeptRun, found: Recording[]): InPageRun => {
    const run = startReplay(kept, found, env, keep);
    const { conversation } = kept;
    if (conversation) run.subscribe((entries) => conversations.take(conversation.id, kept.run, entries));
    runs.set(kept.run, run);
    return run;
  };
  for (const kept of stored<KeptRun[]>(KEPT, [])) begin(kept, []);

  const find = (run: RunId): InPageRun => {
    const found = runs.get(run);
    if (!found) throw new HostError({ code: "run.unknown", message: `There is no run \`${run}\`.` });
    return found;
  };
  const live = async (run: RunId): Promise<InPageRun> => {
    const found = find(run);
    if (!found.live) found.revive(matching(await loadRecordings(), found.flow));
    return found;
  };

  return {
    commands: {
      "run.start": async ({ flow, path, to, conversation: id }: Asked) => {
        const its = id === undefined ? undefined : conversations.at(id);
        const conversation = its && { id: its.id, thread: its.threadId, messages: its.messages };
        const run = crypto.randomUUID();
        const load = loadOf(flow);
        if (load) {
          runs.set(run, startLoad(run, flow, load, env));
          return { run };
        }
        const found = matching(await loadRecordings(), flow, to);
        if (found.length === 0) {
          throw new HostError({
            code: "run.not_recorded",
            message: "This page has no engine: it can only replay flows whose runs were recorded, and this one is not.",
            hint: "Open one of the examples, or run the flow in the desktop window or with `plait run`.",
          });
        }
        begin({ run, flow, path, conversation, journal: [], place: 0 }, found).play();
        return { run };
      },
      "run.answer": async ({ run, node, epoch, value }: Place & { value: unknown }) => {
        (await live(run)).answer(node, epoch, { value });
        return null;
      },
      "run.end": async ({ run, node, epoch }: Place) => {
        (await live(run)).answer(node, epoch, "end");
        return null;
      },
      "run.cancel": ({ run }: { run: RunId }) => {
        find(run).cancel();
        return null;
      },
      "run.resume": async ({ run }: { run: RunId }) => {
        (await live(run)).play();
        return null;
      },
      "runs.list": ({ flowPath, limit }: { flowPath?: string; limit?: number }): RunSummary[] =>
        [...runs.values()]
          .reverse()
          .filter((run) => flowPath === undefined || run.path === flowPath)
          .slice(0, limit ?? 100)
          .map(summarise),
      "runs.show": ({ run }: { run: RunId }): RunDetail => {
        const found = find(run);
        return { summary: summarise(found), flow: found.flow, entries: found.journal };
      },
      "runs.remove": ({ run }: { run: RunId }) => {
        find(run).cancel();
        runs.delete(run);
        keep();
        return null;
      },
    },
    busy: (conversation) =>
      [...runs.values()].some((run) => {
        const { conversation: its, status } = summarise(run);
        return its === conversation && !isOver(status);
      }),
    watch: (run, fromSeq, onBatch) => watchRun(find(run), fromSeq, onBatch),
  };
}

/** The recordings of a flow with the same nodes, of the same types. */
function matching(recordings: readonly Recording[], flow: Flow, to?: NodeId): Recording[] {
  const nodes = Object.entries(flow.nodes).filter(([, node]) => node.type !== "note");
  return recordings.filter(
    (recording) =>
      recording.to === to &&
      Object.keys(recording.nodes).length === nodes.length &&
      nodes.every(([id, node]) => recording.nodes[id] === node.type),
  );
}

/** First the journal from there, then what comes, at most once a frame. */
function watchRun(run: InPageRun, fromSeq: number, onBatch: (entries: Entry[]) => void): () => void {
  let waiting: Entry[] = run.journal.slice(fromSeq);
  let frame: number | undefined;
  const deliver = () => {
    frame = undefined;
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) onBatch(batch);
  };
  const schedule = () => {
    frame ??= requestAnimationFrame(deliver);
  };
  const stop = run.subscribe((entries) => {
    for (const entry of entries) waiting.push(entry);
    schedule();
  });
  schedule();
  return () => {
    stop();
    if (frame !== undefined) cancelAnimationFrame(frame);
  };
}
