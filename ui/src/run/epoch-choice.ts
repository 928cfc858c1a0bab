/** The chosen iteration of each node. Without a choice, the displayed one, which follows the run. */
import { create } from "zustand";
import type { Epoch, NodeId } from "@/bindings";
import { epochOf } from "./fold/epoch";
import type { EpochView, NodeView } from "./fold/types";
import { activeSession, useNodeView } from "./live/active-run";

type Choice = { run?: string; byNode: Record<NodeId, Epoch> };

const choiceStore = create<Choice>(() => ({ byNode: {} }));

/** Chooses an iteration; undefined follows the displayed one. */
export function chooseEpoch(node: NodeId, epoch: Epoch | undefined): void {
  const run = activeSession()?.run;
  choiceStore.setState((state) => {
    const byNode = state.run === run ? { ...state.byNode } : {};
    if (epoch) byNode[node] = epoch;
    else delete byNode[node];
    return { run, byNode };
  });
}

/** The inspected iteration of a node, and whether it was chosen. */
export function useChosen(node: NodeId): { view?: NodeView; epoch?: EpochView; chosen: boolean } {
  const view = useNodeView(node);
  const choice = choiceStore((state) => (state.run === activeSession()?.run ? state.byNode[node] : undefined));
  const chosen = epochOf(view, choice);
  return { view, epoch: chosen ?? epochOf(view, view?.epoch), chosen: chosen !== undefined };
}

/** The chosen iteration of a node, if any. */
export function chosenEpoch(node: NodeId): Epoch | undefined {
  const { run, byNode } = choiceStore.getState();
  return run === activeSession()?.run ? byNode[node] : undefined;
}
