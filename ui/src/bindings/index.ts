/* Types on the wire between the window and the host, as the Rust crates declare them. */

export type NodeId = string;
export type EdgeId = string;
export type PortName = string;
export type RunId = string;
export type ContextId = string;
export type MessageId = string;
/** Which time round: one counter for each enclosing loop, outermost first. */
export type Epoch = number[];
export type Activation = { node: NodeId; epoch: Epoch };

export type Position = { x: number; y: number; width?: number; height?: number };
export type Limits = { maxEpochs?: number; timeoutMs?: number };
export type RetryPolicy = { attempts: number; backoffMs: number; maxBackoffMs: number; jitter: number };
export type FlowSettings = { maxConcurrency?: number };
export type Node = {
  type: string;
  title?: string;
  config?: Record<string, unknown>;
  limits?: Limits;
  retry?: RetryPolicy;
};
export type Edge = {
  source: NodeId;
  sourceOutput: PortName;
  target: NodeId;
  targetInput: PortName;
  metadata?: Record<string, unknown>;
};
export type Flow = {
  version: number;
  name: string;
  description?: string;
  nodes: Record<NodeId, Node>;
  edges: Record<EdgeId, Edge>;
  layout: Record<NodeId, Position>;
  settings?: FlowSettings;
};

export type PortKind = "context" | "data" | "tools";
export type PortType = "any" | "text" | "number" | "boolean" | "list" | "object";
export type InputPort = {
  name: PortName;
  kind: PortKind;
  type: PortType;
  required: boolean;
  many: boolean;
  description: string;
};
export type OutputPort = { name: PortName; kind: PortKind; type: PortType; description: string };
export type Ports = { inputs: InputPort[]; outputs: OutputPort[] };

export type Severity = "error" | "warning";
export type Diagnostic = {
  code: string;
  severity: Severity;
  message: string;
  hint?: string;
  node?: NodeId;
  edge?: EdgeId;
  pointer: string;
};

export type Category = "contexts" | "people" | "models" | "tools" | "data" | "control" | "wiring";
export type Example = {
  title: string;
  config: Record<string, unknown>;
  inputs: Record<PortName, unknown>;
  answer?: unknown;
  outputs: Record<string, unknown> | null;
};
export type NodeDescriptor = {
  type: string;
  title: string;
  summary: string;
  description: string;
  category: Category;
  icon: string;
  terms: string[];
  configSchema: Record<string, unknown>;
  ports: Ports;
  examples: Example[];
};

export type Fault = {
  code: string;
  message: string;
  hint?: string;
  retryable?: boolean;
  retryAfterMs?: number;
  details?: unknown;
};

export type Role = "system" | "user" | "assistant" | "tool";
export type Part = { type: "text"; text: string } | { type: "image"; media_type: string; data: string };
export type Content = string | Part[];
export type ToolCall = { id: string; name: string; arguments: unknown };
export type Message = {
  id: MessageId;
  role: Role;
  content: Content;
  reasoning?: string;
  toolCalls?: ToolCall[];
  toolCallId?: string;
  author: Activation;
  tokens: number;
};
export type ContextType = "main" | "isolated" | "child";
export type ContextRecord = {
  contextId: ContextId;
  contextType: ContextType;
  provider: string;
  model: string;
  systemInstructions?: string;
  messageHistory: Message[];
  sessionId: string;
  currentOutput?: string;
  revision: number;
  parentContextId?: ContextId;
};
export type ContextHandle = { contextId: ContextId; currentOutput?: unknown; messageId?: MessageId };
export type ContextChange =
  | { kind: "messages"; messages: Message[] }
  | { kind: "systemInstructions"; text: string }
  | { kind: "providerModel"; provider: string; model: string }
  | { kind: "reset" };

export type PromptPart =
  | { kind: "history"; first: MessageId; last: MessageId; count: number; tokens: number }
  | { kind: "message"; role: Role; text: string; tokens: number };
