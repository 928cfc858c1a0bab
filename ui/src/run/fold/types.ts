/** The view of a run: the fold of its events up to one moment. These are the engine's types. */
import type { ContextId, ContextView, NodeId, NodeView, RunView } from "@/bindings";

export type {
  ContextView,
  EpochView,
  ModelCallView,
  NodeState,
  NodeView,
  OpenPause,
  RunTotals,
  RunView,
  ToolCallView,
  TurnState,
  TurnView,
} from "@/bindings";

/** A run view without nodes and contexts, which are stored separately so that each can be watched alone. */
export type RunHead = Omit<RunView, "nodes" | "contexts">;

/** The readable part of a fold. */
export type RunState = {
  readonly head: RunHead;
  readonly nodes: ReadonlyMap<NodeId, NodeView>;
  readonly contexts: ReadonlyMap<ContextId, ContextView>;
};
