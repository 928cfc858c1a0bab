/** What the canvas shows of a run: one small record per node and per edge, each with its own subscription. */
import type { EdgeId, Epoch, Fault, NodeId } from "@/bindings";

export type NodeRunState = "ready" | "running" | "paused" | "retrying" | "done" | "skipped" | "failed" | "cached";

/** Shares of a model's window, as the thin bar on a node card draws them. */
export type WindowUse = {
  system: number;
  history: number;
  tools: number;
  question: number;
  reserve: number;
  window: number;
};

export type NodeRun = {
  state: NodeRunState;
  /** The epoch shown: that of the latest activation that was not skipped. */
  epoch: Epoch;
  /** The last lines of what it streams or streamed. */
  stream?: string;
  /** The question, while it is paused. */
  prompt?: string;
  /** While retrying: which try failed. */
  attempt?: number;
  error?: Fault;
  windowUse?: WindowUse;
};

export type EdgeRun = {
  /** One short line of the last value that passed. */
  peek: string;
  /** How many values have passed; a change makes the edge pulse. */
  passed: number;
};

export function useNodeRun(_node: NodeId): NodeRun | undefined {
  return undefined;
}

export function useEdgeRun(_edge: EdgeId): EdgeRun | undefined {
  return undefined;
}
