/**
 * Runs of the mock host: replays of recorded runs at their original speed. Where a recording continues with an answer, the
 * replay waits for it. Flows without a recording are refused.
 */
import type {
  ConversationId,
  Entry,
  Epoch,
  Flow,
  FlowVersion,
  GrantRule,
  MessageId,
  NodeId,
  RetryForecast,
  RunDetail,
  RunId,
  RunSummary,
} from "@/bindings";
import { type Args, HostError } from "@/ipc/host";
import { isOver } from "@/run/fold/status";
import type { MockConversations } from "./conversations";
import type { MockGrants } from "./grants";
import { mockLens } from "./lens";
import { loadOf, startLoad } from "./load";
import { loadRecordings, type MockRun, type Recording, type StoredRun, startReplay } from "./replay";
import { forecastOf } from "./retry-forecast";
import { summarize } from "./run-summary";
import { store, stored } from "./storage";
import { usageByDay } from "./usage";
import { currentUser } from "./users";

export type MockRuns = {
  commands: Record<string, (args: never) => unknown>;
  /** Whether an unfinished run continues that conversation. */
  busy(conversation: ConversationId): boolean;
  watch(run: RunId, fromSeq: number, onBatch: (entries: Entry[]) => void): () => void;
};

type Asked = { flow: Flow; path?: string; to?: NodeId; conversation?: ConversationId; grants?: GrantRule[] };
type Place = { run: RunId; node: NodeId; epoch: Epoch };

const KEPT = "runs";
/** Whose runs they are, but those of the first user. */
const OWNERS = "run-owners";
/** Journals are large and the page's storage is small. */
const MAX_STORED_RUNS = 12;

