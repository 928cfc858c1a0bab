/** The view of a run: what its facts amount to at one moment. The same shapes as the engine's `run::view`. */
import type {
  Activation,
  Answer,
  ContextId,
  ContextRecord,
  Epoch,
  Fault,
  FinishMetadata,
  FlowRef,
  MessageId,
  ModelReply,
  NodeId,
  PortName,
  PromptRecord,
  RunId,
  RunStatus,
  SkipReason,
  SourceRef,
  TokenUsage,
  ToolCall,
} from "@/bindings";

export type NodeState = "ready" | "running" | "paused" | "retrying" | "done" | "skipped" | "failed" | "cached";

export type AttemptView = {
  attempt: number;
  startedAt: number;
  endedAt?: number;
  error?: Fault;
  delayMs?: number;
};

export type PauseView = {
  prompt: string;
  schema: Record<string, unknown>;
  askedAt: number;
  answeredAt?: number;
  answer?: Answer;
};

export type ModelCallView = {
  step: number;
  startedAt: number;
  prompt?: PromptRecord;
  endedAt?: number;
  reply?: ModelReply;
};

export type ToolCallView = {
  step: number;
  call: ToolCall;
  startedAt: number;
  endedAt?: number;
  result?: unknown;
  error?: Fault;
};

export type TurnState = "started" | "committed" | "discarded";
export type TurnView = { contextId: ContextId; state: TurnState; messages: MessageId[]; partial?: string };

export type EpochView = {
  epoch: Epoch;
  state: NodeState;
  inputs: Record<PortName, SourceRef[]>;
  outputs: Record<PortName, unknown>;
  messages: Record<PortName, MessageId>;
  attempts: AttemptView[];
  pauses: PauseView[];
  calls: ModelCallView[];
  tools: ToolCallView[];
  turn?: TurnView;
  contexts: ContextId[];
  readyAt?: number;
  startedAt?: number;
  endedAt?: number;
  error?: Fault;
  handled: boolean;
  skipped?: SkipReason;
  metadata?: FinishMetadata;
  usage: TokenUsage;
  streamed: string;
  reasoning: string;
};

export type NodeView = { state: NodeState; epoch: Epoch; epochs: EpochView[] };

export type OpenPause = {
  node: NodeId;
  epoch: Epoch;
  prompt: string;
  schema: Record<string, unknown>;
  askedAt: number;
};

export type ContextView = {
  record: ContextRecord;
  tokens: number;
  createdBy: Activation;
  changedAt: number;
  turn?: Activation;
};

export type LoopView = { epoch: Epoch; iterations: number; exhausted?: number };
export type RunFault = { node: NodeId; epoch: Epoch; error: Fault };
export type RunTotals = {
  tokens: TokenUsage;
  modelCalls: number;
  toolCalls: number;
  retries: number;
  waitedMs: number;
};
export type NodeCounts = Record<NodeState, number>;

/** Everything of a view but its nodes and contexts, which are kept apart so that each can be watched alone. */
export type RunHead = {
  run?: RunId;
  flow?: FlowRef;
  to?: NodeId;
  input?: string;
  set: Record<NodeId, Record<PortName, unknown>>;
  parentRunId?: RunId;
  status: RunStatus;
  cancelling: boolean;
  startedAt?: number;
  endedAt?: number;
  waitingSince?: number;
  waitingOn: Activation[];
  pauses: OpenPause[];
  loops: Record<NodeId, LoopView>;
  outputs: Record<NodeId, Record<PortName, unknown>>;
  error?: RunFault;
  totals: RunTotals;
  counts: NodeCounts;
  nextSeq: number;
};

export type RunView = RunHead & {
  nodes: Record<NodeId, NodeView>;
  contexts: Record<ContextId, ContextView>;
};
