/** The runs the host keeps, newest first. Asked for anew when one of them has turned. */
import { create } from "zustand";
import type { RunId, RunSummary } from "@/bindings";
import { call, HostError } from "@/ipc";

/** No more than so many runs are asked for. */
export const MOST_RUNS = 500;
/** Turning points come in bursts; one question is enough for several. */
const DELAY_MS = 150;

type Runs = {
  /** Those that no other run began. */
  list: RunSummary[];
  /** Those that a run began, of the runs that are unfolded. */
  children: Record<RunId, RunSummary[]>;
  state: "unknown" | "loading" | "known";
  error?: HostError;
};

export const runsStore = create<Runs>(() => ({ list: [], children: {}, state: "unknown" }));

let timer: ReturnType<typeof setTimeout> | undefined;

/** Asks again shortly. */
export function refreshRuns(): void {
  if (timer !== undefined) return;
  timer = setTimeout(() => {
    timer = undefined;
    void loadRuns();
  }, DELAY_MS);
}

/** Asks now. */
export async function loadRuns(): Promise<RunSummary[]> {
  if (runsStore.getState().state === "unknown") runsStore.setState({ state: "loading" });
  try {
    const list = await call("runs.list", { limit: MOST_RUNS });
    runsStore.setState({ list, state: "known", error: undefined });
    await Promise.all(Object.keys(runsStore.getState().children).map(loadChildren));
  } catch (thrown) {
    runsStore.setState({ state: "known", error: HostError.from(thrown) });
  }
  return runsStore.getState().list;
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
    const found = await call("runs.list", { parent, limit: MOST_RUNS });
    // It may have been folded up meanwhile.
    if (!(parent in runsStore.getState().children)) return;
    runsStore.setState((state) => ({ children: { ...state.children, [parent]: found } }));
  } catch (thrown) {
    if (HostError.from(thrown).code === "run.unknown") foldUp(parent);
    else runsStore.setState({ error: HostError.from(thrown) });
  }
}
