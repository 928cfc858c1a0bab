/** The host's runs, newest first. Reloaded when one changes its status, while a list is visible. */
import { create } from "zustand";
import type { RunId, RunSummary } from "@/bindings";
import { call, HostError } from "@/ipc";

/** Page size, in runs. */
export const PAGE = 500;
/** Turning points come in bursts, and the store takes a moment: one question is enough for several. */
const DELAY_MS = 150;
/** While many runs turn, no more often than this. */
const EVERY_MS = 600;

type Runs = {
  /** Those that no other run began. */
  list: RunSummary[];
  /** Those that a run began, of the runs that are unfolded. */
  children: Record<RunId, RunSummary[]>;
  state: "unknown" | "loading" | "known";
  error?: HostError;
  /** Only runs of the flow of this file. */
  flowPath?: string;
  /** At most so many; whether there are more. */
  limit: number;
  cut: boolean;
};

export const runsStore = create<Runs>(() => ({ list: [], children: {}, state: "unknown", limit: PAGE, cut: false }));

let viewerCount = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let requestedAt = Number.NEGATIVE_INFINITY;
let requests = 0;

/** Lists the runs of one flow file or all, and keeps the list current. Returns a function that stops it. */
export function followRuns(flowPath?: string): () => void {
  if (runsStore.getState().flowPath !== flowPath) runsStore.setState({ flowPath, limit: PAGE });
  viewerCount += 1;
  void loadRuns();
  return () => {
    viewerCount -= 1;
  };
}

/** Lists older runs, too. */
export function moreRuns(): void {
  runsStore.setState(({ limit }) => ({ limit: limit + PAGE }));
  void loadRuns();
}

/** Reloads shortly, if a list is visible. */
export function refreshRuns(): void {
  if (timer !== undefined || viewerCount === 0) return;
  timer = setTimeout(
    () => {
      timer = undefined;
      void loadRuns();
    },
    Math.max(DELAY_MS, requestedAt + EVERY_MS - performance.now()),
  );
}

/** Reloads now. */
export async function loadRuns(): Promise<RunSummary[]> {
  const { state, flowPath, limit } = runsStore.getState();
  if (state === "unknown") runsStore.setState({ state: "loading" });
  requestedAt = performance.now();
  const request = ++requests;
  const answered = (change: Partial<Runs>) => {
    // Ignores the late reply to an earlier request.
    if (request === requests) runsStore.setState({ state: "known", ...change });
  };
  try {
    // One more than displayed, to know whether there are more.
    const found = await call("runs.list", { flowPath, limit: limit + 1 });
    const list = keepSame(runsStore.getState().list, found.slice(0, limit));
    answered({ list, cut: found.length > limit, error: undefined });
    await Promise.all(Object.keys(runsStore.getState().children).map(loadChildren));
  } catch (thrown) {
    answered({ error: HostError.from(thrown) });
  }
  return runsStore.getState().list;
}

/** The new list, with unchanged runs as the same objects, so that they do not re-render. */
function keepSame(before: RunSummary[], after: RunSummary[]): RunSummary[] {
  const known = new Map(before.map((run) => [run.run, run]));
  const list = after.map((run) => {
    const old = known.get(run.run);
    return old && JSON.stringify(old) === JSON.stringify(run) ? old : run;
  });
  return list.length === before.length && list.every((run, place) => run === before[place]) ? before : list;
}

/** Unfolds a run: asks for those it began, and keeps asking. */
export async function unfold(run: RunId): Promise<void> {
  runsStore.setState((state) => ({ children: { ...state.children, [run]: state.children[run] ?? [] } }));
  await loadChildren(run);
}

export function foldUp(run: RunId): void {
  runsStore.setState(({ children: { [run]: _, ...children } }) => ({ children }));
}

async function loadChildren(parent: RunId): Promise<void> {
  try {
    const found = await call("runs.list", { parent, limit: PAGE });
    const known = runsStore.getState().children[parent];
    // It may have been folded up meanwhile.
    if (!known) return;
    const list = keepSame(known, found);
    if (list !== known) runsStore.setState((state) => ({ children: { ...state.children, [parent]: list } }));
  } catch (thrown) {
    if (HostError.from(thrown).code === "run.unknown") foldUp(parent);
    else runsStore.setState({ error: HostError.from(thrown) });
  }
}
