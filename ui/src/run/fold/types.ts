/** The view of a run: what its events amount to at one moment. The engine's own types, so that both folds speak alike. */
import type { RunView } from "@/bindings";

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

/** Everything of a view but its nodes and contexts, which are kept apart so that each can be watched alone. */
export type RunHead = Omit<RunView, "nodes" | "contexts">;
