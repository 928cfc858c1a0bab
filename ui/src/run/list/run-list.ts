/** The host's runs, newest first. Reloaded when one changes, here or by a terminal, while a list is visible. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { RunId, RunStatus, RunSummary } from "@/bindings";
import { type Host, HostError } from "@/ipc";

/** Page size, in runs. */
export const PAGE = 500;
/** Turning points come in bursts, and the store takes a moment: one question is enough for several. */
const DELAY_MS = 150;
/** While many runs turn, no more often than this. */
const EVERY_MS = 600;

export type Runs = {
  /** The runs without a parent. */
  list: RunSummary[];
  /** The child runs of unfolded runs. */
  children: Record<RunId, RunSummary[]>;
  state: "unknown" | "loading" | "known";
  error?: HostError;
  /** Only runs of the flow of this file. */
  flowPath?: string;
  /** At most so many; whether there are more. */
  limit: number;
  cut: boolean;
};

/** The new list, with unchanged runs as the same objects, so that they do not re-render. */
function keepSame(before: RunSummary[], after: RunSummary[]): RunSummary[] {
  const known = new Map(before.map((run) => [run.run, run]));
  const list = after.map((run) => {
    const old = known.get(run.run);
    return old && JSON.stringify(old) === JSON.stringify(run) ? old : run;
  });
  return list.length === before.length && list.every((run, place) => run === before[place]) ? before : list;
}

export class RunList {
  readonly store: StoreApi<Runs> = createStore<Runs>(() => ({
    list: [],
    children: {},
    state: "unknown",
    limit: PAGE,
    cut: false,
  }));
  #viewerCount = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #requestedAt = Number.NEGATIVE_INFINITY;
  #requests = 0;
  /** The status of the runs that the window follows. */
  readonly #statuses = new Map<RunId, RunStatus>();

  constructor(readonly host: Host) {}

  /** Lists the runs of one flow file or all, and keeps the list current. Returns a function that stops it. */
  follow(flowPath?: string): () => void {
    if (this.store.getState().flowPath !== flowPath) this.store.setState({ flowPath, limit: PAGE });
    this.#viewerCount += 1;
    void this.load();
    // A terminal may begin runs, too.
    const unwatch = this.host.watchRuns(() => this.refresh());
    return () => {
      unwatch();
      this.#viewerCount -= 1;
    };
  }

  /** Lists older runs, too. */
  loadMore(): void {
    this.store.setState(({ limit }) => ({ limit: limit + PAGE }));
    void this.load();
  }

  /** What a followed run is doing, known before the store knows it. */
  setStatus(run: RunId, status: RunStatus): void {
    if (this.#statuses.get(run) === status) return;
    this.#statuses.set(run, status);
    this.store.setState(({ list, children }) => ({
      list: this.#current(list),
      children: Object.fromEntries(Object.entries(children).map(([parent, below]) => [parent, this.#current(below)])),
    }));
  }

  /** No more events of this run come here: what the store says of it holds again. */
  forgetStatus(run: RunId): void {
    this.#statuses.delete(run);
  }

  /** The runs with the status that is known of them. The same list if nothing changes. */
  #current(list: RunSummary[]): RunSummary[] {
    const isOld = (run: RunSummary) => (this.#statuses.get(run.run) ?? run.status) !== run.status;
    if (!list.some(isOld)) return list;
    return list.map((run) => (isOld(run) ? { ...run, status: this.#statuses.get(run.run) ?? run.status } : run));
  }

  /** Reloads shortly, if a list is visible. */
  refresh(): void {
    if (this.#timer !== undefined || this.#viewerCount === 0) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        void this.load();
      },
      Math.max(DELAY_MS, this.#requestedAt + EVERY_MS - performance.now()),
    );
  }

  /** Reloads now. */
  async load(): Promise<RunSummary[]> {
    const { state, flowPath, limit } = this.store.getState();
    if (state === "unknown") this.store.setState({ state: "loading" });
    this.#requestedAt = performance.now();
    const request = ++this.#requests;
    const answered = (change: Partial<Runs>) => {
      // Ignores the late reply to an earlier request.
      if (request === this.#requests) this.store.setState({ state: "known", ...change });
    };
    try {
      // One more than displayed, to know whether there are more.
      const found = await this.host.call("runs.list", { flowPath, limit: limit + 1 });
      const list = keepSame(this.store.getState().list, this.#current(found.slice(0, limit)));
      answered({ list, cut: found.length > limit, error: undefined });
      await Promise.all(Object.keys(this.store.getState().children).map((parent) => this.#loadChildren(parent)));
    } catch (thrown) {
      answered({ error: HostError.from(thrown) });
    }
    return this.store.getState().list;
  }

  /** Unfolds a run: asks for those it began, and keeps asking. */
  async expand(run: RunId): Promise<void> {
    this.store.setState((state) => ({ children: { ...state.children, [run]: state.children[run] ?? [] } }));
    await this.#loadChildren(run);
  }

  collapse(run: RunId): void {
    this.store.setState(({ children: { [run]: _, ...children } }) => ({ children }));
  }

  async #loadChildren(parent: RunId): Promise<void> {
    try {
      const found = await this.host.call("runs.list", { parent, limit: PAGE });
      const known = this.store.getState().children[parent];
      // It may have been folded up meanwhile.
      if (!known) return;
      const list = keepSame(known, this.#current(found));
      if (list !== known) this.store.setState((state) => ({ children: { ...state.children, [parent]: list } }));
    } catch (thrown) {
      if (HostError.from(thrown).code === "run.unknown") this.collapse(parent);
      else this.store.setState({ error: HostError.from(thrown) });
    }
  }
}
