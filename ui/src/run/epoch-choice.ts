/** Which iteration of a node is looked at. Without a choice it is the one the node shows, and follows it. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Epoch, NodeId } from "@/bindings";
import type { ActiveRun } from "./live/active-run";

type Choices = { run?: string; byNode: Record<NodeId, Epoch> };

export class EpochChoice {
  readonly store: StoreApi<Choices> = createStore<Choices>(() => ({ byNode: {} }));

  constructor(readonly activeRun: ActiveRun) {}

  /** Looks at this epoch of a node; without one at whichever the node shows. */
  choose(node: NodeId, epoch: Epoch | undefined): void {
    const run = this.activeRun.session?.run;
    this.store.setState((state) => {
      const byNode = state.run === run ? { ...state.byNode } : {};
      if (epoch) byNode[node] = epoch;
      else delete byNode[node];
      return { run, byNode };
    });
  }

  /** The epoch that was chosen for a node, if one was in the active run. */
  of(node: NodeId, { run, byNode } = this.store.getState()): Epoch | undefined {
    return run === this.activeRun.session?.run ? byNode[node] : undefined;
  }
}