export function mockRuns(env: { now(): number }, conversations: MockConversations, grants: MockGrants): MockRuns {
  const runs = new Map<RunId, MockRun>();
  const keep = () => {
    const kept = [...runs.values()].filter((run) => run.keep).map((run) => run.toStored());
    store(KEPT, kept.slice(-MAX_STORED_RUNS));
  };
  const begin = (kept: StoredRun, found: Recording[]): MockRun => {
    const run = startReplay(kept, found, env, keep, (child, recording) => beginChild(kept.run, child, recording));
    const { conversation } = kept;
    if (conversation) run.subscribe((entries) => conversations.take(conversation.id, kept.run, entries));
    runs.set(kept.run, run);
    return run;
  };
  for (const kept of stored<StoredRun[]>(KEPT, [])) begin(kept, []);

  /** A run of the page begins another, as its recording has it. */
  function beginChild(parent: RunId, child: RunId, { nodes, children }: Recording): void {
    const recorded = children?.[child];
    if (!recorded || runs.has(child)) return;
    const journal = recorded.journal.map((entry) =>
      entry.type === "run.started" ? { ...entry, parentRunId: parent } : entry,
    );
    begin({ run: child, flow: recorded.flow, journal: [], place: 0 }, [{ nodes, journal, children }]).play();
  }
  const own = (run: RunId) => store(OWNERS, { ...stored<Record<RunId, string>>(OWNERS, {}), [run]: currentUser() });
  const isMine = (run: MockRun) => (stored<Record<RunId, string>>(OWNERS, {})[run.run] ?? "local") === currentUser();
  const childrenOf = (parent: RunId): MockRun[] => [...runs.values()].filter((run) => parentOf(run) === parent);
  const summary = (run: MockRun) => summarize(run, childrenOf(run.run).length);
  const withAll = (run: RunId, act: (run: RunId) => void): void => {
    for (const child of childrenOf(run)) withAll(child.run, act);
    act(run);
  };

  const find = (run: RunId): MockRun => {
    const found = runs.get(run);
    if (!found) throw new HostError({ code: "run.unknown", message: `There is no run \`${run}\`.` });
    return found;
  };
  const live = async (run: RunId): Promise<MockRun> => {
    const found = find(run);
    if (!found.live) found.revive(matching(await loadRecordings(), found.flow));
    return found;
  };

  return {
    commands: {
      "run.start": async ({ flow, path, to, conversation: id, grants: once = [] }: Asked) => {
        grants.check(flow, path, once);
        const its = id === undefined ? undefined : conversations.at(id);
        const conversation = its && { id: its.id, thread: its.threadId, messages: its.messages };
        const run = crypto.randomUUID();
        own(run);
        const load = loadOf(flow);
        if (load) {
          runs.set(run, startLoad(run, flow, load, env));
          return { run };
        }
        const found = matching(await loadRecordings(), flow, to).map((recording) => withIdsOf(run, recording));
        if (found.length === 0) {
          throw new HostError({
            code: "run.unknown",
            message: "This page has no engine: it can only replay flows whose runs were recorded, and this one is not.",
            hint: "Open one of the examples, or run the flow in the desktop window or with `plait run`.",
          });
        }
        begin({ run, flow, path, conversation, journal: [], place: 0 }, found).play();
        return { run };
      },
      // Replays the run again: a page has no engine that could reuse what it bought.
      "run.retry": async ({ run: earlier }: { run: RunId }) => {
        const { flow, path, journal } = find(earlier);
        const run = crypto.randomUUID();
        own(run);
        const found = matching(await loadRecordings(), flow).map((recording) => withIdsOf(run, recording));
        begin({ run, flow, path, from: { run: earlier, seq: journal.length }, journal: [], place: 0 }, found).play();
        return { run };
      },
      "run.retry_forecast": ({ run }: { run: RunId }): RetryForecast => forecastOf(find(run).journal),
      "run.answer": async ({ run, node, epoch, value, attachments = [] }: Args<"run.answer">) => {
        (await live(run)).answer(
          node,
          epoch,
          attachments.length > 0 ? { attached: { value, attachments } } : { value },
        );
        return null;
      },
      "run.end": async ({ run, node, epoch }: Place) => {
        (await live(run)).answer(node, epoch, "end");
        return null;
      },
      "run.pin": async ({ run, node, epoch, turn, pinned }: Place & { turn: MessageId; pinned: boolean }) => {
        (await live(run)).pin(node, epoch, turn, pinned);
        return null;
      },
      "run.cancel": ({ run }: { run: RunId }) => {
        find(run);
        withAll(run, (one) => find(one).cancel());
        return null;
      },
      "run.resume": async ({ run }: { run: RunId }) => {
        (await live(run)).play();
        return null;
      },
      "runs.list": ({
        flowPath,
        parent,
        limit,
      }: {
        flowPath?: string;
        parent?: RunId;
        limit?: number;
      }): RunSummary[] => {
        const found =
          parent === undefined
            ? [...runs.values()].reverse().filter((run) => parentOf(run) === undefined && isMine(run))
            : childrenOf(parent);
        return found
          .filter((run) => flowPath === undefined || run.path === flowPath)
          .slice(0, limit ?? 100)
          .map(summary);
      },
      "flow.versions": ({ path }: { path: string }): FlowVersion[] => {
        const versions = new Map<string, FlowVersion>();
        for (const found of [...runs.values()].filter((one) => one.path === path).reverse()) {
          const hash = JSON.stringify(found.flow);
          const version = versions.get(hash) ?? { hash, flow: found.flow, runs: [] };
          const { run, startedAt, status } = summary(found);
          versions.set(hash, { ...version, runs: [...version.runs, { run, startedAt, status }] });
        }
        return [...versions.values()];
      },
      "runs.show": ({ run }: { run: RunId }): RunDetail => {
        const found = find(run);
        const above: RunSummary[] = [];
        for (let parent = parentOf(found); parent !== undefined; ) {
          const one = runs.get(parent);
          if (!one) break;
          above.unshift(summary(one));
          parent = parentOf(one);
        }
        return { summary: summary(found), above, flow: found.flow, entries: found.journal };
      },
      ...mockLens(),
      "usage.byDay": ({ days }: { days?: number }) =>
        usageByDay(
          [...runs.values()].map((run) => run.journal),
          env.now(),
          days ?? 30,
        ),
      "runs.remove": ({ run }: { run: RunId }) => {
        find(run);
        withAll(run, (one) => {
          find(one).cancel();
          runs.delete(one);
        });
        keep();
        return null;
      },
    },
    busy: (conversation) =>
      [...runs.values()].some((run) => {
        const { conversation: its, status } = summary(run);
        return its === conversation && !isOver(status);
      }),
    watch: (run, fromSeq, onBatch) => watchRun(find(run), fromSeq, onBatch),
  };
}

function parentOf(run: MockRun): RunId | undefined {
  const first = run.journal[0];
  return first?.type === "run.started" ? first.parentRunId : undefined;
}

/** The recording with ids for the runs it begins that no other replay of it has. */
function withIdsOf(run: RunId, recording: Recording): Recording {
  if (!recording.children) return recording;
  let text = JSON.stringify(recording);
  for (const child of Object.keys(recording.children)) text = text.replaceAll(`"${child}"`, `"${run}.${child}"`);
  return JSON.parse(text) as Recording;
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
function watchRun(run: MockRun, fromSeq: number, onBatch: (entries: Entry[]) => void): () => void {
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
