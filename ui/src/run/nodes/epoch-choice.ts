/**
 * Which iteration of a node or of a loop is looked at. Without a choice it is the one the node shows, and follows it. An
 * iteration chosen for a loop is that of all nodes in its body, unless one was chosen for a node itself.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Epoch, NodeId } from "@/bindings";
import { containersAround } from "@/flow/containers/containers";
import type { FlowEditor } from "@/flow/document/editor";
import { displayedFlow } from "@/flow/document/flow-state";
import { latestWithin } from "@/run/fold/epoch";
import type { ActiveRun } from "@/run/live/active-run";

type Choices = {
  run?: string;
  byNode: Record<NodeId, Epoch>;
  byLoop: Record<NodeId, Epoch>;
  /** Which of the model calls of the iteration that is looked at, from 0. */
  calls: Record<NodeId, number>;
};

type OfRun = Omit<Choices, "run">;

export class EpochChoice {
  readonly store: StoreApi<Choices> = createStore<Choices>(() => NO_CHOICES);

  constructor(
    readonly activeRun: ActiveRun,
    readonly editor: FlowEditor,
  ) {}

  /** Looks at this epoch of a node; without one, at the epoch that the node shows. */
  choose(node: NodeId, epoch: Epoch | undefined): void {
    this.#change("byNode", node, epoch);
    this.#change("calls", node, undefined);
  }

  /** Looks at one of an activation's model calls, from 0. */
  chooseCall(node: NodeId, epoch: Epoch | undefined, call: number): void {
    this.#change("byNode", node, epoch);
    this.#change("calls", node, call);
  }

  /** The model call that was chosen for a node. */
  callOf(node: NodeId, choices = this.store.getState()): number | undefined {
    return this.#ofRun(choices).calls[node];
  }

  /** Looks at this iteration of a loop's body; without one at the newest. */
  chooseIteration(loop: NodeId, epoch: Epoch | undefined): void {
    const flow = displayedFlow(this.editor.state);
    const { byNode, byLoop, calls } = this.#ofRun();
    // What was chosen in the body would hide the iteration.
    const inside = (id: NodeId) => containersAround(flow, id).includes(loop);
    for (const node of Object.keys(byNode)) if (inside(node)) this.#change("byNode", node, undefined);
    for (const node of Object.keys(calls)) if (inside(node)) this.#change("calls", node, undefined);
    for (const inner of Object.keys(byLoop)) if (inside(inner)) this.#change("byLoop", inner, undefined);
    this.#change("byLoop", loop, epoch);
  }

  /** The epoch that was chosen for a node: for itself, or with an iteration of a loop around it. */
  of(node: NodeId, choices = this.store.getState()): Epoch | undefined {
    const own = this.#ofRun(choices).byNode[node];
    if (own) return own;
    const iteration = this.iterationAround(node, choices);
    const view = this.activeRun.shown?.fold.nodes.get(node);
    return iteration && (latestWithin(view, iteration)?.epoch ?? iteration);
  }

  /** The iteration that was chosen for a loop. */
  ofLoop(loop: NodeId, choices = this.store.getState()): Epoch | undefined {
    return this.#ofRun(choices).byLoop[loop];
  }

  /** The iteration that was chosen for the innermost loop around a node, of those for which one was. */
  iterationAround(node: NodeId, choices = this.store.getState()): Epoch | undefined {
    const { byLoop } = this.#ofRun(choices);
    if (Object.keys(byLoop).length === 0) return undefined;
    const loop = containersAround(displayedFlow(this.editor.state), node).find((around) => byLoop[around]);
    return loop === undefined ? undefined : byLoop[loop];
  }

  #change<Key extends keyof OfRun>(what: Key, id: NodeId, chosen: OfRun[Key][NodeId] | undefined): void {
    const { byNode, byLoop, calls } = this.#ofRun();
    const { [id]: _, ...others } = this.#ofRun()[what];
    const run = this.activeRun.session?.run;
    const changed = chosen === undefined ? others : { ...others, [id]: chosen };
    this.store.setState({ run, byNode, byLoop, calls, [what]: changed });
  }

  /** The choices in the active run; those of another one do not count. */
  #ofRun(choices = this.store.getState()): OfRun {
    return choices.run === this.activeRun.session?.run ? choices : NO_CHOICES;
  }
}

const NO_CHOICES: OfRun = { byNode: {}, byLoop: {}, calls: {} };