export type PromptRecord = {
  provider: string;
  model: string;
  parts: PromptPart[];
  tools?: string[];
  toolTokens: number;
  tokens: number;
  window: number;
  reserve: number;
};
export type TokenUsage = { input: number; output: number };
export type ModelReply = {
  text: string;
  reasoning?: string;
  toolCalls?: ToolCall[];
  usage?: TokenUsage;
};
export type FinishMetadata = {
  durationMs: number;
  tokenUsage?: TokenUsage;
  cached?: boolean;
};
export type SourceRef = { node: NodeId; epoch: Epoch; port: PortName };
export type FlowRef = { name: string; path?: string; hash: string };
export type SkipReason = "deadInput" | "runFailed" | "runCancelled" | "targetReached";
export type Answer = { value: unknown } | "end";
type Outputs = Record<NodeId, Record<PortName, unknown>>;

export type Fact =
  | {
      type: "run.started";
      run: RunId;
      flow: FlowRef;
      to?: NodeId;
      input?: string;
      set?: Record<NodeId, Record<PortName, unknown>>;
      parentRunId?: RunId;
    }
  | { type: "node.ready"; node: NodeId; epoch: Epoch; inputs?: Record<PortName, SourceRef[]> }
  | { type: "node.started"; node: NodeId; epoch: Epoch; attempt: number }
  | { type: "node.delta"; node: NodeId; epoch: Epoch; text?: string; reasoning?: string }
  | {
      type: "node.finished";
      node: NodeId;
      epoch: Epoch;
      outputs: Record<PortName, unknown>;
      messages?: Record<PortName, MessageId>;
      metadata: FinishMetadata;
    }
  | { type: "node.skipped"; node: NodeId; epoch: Epoch; reason: SkipReason }
  | { type: "node.failed"; node: NodeId; epoch: Epoch; error: Fault; handled: boolean }
  | { type: "node.retrying"; node: NodeId; epoch: Epoch; attempt: number; delayMs: number; error: Fault }
  | { type: "context.created"; node: NodeId; epoch: Epoch; context: ContextRecord }
  | { type: "context.changed"; node: NodeId; epoch: Epoch; contextId: ContextId; change: ContextChange }
  | { type: "turn.started"; node: NodeId; epoch: Epoch; contextId: ContextId }
  | { type: "turn.committed"; node: NodeId; epoch: Epoch; contextId: ContextId; messages: Message[] }
  | { type: "turn.discarded"; node: NodeId; epoch: Epoch; contextId: ContextId; partial: string }
  | { type: "prompt.rendered"; node: NodeId; epoch: Epoch; step: number; prompt: PromptRecord }
  | { type: "model.replied"; node: NodeId; epoch: Epoch; step: number; reply: ModelReply }
  | { type: "tool.called"; node: NodeId; epoch: Epoch; step: number; call: ToolCall }
  | {
      type: "tool.finished";
      node: NodeId;
      epoch: Epoch;
      step: number;
      callId: string;
      result?: unknown;
      error?: Fault;
    }
  | { type: "loop.iteration"; node: NodeId; epoch: Epoch }
  | { type: "loop.exhausted"; node: NodeId; epoch: Epoch; maxEpochs: number }
  | { type: "run.paused"; node: NodeId; epoch: Epoch; prompt: string; schema: Record<string, unknown> }
  | { type: "input.provided"; node: NodeId; epoch: Epoch; answer: Answer }
  | { type: "run.waiting"; on: Activation[] }
  | { type: "run.cancelling" }
  | { type: "run.finished"; outputs: Outputs }
  | { type: "run.failed"; node: NodeId; epoch: Epoch; error: Fault; outputs: Outputs }
  | { type: "run.cancelled"; outputs: Outputs };
export type Entry = { seq?: number; at: number } & Fact;

