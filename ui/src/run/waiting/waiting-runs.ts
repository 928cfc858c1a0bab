/** The runs of a flow that wait for a person with an earlier version of it, after a save. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Flow, RunId, WaitingRun } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import type { Host } from "@/ipc";
import { TEXTS } from "@/run/texts";

type Waiting = {
  /** The flow that was saved, and its file. */
  saved?: { flow: Flow; path: string };
  runs: readonly WaitingRun[];
  /** Whether they are shown. */
  shown: boolean;
};

export class WaitingRuns {
  readonly store: StoreApi<Waiting> = createStore<Waiting>(() => ({ runs: [], shown: false }));

  constructor(readonly host: Host) {}

  /** Looks for them, and offers to show them if there are any. */
  async check(flow: Flow, path: string): Promise<void> {
    let found: WaitingRun[] = [];
    try {
      found = await this.host.call("run.checkWaiting", { flow, path });
    } catch {
      // Of a flow that cannot run, nobody can say it. The window shows its problems anyway.
    }
    const runs = found.filter(({ effect }) => effect !== "current");
    this.store.setState({ saved: { flow, path }, runs, shown: false });
    if (runs.length > 0) {
      notify.info(TEXTS.earlierWaits(runs.length), {
        label: TEXTS.show,
        run: () => this.store.setState({ shown: true }),
      });
    }
  }

  /** One has been moved. */
  drop(run: RunId): void {
    this.store.setState(({ runs, shown }) => {
      const left = runs.filter((one) => one.run !== run);
      return { runs: left, shown: shown && left.length > 0 };
    });
  }

  hide(): void {
    this.store.setState({ shown: false });
  }
}