export type ErrorReply = { code: string; message: string; hint?: string; details?: unknown };
export type AppInfo = {
  version: string;
  home: string;
  providers: string[];
  offlineOnly: boolean;
  sessionId: string;
};
export type CheckedFlow = {
  diagnostics: Diagnostic[];
  ports: Record<NodeId, Ports>;
  contexts: Record<NodeId, NodeId>;
  backEdges: EdgeId[];
};
export type Autosave = { key: string; path?: string; name: string; savedAt: number; flow: Flow };
export type OpenedFlow = {
  flow: Flow;
  path: string;
  hash: string;
  diagnostics: Diagnostic[];
  readOnly: boolean;
  recovered?: Autosave;
};
export type SavedFlow = { path: string; savedAt: number; hash: string };
export type ExampleFlow = { id: string; title: string; description: string };
export type RecentFlow = { path: string; name: string; openedAt: number; missing: boolean };
export type RunStarted = { run: RunId };
export type RunStatus = "running" | "waiting" | "finished" | "failed" | "cancelled" | "interrupted";
export type RunSummary = {
  run: RunId;
  flowName: string;
  path?: string;
  status: RunStatus;
  startedAt: number;
  endedAt?: number;
  nodes: { done: number; failed: number; skipped: number };
  tokens: TokenUsage;
  waitingOn?: string;
  error?: Fault;
};
export type RunDetail = { summary: RunSummary; flow: Flow; entries: Entry[] };
export type Theme = "system" | "light" | "dark";
export type ProviderSettings = { baseUrl?: string; keyEnv?: string };
export type Settings = {
  theme: Theme;
  reducedMotion: boolean;
  panels: unknown;
  providers: Record<string, ProviderSettings>;
  ui: unknown;
};

/** Every command of the host: its arguments and its reply. */
export type Commands = {
  "app.info": { args: Record<string, never>; reply: AppInfo };
  "nodes.list": { args: Record<string, never>; reply: NodeDescriptor[] };
  "flow.check": { args: { flow: Flow }; reply: CheckedFlow };
  "flow.open": { args: { path: string }; reply: OpenedFlow };
  "flow.save": { args: { path: string; flow: Flow; baseHash?: string; force?: boolean }; reply: SavedFlow };
  "flow.new": { args: Record<string, never>; reply: Flow };
  "flow.examples": { args: Record<string, never>; reply: ExampleFlow[] };
  "flow.example": { args: { id: string }; reply: Flow };
  "flow.recent": { args: Record<string, never>; reply: RecentFlow[] };
  "flow.forget": { args: { path: string }; reply: null };
  "autosave.put": { args: { key: string; path?: string; flow: Flow }; reply: null };
  "autosave.list": { args: Record<string, never>; reply: Autosave[] };
  "autosave.drop": { args: { key: string }; reply: null };
  "run.start": {
    args: {
      flow: Flow;
      path?: string;
      input?: string;
      set?: Record<NodeId, Record<PortName, unknown>>;
      to?: NodeId;
    };
    reply: RunStarted;
  };
  "run.answer": { args: { run: RunId; node: NodeId; epoch: Epoch; value: unknown }; reply: null };
  "run.end": { args: { run: RunId; node: NodeId; epoch: Epoch }; reply: null };
  "run.cancel": { args: { run: RunId }; reply: null };
  "run.resume": { args: { run: RunId }; reply: null };
  "runs.list": { args: { flowPath?: string; limit?: number }; reply: RunSummary[] };
  "runs.show": { args: { run: RunId }; reply: RunDetail };
  "runs.remove": { args: { run: RunId }; reply: null };
  "settings.get": { args: Record<string, never>; reply: Settings };
  "settings.set": { args: { settings: Settings }; reply: Settings };
  "tokens.count": { args: { model: string; text: string }; reply: { tokens: number; window: number } };
  "dialog.open": { args: Record<string, never>; reply: { path: string | null } };
  "dialog.save": { args: { suggested: string }; reply: { path: string | null } };
};
