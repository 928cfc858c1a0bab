// Generated from the Rust types by `cargo xtask bindings`. Do not edit: a test compares the two.

/** `host.about`: what the host is, and what the token may do there. */
export type AboutHost = Record<string, never>;

/** `app.acceptDocument`: accepts a document that something other than Plait wrote, so that it is used. The settings have
 * `settings.accept`. `store.changed_outside` if the file has another content than the person accepts, `store.corrupt` if it cannot be
 * read.
 */
export type AcceptDocument = {
  /** As the details of `store.changed_outside` have it. */
  document: GuardedDocument,
  /** What the person accepts, as the details of `store.changed_outside` identify it. */
  hash: string,
};

/** `mcp.acceptTools`: accepts the tools of a server as they are now. `mcp.tools_changed` if they changed once more since
 * they were shown.
 */
export type AcceptMcpTools = { name: string,
  /** The definitions that were shown, as `changes.definitions` identifies them. */
  definitions: string,
};

/** `proposal.accept`: writes the edited flow to its file, and removes the proposal. `proposal.unknown`, `proposal.outdated` if the file has
 * changed since, and the errors of `flow.save`.
 */
export type AcceptProposal = {
  /** Its ID, or how that begins. */
  id: string,
  /** Write it also over what changed in the file since. */
  replace?: boolean,
};

/** `settings.accept`: accepts the settings that something other than Plait wrote into `settings.json`, and returns those in force.
 * `store.changed_outside` if the file has another content than the person accepts, `store.corrupt` if it cannot be read.
 */
export type AcceptSettings = {
  /** What the person accepts, as the details of `store.changed_outside` identify it. */
  hash: string,
};

/** `run.acceptTrials`: writes the config that is tried on a node into the file of the run's flow, or those of all nodes. The run keeps its
 * trials and its flow. `debug.no_trial`, `debug.no_file`, `flow.changed_on_disk` if the file has another config for the node than the run
 * began with, and the errors of `flow.open` and `flow.save`.
 */
export type AcceptTrials = { run: RunId,
  /** One node; without it, all. */
  node?: NodeId,
};

/** A flow's file with configs that were tried. */
export type AcceptedTrials = {
  /** The file, as an absolute path. */
  path: string,
  /** Hash of the file's bytes. */
  hash: string,
  /** The nodes with accepted configs. */
  nodes: Array<NodeId>,
};

/** One execution of one node. */
export type Activation = {
  /** The node. */
  node: NodeId,
  /** The iteration. */
  epoch: Epoch,
};

/** What differs of an activation. */
export type ActivationChange = { "kind": "config", change: ValueChange, } | { "kind": "set", port: PortName, change: ValueChange, } | { "kind": "state", before: NodeState, after: NodeState, } | { "kind": "answer", change: ValueChange, } | { "kind": "model",
  /** Which of the activation's calls, from 0. */
  call: number, change: ValueChange, } | { "kind": "message", call: number, change: ValueChange, } | { "kind": "reply", call: number, change: ValueChange, } | { "kind": "tool", tool: number, change: ValueChange, } | { "kind": "output", port: PortName, change: ValueChange, } | { "kind": "error", change: ValueChange,
};

/** `attachment.add`: stores a file for a message and says what it is. `attachment.empty`, `attachment.too_large`,
 * `attachment.unknown_type`.
 */
export type AddAttachment = {
  /** The name of the file. */
  name: string,
  /** Its bytes in base64. */
  data: string,
};

/** `hosts.add`: adds a host, or gives one that is there another address or token. `hosts.bad_name`, `hosts.bad_address`,
 * `hosts.unreadable`, `keys.*`.
 */
export type AddHost = { name: string,
  /** Where it is. Without encryption (`http://`) only this machine. */
  url: string,
  /** The token that the host gave. Surrounding whitespace is ignored. */
  token: string,
};

/** `knowledge.add`: adds a knowledge base. It is indexed when it is searched, or by `knowledge.reindex`. `knowledge.name`,
 * `knowledge.exists`, `knowledge.no_folder`, `knowledge.unsafe_folder`.
 */
export type AddKnowledge = {
  /** The name by which flows refer to it. */
  name: string,
  /** Its folders and files, absolute. */
  paths: Array<string>,
  /** The model that embeds its passages. Their text is sent to its provider. */
  embeddings?: EmbeddingModel,
};

/** `mcp.add`: adds the servers of a JSON document as other clients have it, and starts none. `mcp.entry_invalid`,
 * `mcp.server_exists`, `settings.holds_secret`, `keys.*`.
 */
export type AddMcpServers = {
  /** `{"mcpServers": {NAME: {…}}}`, `{NAME: {…}}` or a single entry. Secrets in it go to the key store. */
  json: string,
  /** The name of the server, if there is one only. */
  name?: string,
  /** Whether servers of these names are replaced. */
  replace?: boolean,
};

/** `memories.add`: stores a memory that a person wrote. `memory.empty`, `memory.too_long`, `memory.full`, `memory.damaged`. */
export type AddMemory = {
  /** The user; the current one when left out. */
  user?: UserName,
  /** What it says. */
  content: MemoryContent,
};

/** `suite.add`: adds a case to a suite, with a recording beside it: the outputs as they are, the tools that were called, no more than a
 * tenth more tokens. Then the case is run once. `suite.not_finished`, `suite.no_flow`, `suite.other_flow`, `suite.exists`,
 * `suite.not_added`, and the errors of `recording.export`.
 */
export type AddTest = { run: RunId,
  /** The suite, an absolute path. Without it, the one beside the run's flow, which is made if there is none. */
  file?: string,
  /** The name of the case. Without it, the beginning of the run's input, or the name of the flow. */
  name?: string,
};

/** `users.add`: adds a user. `user.bad_name`, `user.exists`, `user.too_many`. */
export type AddUser = { name: string,
  /** Whether the new user becomes the current one. */
  switch?: boolean,
};

/** What was added. */
export type AddedTest = {
  /** The suite. */
  file: string, case: string,
  /** The recording's file. */
  recording: string,
  /** What is checked. */
  checks: Array<string>,
  /** What came of running the case. It fails if the flow is another one now than the run's. */
  outcome: CaseOutcome,
};

/** Tokens, of prompts and replies alike, and what they cost. */
export type Amount = { tokens: number,
  /** Billionths of a US dollar. 0 where the price is not known. */
  nanoUsd: number,
};

/** What a person gives to a pause. */
export type Answer = { "value": unknown } | { "attached": { value: unknown, attachments: Array<Attachment>, } } | "end";

/** `run.answer`: answers a pause. `answer.not_waiting` when the activation is not waiting, `answer.invalid` when the value
 * does not match the schema of the pause.
 */
export type AnswerRun = { run: RunId,
  /** The node that asks. */
  node: NodeId,
  /** The iteration of the node. */
  epoch: Epoch,
  /** The answer. */
  value: unknown,
  /** Images and files that go with it, stored by `attachment.add`. `attachment.not_asked` if the question takes none. */
  attachments?: Array<Attachment>,
};

/** The running application. */
export type AppInfo = { version: string,
  /** The data directory. */
  home: string,
  /** The names of the model providers, sorted. */
  providers: Array<string>,
  /** Whether only the offline provider (a simulator) is set up: no other provider was changed or added in the settings,
   * and none has its key in the environment.
   */
  offlineOnly: boolean,
  /** Identifies this process. */
  sessionId: string,
  /** Problems at startup, for example settings that could not be read. */
  notices?: Array<Fault>,
};

/** Who asks, in a run that this one began, or that one in turn. */
export type Asker = { run: RunId,
  /** The node that asks in it. */
  node: NodeId,
  /** The iteration. */
  epoch: Epoch,
};

/** A reference to an image or a file. */
export type Attachment = {
  /** The SHA-256 of its bytes, under which they are stored. */
  hash: AttachmentHash,
  /** Its media type, found in its bytes: `image/png`, `image/jpeg`, `image/gif`, `image/webp`, `application/pdf` or `text/plain`. */
  mediaType: string,
  /** The name of the file, without its folder. A model sees it where its protocol has a place for it. */
  name: string,
  /** Its size. */
  bytes: number,
  /** The width of an image in pixels, if it can be read. */
  width?: number,
  /** The height of an image in pixels, if it can be read. */
  height?: number,
  /** The pages of a PDF, if they can be counted. */
  pages?: number,
};

export type AttachmentBytes = {
  /** In base64. */
  data: string,
};

/** The SHA-256 of an attachment's bytes: 64 hexadecimal digits. */
export type AttachmentHash = string;

/** One try. */
export type AttemptView = {
  /** Which, from 1. */
  attempt: number,
  /** When it began. */
  startedAt: number,
  /** When it ended. */
  endedAt?: number,
  /** What went wrong. */
  error?: Fault,
  /** How long it then waited for the next, in milliseconds. */
  delayMs?: number,
  /** What it gave, if a person had the node run again. */
  dropped?: { [key in PortName]: JsonValue },
};

/** A draft with changes that its file does not have. */
export type Autosave = {
  /** The editor's key for it, one per open flow. */
  key: string,
  /** The flow's file, if it has one. */
  path?: string,
  /** Hash of the file that the draft is based on. A file with a different hash was written since. */
  baseHash?: string,
  /** The flow's name. */
  name: string,
  /** In milliseconds since the Unix epoch. */
  savedAt: number,
  /** The draft. */
  flow: Flow,
};

/** What a base is doing. */
export type BaseState = "new" | "indexing" | "ready" | "failed";

/** A base and what is known of it. */
export type BaseStatus = { state: BaseState,
  /** Files that are searched. */
  files: number,
  /** Their passages. */
  chunks: number,
  /** Passages with an embedding. */
  embedded: number,
  /** Files that are not searched; the first ones. */
  skipped?: Array<SkippedFile>,
  /** How many they are. */
  skippedCount: number,
  /** How far indexing has come, while it goes on. */
  progress?: IndexProgress,
  /** What went wrong last. */
  fault?: Fault,
  /** Its name, by which flows refer to it. */
  name: string,
  /** Its folders and files, absolute. */
  paths: Array<string>,
  /** The model that embeds its passages, if one does. Their text is sent to its provider. */
  embeddings?: EmbeddingModel,
};

/** `run.beginInquiry`: the differences between what two runs began with, and what it costs at most to find which of them turns the outcome of
 * the first one into that of the second. Calls nobody. `run.unknown`, `run.busy`, `causes.none` if they began with the same,
 * `causes.same_outcome` if the condition does not tell them apart, `run.is_child`, `switch.condition`.
 */
export type BeginInquiry = { before: RunId, after: RunId,
  /** A condition in CEL that is true of one of the two runs, over `outputs` by node, `value`, `error`, `tokens`, `cost` and
   * `nodes.NAME.PORT`. Without it: the outputs are not those of the first run.
   */
  when?: string,
  /** How often each mixture is run, from 1 to 50. */
  samples: number,
};

/** An attempt of a node that has begun and not ended. */
export type BegunAttempt = { epoch: Epoch,
  /** From 1. */
  attempt: number,
};

/** What a fork reuses, buys, does outside and asks again. */
export type Bill = {
  /** All of it in a few words, such as `reuses 41, buys 3, at most $0.04; 2 unknown`. */
  summary: string,
  /** The same as sentences. */
  sentences: Array<string>,
  /** The same by node, the weightiest first. */
  lines: Array<BillLine>,
  /** The replies that are reused, and what they cost when they were bought. */
  reused: Spending,
  /** How many of them other runs bought than the one that is forked. */
  reusedFromOthers: number,
  /** The results of tools and searches that are reused. */
  reusedResults: number,
  /** The answers of people that are reused. */
  reusedAnswers: number,
  /** The model calls that are bought, as far as their requests are known. */
  bought: Array<BoughtCall>,
  /** The tool calls that are made again. */
  outside: Array<OutsideCall>,
  /** The executions that fail, since what they ask for is not recorded and nothing else may be asked. */
  unrecorded?: Array<BillPlace>,
  /** The questions that are asked. */
  asked: Array<BillPlace>,
  /** The nodes that may buy more, since they come after one of these. */
  behind: Array<NodeBehind>,
  /** The most that all of it costs, without what has no upper bound, in billionths of a US dollar. */
  atMostNanoUsd: number,
  /** The types of the nodes that asked tools, knowledge bases or memories in the earlier run. */
  worldTypes?: Array<string>,
  /** How many calls and nodes have no upper bound. */
  unknown: number,
};

/** What the bill says of one node, in all of its iterations. */
export type BillLine = {
  /** The nodes that lead to the sub-flow it is in, as `a/b`, if it is in one. */
  subflow?: string, node: NodeId, kind: BillLineKind,
  /** In a few words, such as `buys 2, reuses 38`. */
  what: string,
  /** What it costs at most, such as `≤ $0.0260`. Absent where nothing is bought. */
  cost?: string,
};

/** The weightiest thing that a node does, the weightiest first. */
export type BillLineKind = "fails" | "acts" | "buys" | "depends" | "asks" | "reuses";

/** A node's execution, in the flow or in a sub-flow. */
export type BillPlace = {
  /** The nodes that lead to the sub-flow it is in, as `a/b`, if it is in one. */
  subflow?: string,
  /** The node. */
  node: NodeId,
  /** The iteration. */
  epoch: Epoch,
};

/** `run.bill`: what such a run reuses, buys, does outside and asks, before it starts. Calls nobody. The errors are those of `run.rerun`,
 * without those of grants.
 */
export type BillRerun = RerunRequest;

/** `suite.bill`: what these cases of a suite may cost. Runs nothing. The errors of `suite.open`, `suite.unknown_case`,
 * `suite.bad_variant`, `flow.invalid`.
 */
export type BillSuite = {
  /** The suite, an absolute path. */
  file: string, cases: Array<TestRef>,
};

/** What a cap left out of a block. */
export type BlockCut = {
  /** The cap, in tokens. */
  cap: number,
  /** The size of what was left out, in tokens. */
  tokens: number,
  /** The items that were left out whole. */
  leftOut?: Array<BlockSource>,
  /** Whether the one item that is left was cut short. */
  truncated?: boolean,
};

/** A kind of block. */
export type BlockKind = "retrieval" | "tools" | "memory" | "partner";

/** What a part of a block is. */
export type BlockSource = { "from": "summary" } | { "from": "turn",
  /** The label under which it stands in the prompt. */
  label?: string,
  /** The node that said it, if that is known. */
  node?: NodeId, } | { "from": "tool", name: string, } | { "from": "passage",
  /** The knowledge base. */
  base: string,
  /** The file, relative to the folder of the base. */
  source: string,
  /** Where the passage begins in the text of the file, in bytes. */
  offset: number,
  /** Its length in bytes. */
  length: number,
  /** The line on which it begins, from 1. */
  line: number,
  /** How well it fits the query. Higher is better. */
  score: number,
};

/** A block of the message to answer. */
export type BlockText = { block: BlockKind, text: string, tokens: number,
  /** What its items are. */
  sources?: Array<BlockSource>,
  /** Where it comes from. */
  origins?: Origins,
  /** What its cap left out. */
  cut?: BlockCut,
};

/** A model call that is bought. */
export type BoughtCall = { place: BillPlace,
  /** As `provider/model`. */
  model: string,
  /** In billionths of a US dollar. Absent if there is no upper bound. */
  atMostNanoUsd?: number,
  /** Why there is no upper bound, if there is none. */
  unknown?: UnknownReason,
};

/** Where activations are held, or what is noted when they come there. */
export type Breakpoint = {
  /** Its name, unique in a run tree. */
  id: string,
  /** The `subflow` nodes that lead to its flow, the outermost first. Empty for the flow that was started. */
  path?: Array<NodeId>,
  /** None: every node of its flow and of the flows that run below it. */
  node?: NodeId,
  /** Without a meaning where an event is waited for: it says itself where activations are held. */
  side: Side,
  /** An input on the side `before`, an output on the side `after`: only what has a value there is held. */
  port?: PortName,
  /** The output at the other end of an edge into the input: only what has a value from there is held. */
  from?: OutputRef,
  /** Only what has a value on an edge of this kind is held. */
  kind?: PortKind,
  /** What has to happen. Without it, every activation that comes there is held. */
  event?: StopEvent,
  /** A condition in CEL. Without one, every activation is held. */
  when?: string,
  /** A template. With it, the text is noted in the journal and nothing is held. */
  log?: string,
  /** How much stands still there. */
  scope?: StopScope,
  /** Whether it is kept without an effect. */
  disabled?: boolean,
};

/** A correction of one model. */
export type CalibrationSample = {
  /** The model, as `provider/model`. */
  model: string,
  /** Tokens counted by Plait. */
  counted: number,
  /** Tokens reported by the provider. */
  reported: number,
};

/** What one model call comes to, beside the usage in its reply. */
export type CallAccount = {
  /** The context it was made in. */
  contextId: ContextId,
  /** Who was asked. */
  provider: string,
  /** Which model. */
  model: string,
  /** What Plait had counted the prompt to, before any correction. */
  counted: number,
  /** Whether the reply's usage is Plait's own count: the provider reported none, or nonsense. */
  estimated?: boolean,
  /** What the provider did report, where that was nonsense. */
  disbelieved?: TokenUsage,
  /** What the call costs, in billionths of a US dollar; absent where the model's price is not known. */
  costNanoUsd?: number,
  /** When the parts of the reply arrived, if it was streamed. */
  pace?: StreamPace,
};

/** The request of a model call. */
export type CallRequest = {
  /** The command, for a POSIX shell. */
  curl: string,
  /** Whether the request is proven to be the one that was sent, by its key. It is not if messages are missing, if the
   * provider's settings changed, or if the model never replied.
   */
  exact: boolean,
};

/** `knowledge.cancel`: stops the indexing of a knowledge base. What was indexed stays. `knowledge.unknown`. */
export type CancelKnowledge = { name: string,
};

/** `run.cancel`: cancels a run and the runs below it, also one that waits or was interrupted. Does nothing when it has ended.
 * `run.is_child` when it is part of a run that has not ended.
 */
export type CancelRun = { run: RunId,
};

/** A color that a person chose. Each theme has its own shade of it. */
export type CanvasColor = "gray" | "blue" | "violet" | "pink" | "red" | "amber" | "green" | "teal";

/** The one-line summary on a node's card, computed by the editor from the node's config.
 *
 * The editor fills absent config fields with the defaults of the config schema, then renders `lines` in order and shows
 * the first one that is not empty. If all are empty, it shows the type's own `summary`.
 */
export type Card = {
  /** Alternatives, best first. The parts of a line that are not empty are joined with ` · `. */
  lines: Array<Array<CardPart>>,
};

/** One part of a card's line. `field` is a path into the config; dots separate the names of nested objects. */
export type CardPart = { "kind": "literal",
  /** The words. */
  text: string, } | { "kind": "text",
  /** Path of the field. */
  field: string,
  /** A word in front, for example `to`, separated by a space. */
  prefix?: string, } | { "kind": "quoted",
  /** Path of the field. */
  field: string, } | { "kind": "number",
  /** Path of the field. */
  field: string,
  /** A word in front, separated by a space. */
  prefix?: string, } | { "kind": "duration",
  /** Path of the field. */
  field: string, } | { "kind": "list",
  /** Path of the field. */
  field: string, } | { "kind": "count",
  /** Path of the field. */
  field: string,
  /** The unit for one item. */
  one: string,
  /** The unit for more. */
  many: string, } | { "kind": "contextMaker"
};

/** All runs of a case, as one of its variants. */
export type CaseOutcome = { case: string,
  /** What of the matrix it ran with; empty without one. */
  variant?: Record<string, unknown>,
  /** Whether enough of its runs passed. */
  passed: boolean, rate: PassRate, results: Array<TestResult>,
};

/** The palette's sections, in its order. */
export type Category = "contexts" | "people" | "models" | "tools" | "data" | "control" | "wiring";

/** An error that led to another: an error of a library or of the operating system, or the fault of a child run. */
export type Cause = {
  /** The code, if the cause is an error of Plait. */
  code?: ErrorCode, message: string,
  /** The error that led to this one. */
  cause?: Cause,
};

/** `settings.change`: changes some of the settings and returns those in force. What another window changed meanwhile stays.
 * Errors as those of `settings.set`.
 */
export type ChangeSettings = {
  /** A JSON merge patch (RFC 7396): members replace those of the same name, null removes one. */
  patch: unknown,
};

/** `run.changeValue`: puts a value in place of one that a stop holds. It counts as coming from a person. `debug.no_value`,
 * `debug.moved_on`.
 */
export type ChangeValue = {
  /** The run that is held. */
  run: RunId,
  /** The number of the stop. */
  stop: number,
  /** An input before the node starts, an output after it. */
  port: PortName, value: unknown,
};

/** How a server's chat completions differ from OpenAI's. */
export type ChatQuirks = {
  /** The field of the token limit; by default `max_completion_tokens` at api.openai.com and `max_tokens` elsewhere. */
  tokenLimit?: TokenLimitField,
  /** The field in which reasoning goes back in tool rounds; by default it does not. */
  reasoning?: ReasoningField,
  /** How a reply that follows a schema is asked for; by default with the schema as `response_format`. */
  structuredOutput?: StructuredOutput,
  /** Whether schemas may be sent with `strict: true`; on by default. */
  strict?: boolean,
  /** Whether `stream_options` is sent, which asks for the usage at the end of a stream; on by default. Some servers reject it and
   * report the usage anyway.
   */
  streamOptions?: boolean,
  /** Whether ids of tool calls are sent as nine letters and digits, the only ones that Mistral accepts; off by default. */
  shortToolCallIds?: boolean,
  /** Whether consecutive messages of one role are sent as one; off by default. Some chat templates accept only roles that alternate. */
  mergeRoles?: boolean,
};

/** `flow.checkBreakpoint`: whether a breakpoint can be set in a flow. Replies with it; one without an id is called as it is written,
 * such as `event:spent=0.50`, so that equal ones of several people are one. A flow that can't run yet is left out of the check, as
 * its places may come. `debug.unknown_node`, `debug.bad_breakpoint`; the details name the `field` that is wrong, if it is `when` or `log`.
 */
export type CheckBreakpoint = { flow: Flow,
  /** Its file, if it has one: sub-flows are searched beside it. */
  path?: string, breakpoint: Breakpoint,
};

/** A check that does not hold, or why a run gave nothing to check. */
export type CheckFailure = {
  /** What is checked: `contains out.text`, or `run` for the run itself. */
  check: string,
  /** The code of the error, if the run ended with one or could not be started. */
  code?: ErrorCode, message: string,
  /** The node that it is about, in a sub-flow with the nodes that lead there: `a/b`. */
  node?: string,
};

/** `flow.check`: the problems of a flow. Runs nothing. */
export type CheckFlow = { flow: Flow,
  /** Its file, if it has one. The paths of sub-flows are relative to its folder. */
  path?: string,
};

/** `run.checkWaiting`: the current user's runs of a flow's file that wait for a person, and what becomes of each under this flow. Each is
 * rehearsed; nothing is called and nothing changes. They themselves go on with the flow that they recorded. `flow.invalid`.
 */
export type CheckWaiting = { flow: Flow,
  /** The flow's file. */
  path: string,
};

export type CheckedFlow = {
  /** Errors and warnings. Without an error, the flow can run. */
  diagnostics: Array<Diagnostic>,
  /** The ports of every node with a known type and a valid config. */
  ports: { [key in NodeId]: Ports },
  /** For each node that works in one context or hands one on, the node that makes it. Without nodes that may get one of
   * several contexts.
   */
  contexts: { [key in NodeId]: NodeId },
  /** The edges that lead into a cycle's next iteration. */
  backEdges: Array<EdgeId>,
  /** The edges that configs define: what a node reads from another one without an edge on the canvas. */
  reads: { [key in EdgeId]: Edge },
};

/** A question asked by a child run or by one of its descendants. */
export type ChildQuestion = {
  /** The run that asks and takes the answer. */
  run: RunId,
  /** The node that asks in it. */
  node: NodeId,
  /** The epoch of the activation that asks. */
  epoch: Epoch,
  /** The question, in Markdown. */
  prompt: string,
  /** JSON Schema of the answer. */
  schema: Record<string, unknown>,
  /** The tool call it is about, if it is about one. */
  tool?: ToolPause,
};

/** `import.compare`: runs an imported flow with what the other tool recorded in an execution, and compares the values of each node. What
 * asks people, models and servers delivers what is recorded and asks nobody. `import.no_record` if the file is no execution.
 */
export type CompareImport = { flow: Flow,
  /** What its import said. */
  report: ImportReport,
  /** The file of the execution; left out if `text` is its content. */
  path?: string, text?: string,
};

/** `lens.matrix`: what varies between runs of one flow, such as the repeats of a test: a row for each output, those of sub-flows included, a
 * column for each run.
 * `matrix.runs` if there are fewer than two or more than 100, `run.unknown`.
 */
export type CompareManyRuns = { runs: Array<RunId>,
};

/** `lens.compare`: what differs between two runs, with those of their sub-flows. `run.unknown`. */
export type CompareRuns = {
  /** The first run. */
  before: RunId,
  /** The second run. */
  after: RunId,
};

/** An activation, and what it used. */
export type ComparedActivation = {
  /** The run that has it: that of a sub-flow may be another one than the run that is compared. */
  run: RunId, at: Activation, tokens: TokenUsage, cost: Cost,
  /** In milliseconds, if it ran and has ended. */
  durationMs?: number,
};

/** A node of the file in a comparison, where it departs first. */
export type ComparedNode = {
  /** Its name in the file. */
  name: string,
  /** The `subflow` nodes that it is inside of, outermost first. */
  subflows?: Array<NodeId>,
  /** The node of the flow that has the value. */
  node: NodeId,
  /** The run that it ran in, if it ran: that of the trial, or of a sub-flow. */
  run?: RunId,
  /** The iteration in which it departs, if it is in a loop or cycle. */
  epoch?: Epoch, } & ({ "state": "same" } | { "state": "given" } | { "state": "differs", recorded: unknown, here: unknown, } | { "state": "onlyRecorded", recorded: unknown, } | { "state": "onlyHere", here: unknown, } | { "state": "notCompared", reason: string, });

/** Sums over a run and the runs below it. */
export type ComparedTotals = { status: RunStatus, tokens: TokenUsage, cost: Cost,
  /** From its start to its end, in milliseconds; without stops of a debugger and waits for a person. Nothing if it has not ended. */
  durationMs?: number,
};

/** A key as forms show it. */
export type ConfigField = { key: string,
  /** The JSON Schema of its values, with what forms need: `title` is the label, `description` the help. */
  schema: Record<string, unknown>,
  /** The section of the settings that it stands in, if they set it. */
  section?: string,
  /** Where it stands in the settings of the application, as a JSON pointer. */
  settings?: string,
  /** Where it stands in the settings of a flow, as a JSON pointer. */
  flow?: string,
  /** Where it stands in a node, as a JSON pointer, by the type of the node. */
  nodes: { [key in string]: string },
};

/** All that forms of configuration are drawn from. */
export type ConfigForms = {
  /** The sections of the settings that have keys, in their order. */
  sections: Array<ConfigSection>,
  /** The keys, in the order of forms. */
  fields: Array<ConfigField>,
  /** The JSON Schema of `limits` of nodes. */
  limits: Record<string, unknown>,
  /** The JSON Schema of `retry` of nodes. */
  retry: Record<string, unknown>,
};

/** What a layer says. */
export type ConfigLayer = { source: ConfigSource,
  /** What it sets, if it sets it. */
  value?: unknown,
  /** Where it sets it, or would, as a JSON pointer in the settings, or in the flow. Absent for what is built in. */
  pointer?: string,
};

/** A section of the settings. */
export type ConfigSection = {
  /** Other parts of the window lead to a section by it. */
  id: string, title: string,
  /** What its keys have in common. */
  help?: string,
};

/** Where a value comes from. */
export type ConfigSource = { "layer": "builtIn" } | { "layer": "settings" } | { "layer": "flow" } | { "layer": "loop", node: NodeId, } | { "layer": "node", node: NodeId,
};

/** `mcp.connect`: connects a server if it is not connected, and lists its tools, resources and prompts. The first time, its
 * tools become the accepted ones. `mcp.*`.
 */
export type ConnectMcpServer = { name: string,
};

/** The content of a message: plain text, or parts. */
export type Content = string | Array<Part>;

/** One change of one context, as the journal keeps it. */
export type ContextChange = { "kind": "messages", messages: Array<Message>, } | { "kind": "turn",
  /** The user message, unless it is in the history already, and the assistant's. */
  messages: Array<Message>,
  /** How far Plait's token counts differed from the provider's. */
  learned?: CalibrationSample, } | { "kind": "recalled" } & Recalled | { "kind": "systemInstructions",
  /** Empty for none. */
  text: string,
  /** Where they come from. */
  origins?: Origins, } | { "kind": "providerModel", provider: string, model: string, } | { "kind": "edited", edits: Array<EditedMessage>, } | { "kind": "reset"
};

/** The value on a context edge (and, from `newContext`, on a data edge): a context and the latest output in it. */
export type ContextHandle = { contextId: ContextId,
  /** The output of the node that passes the context on, for a node that has no other input. */
  currentOutput?: unknown,
  /** The message that this output is, whether or not the context has it already. */
  messageId?: MessageId,
};

/** A context of a run: `main`, or the id of the node that made it (with its epoch inside a cycle). */
export type ContextId = string;

/** The state of a context. */
export type ContextRecord = {
  /** Unique in the run. */
  contextId: ContextId, contextType: ContextType,
  /** The provider, for example `offline`. */
  provider: string,
  /** The provider's name for the model. */
  model: string,
  /** The system instructions; sent once in every payload. */
  systemInstructions?: string,
  /** Where they come from. */
  systemOrigins?: Origins,
  /** Its messages, oldest first. */
  messageHistory: Array<Message>,
  /** The id under which a provider may store this conversation. */
  sessionId: string,
  /** The text of the latest output in this context. */
  currentOutput?: string,
  /** How many times it was changed. */
  revision: number,
  /** Token calibrations from its turns, by `provider/model`. */
  corrections?: { [key in string]: Correction },
  /** The context that it was created from. */
  parentContextId?: ContextId,
};

/** How a context was created. */
export type ContextType = "main" | "isolated" | "child";

/** A context as it stands, and who is at it. */
export type ContextView = { record: ContextRecord,
  /** What its history takes, in tokens. */
  tokens: number,
  /** What the model calls made in it have used. */
  usage: TokenUsage,
  /** What they cost. */
  cost: Cost,
  /** The execution that made it. */
  createdBy: Activation,
  /** When it last changed. */
  changedAt: number,
  /** The model call that has its turn here now. */
  turn?: Activation,
};

/** `run.continueAll`: lets everything go on that stands still in a run and in the runs below it: the whole tree and all branches. What
 * somebody else continues meanwhile is none of it any more. The run is resumed for that if necessary.
 */
export type ContinueAll = { run: RunId,
};

/** `run.continueInquiry`: runs the next sample to its end. What it asks people is answered as they answered in the two runs; a sample that
 * asks something else is canceled, and says so. The errors are those of `run.rerun`;
 * nothing is done if the inquiry is over.
 */
export type ContinueInquiry = { inquiry: Inquiry,
  /** What the person decided beside what the first run was allowed. `grant.needed` when a mixture needs more. */
  grants?: Array<GrantRule>,
};

/** The flow that a conversation belongs to. Flows without a file are identified by their name. */
export type ConversationFlow = {
  /** The flow's file, if it has one. */
  path?: string,
  /** The flow's name. */
  name: string,
};

/** A conversation: a main context that lives on across runs. A UUID version 7. */
export type ConversationId = string;

/** One message of a conversation. It never changes. */
export type ConversationMessage = {
  /** The position in the conversation, from 0. */
  id: number, conversation: ConversationId,
  /** The run that produced it. */
  run: RunId,
  /** The user or the assistant. */
  role: Role, content: Content,
  /** The model's reasoning, if any. */
  reasoning?: string,
  /** Whether its end is missing: the reply reached a limit of tokens. */
  truncated?: boolean,
  /** The activation that produced it. */
  author: Activation,
  /** The token count, computed once. */
  tokens: number,
  /** Where it comes from. */
  origins?: Origins,
  /** The creation time, in milliseconds since the Unix epoch. */
  createdAt: number,
};

export type ConversationRecord = { id: ConversationId,
  /** The flow's file, or `name:` followed by its name if it has no file. */
  flow: string, flowName: string,
  /** The person who owns it. */
  user: string,
  /** Identifies the conversation to providers that store sessions. */
  threadId: string,
  /** The beginning of the first question until a person renames it; empty before that. */
  title: string,
  /** The creation time, in milliseconds since the Unix epoch. */
  createdAt: number,
  /** The time of the last change, likewise. */
  updatedAt: number,
  /** The number of messages. */
  messages: number,
  /** The token count of all messages. */
  tokens: number,
  /** Usage and cost of the model calls of its runs and their child runs. Each call sends much of the history again, so this
   * exceeds `tokens`. A fork starts at zero.
   */
  spent: Spending,
  /** The latest summary of its beginning. The summarized messages are kept. */
  summary?: SummaryRef,
  /** The origin of a fork. */
  forkedFrom?: ForkOrigin,
};

/** A conversation as it was when a run started. */
export type ConversationRef = { id: ConversationId,
  /** Its id at a provider that keeps sessions. */
  thread: string,
  /** How many messages it had: those at the positions from 0 up to this number. */
  messages: number,
  /** The latest summary, if any. */
  summary?: SummaryRef,
  /** The workflow's memory as the latest run left it, if there is one. */
  memory?: WorkflowMemory,
};

/** The sums of counted and reported tokens of the same prompts. */
export type Correction = {
  /** Tokens counted by Plait. */
  counted: number,
  /** Tokens reported by the provider. */
  reported: number,
};

/** A sum of money, and the number of calls without a known price that it leaves out. Costs of calls, nodes, contexts, runs,
 * conversations and days can be added.
 */
export type Cost = {
  /** Billionths of a US dollar. */
  nanoUsd: number,
  /** How many calls it leaves out: without a known price, or failed after they may have been billed. */
  unpriced?: number,
};

/** What a run may cost. */
export type CostForecast = {
  /** The most that the nodes cost whose calls have an upper bound, in billionths of a US dollar. */
  atMostNanoUsd: number,
  /** The others, in the order of the plan. */
  unknown: Array<UnknownCost>,
};

/** `tokens.count`: counts the tokens of a text. */
export type CountTokens = {
  /** The model, as its provider calls it, or `provider/model`. */
  model: string, text: string,
};

/** A row, as the case that it became. */
export type DatasetRow = {
  /** The name of the case that names the dataset. */
  dataset: string,
  /** From 1, without the header. */
  number: number,
  /** The cells by column. */
  columns: Record<string, unknown>,
};

export type DayUsage = {
  /** The day, as `2026-08-06`. */
  day: string, total: Spending,
  /** The same by `provider/model`. Calls of unknown models have an empty name. */
  models: { [key in string]: Spending },
};

/** What the debugger does to a run. */
export type DebugEvent = { "type": "debug.breakpoints", breakpoints: Array<Breakpoint>, } | { "type": "debug.stopped", cause: StopCause, scope?: StopScope,
  /** What is held, if it is one activation of this run. */
  point?: StopPoint,
  /** Its inputs before it starts, its outputs before they are delivered, by port. */
  values?: { [key in PortName]: JsonValue },
  /** The other outputs that can be taken, after a node that takes one of several. */
  ways?: Array<PortName>,
  /** Why the activation failed that is held after its end, if it did. */
  error?: Fault, } | { "type": "debug.continued", verb: DebugVerb,
  /** The number of the stop that is over. Journals of versions that had one stop at a time do not have it: it is that one. A step
   * ends the stop of the whole tree as well, since time passes until the next one.
   */
  stop?: number,
  /** The activation that goes on alone, if it is one. */
  point?: StopPoint, } | { "type": "value.overridden", point: StopPoint, port: PortName,
  /** What stood there. */
  was: unknown, value: unknown, } | { "type": "value.rerouted", point: StopPoint,
  /** The output that the node chose. */
  from: PortName,
  /** The output that is taken instead. */
  to: PortName,
  /** The outputs as they were. */
  was: { [key in PortName]: JsonValue },
  /** The outputs from now on. */
  values: { [key in PortName]: JsonValue }, } | { "type": "trial.made", node: NodeId,
  /** The config that the node had until now. */
  was: Record<string, unknown>, config: Record<string, unknown>,
  /** Attempts under way, which go on with the config that they began with. */
  begun?: Array<BegunAttempt>, } | { "type": "trial.dropped", node: NodeId,
  /** Attempts under way, which go on with the config that they began with. */
  begun?: Array<BegunAttempt>, } | { "type": "debug.logged", id: string, point: StopPoint, text: string,
};

/** `suite.debug`: runs a failing case again up to the place where its prompt or output first departs from the recording, where it stands
 * still. A case that does what is recorded, and a live one, stop behind the node that the failed check is about. A live case is not
 * called again: its failed run is replayed. `suite.nothing_to_debug`, and the errors of `suite.run`.
 */
export type DebugTest = {
  /** The suite, an absolute path. */
  file: string, case: string, variant?: Record<string, unknown>,
};

/** How a run goes on. */
export type DebugVerb = "continue" | "over" | "into" | "out" | "all" | "skip" | "retry";

/** A run that stands still. */
export type DebuggedTest = {
  /** The run. */
  run: RunId,
  /** The flow that it runs. */
  flow: string,
  /** Where it stands still: `node`, in a sub-flow `a/node`, with its iteration. Nothing if it ended before. */
  at?: string,
  /** What differs there from the recording. */
  difference?: RunDifference,
  /** Why the case failed when it was last run. */
  failures: Array<CheckFailure>,
};

/** The quotas of the application's settings. */
export type DefaultQuotas = {
  /** For each run, where its flow does not say. */
  run?: Quota,
  /** For each conversation, where its flow does not say. */
  conversation?: Quota,
  /** For all runs of a day together. No flow can raise it. */
  day?: Quota,
};

/** `conversations.delete`: deletes a conversation permanently. `conversation.busy` while an active run continues it. */
export type DeleteConversation = { conversation: ConversationId,
};

/** `provider.detect`: looks for model servers on this machine: Ollama, LM Studio, llama.cpp and vLLM on their default ports,
 * the address in `OLLAMA_HOST`, and the local providers of the settings. Takes at most about two seconds.
 */
export type DetectProviders = Record<string, never>;

/** A model server that is running. */
export type DetectedServer = {
  /** The detected software: `Ollama`, `LM Studio`, `llama.cpp`, `vLLM`, or `OpenAI-compatible server`. */
  software: string,
  /** The configured providers that use this server, sorted. */
  providers: Array<string>,
  /** An unused name for a new provider. */
  suggestedName: string, settings: ProviderSettings,
  /** The models of the server, sorted. */
  models: Array<string>,
};

/** An error or warning about a flow. */
export type Diagnostic = {
  /** A stable code, for example `edge.unknown_port`. */
  code: ErrorCode, severity: Severity, message: string,
  /** How to fix it. */
  hint?: string, node?: NodeId, edge?: EdgeId,
  /** The trigger whose runs meet it, in a flow with several ways in. None if it holds for the way that runs take by default. */
  trigger?: NodeId,
  /** The place in the file, as a JSON pointer, for example `/nodes/ask/config/prompt`. */
  pointer: string,
};

/** `flow.diff`: what differs between two flows by meaning: moving a node is no difference, and renaming one is a single one. */
export type DiffFlows = { before: Flow, after: Flow,
};

/** `mcp.disconnect`: ends a server. It is started again when a run needs it. `mcp.unknown_server`. */
export type DisconnectMcpServer = { name: string,
};

/** `program.draft`: the flow that was drafted of a recorded program. `run.unknown`, `record.not_a_program`. */
export type DraftProgram = { run: RunId,
};

/** `autosave.drop`: removes a draft. Does nothing when there is none. */
export type DropAutosave = {
  /** The editor's key for it. */
  key: string,
};

/** `run.dropBreakpoint`: removes the breakpoint with this id from a run; the others stay. `debug.no_breakpoint`. */
export type DropBreakpoint = { run: RunId, id: string,
};

/** `proposal.drop`: removes a proposed edit; the file is not changed. Returns what was removed. `proposal.unknown`. */
export type DropProposal = {
  /** Its ID, or how that begins. */
  id: string,
};

/** `run.dropTrials`: has a node execute with the config of the flow again, or all nodes. `debug.no_trial`, `debug.moved_on`. */
export type DropTrials = {
  /** The run that is held. */
  run: RunId,
  /** The number of the stop. */
  stop: number,
  /** One node; without it, all. */
  node?: NodeId,
};

/** What attempts used that a person dropped. */
export type DroppedSpending = { usage: TokenUsage, cost: Cost,
};

/** A grade with the result that it is of. */
export type EarlierGrade = { grade: Grade, result: TestResult,
  /** Whether the result of the row has the same outputs. */
  hasSameOutputs: boolean,
};

/** An edge from an output to an input. */
export type Edge = { source: NodeId, sourceOutput: PortName, target: NodeId, targetInput: PortName,
  /** The place of its value among those of other edges into an input that takes several, lowest first; 0 by default. Edges of
   * the same place come in plan order.
   */
  order?: number,
  /** Further data. Plait keeps it and does not interpret it. */
  metadata?: Record<string, unknown>,
};

/** What an edge connects. Two edges that connect the same are the same edge, whatever their ids are. */
export type EdgeEnds = { source: NodeId, sourceOutput: PortName, target: NodeId, targetInput: PortName,
  /** The place of its value among those of other edges into the same input. */
  order?: number,
};

/** An edge of a flow; stable across edits. */
export type EdgeId = string;

/** What an edit does to a run that waits. */
export type EditEffect = "current" | "same" | "changed" | "stranded";

/** `run.editHistory`: rewords and removes messages of the context that a node uses which a stop holds before its start.
 * `debug.bad_history` if model servers would refuse the history, `debug.no_history`, `debug.moved_on`.
 */
export type EditHistory = {
  /** The run that is held. */
  run: RunId,
  /** The number of the stop. */
  stop: number,
  /** All of them or none are made. */
  edits: Array<MessageEdit>,
};

/** `memories.edit`: changes what a memory says. Its old text is gone from the user's file. `memory.unknown`, `memory.empty`,
 * `memory.too_long`, `memory.damaged`.
 */
export type EditMemory = {
  /** The user; the current one when left out. */
  user?: UserName, id: MemoryId,
  /** What it says from now on. */
  content: MemoryContent,
};

/** A message of a history that a person replaced or removed. */
export type EditedMessage = {
  /** The message that stood there. */
  message: MessageId,
  /** The message that stands there now. Without one, it was removed. */
  by?: Message,
};

/** How the editor treats nodes of a type, beyond what their ports say. */
export type EditorTraits = {
  /** Set for comments: the config field with the comment's Markdown. The editor draws a sticky note with an editable
   * text. It shows no run status, ports, limits or retry settings, and counts it in no run.
   */
  commentField?: string,
  /** Set for nodes that run another flow: the config field with the path of that flow's file. The editor offers to
   * open the child run, or the file if there was no run.
   */
  childFlowField?: string,
  /** An import makes it, and nobody else: the editor offers none to add. */
  onlyImported?: boolean,
  /** It makes the flow's main context, which gets the first context color. */
  makesMainContext: boolean,
  /** Its pause asks for the next message of a conversation. In a cycle, the button that ends the pause is labeled
   * "End conversation".
   */
  asksForMessage: boolean,
};

/** A model that computes embeddings. */
export type EmbeddingModel = {
  /** The provider: one with an OpenAI-compatible `/embeddings`. */
  provider: string, model: string,
};

/** `run.end`: ends a pause without an answer. Its outputs are dead, and the run continues by the ordinary rules. */
export type EndPause = { run: RunId,
  /** The node that asks. */
  node: NodeId,
  /** The iteration of the node. */
  epoch: Epoch,
};

/** One line of a journal, or of what a watcher receives. */
export type Entry = {
  /** Position in the journal, from 0 without gaps. Absent on `node.delta`, `node.progressed` and `tool.progressed`, which are never journaled. */
  seq?: number,
  /** Milliseconds since the Unix epoch. */
  at: number,
  /** How long the run was interrupted before it, in milliseconds: since the entry before it, no process drove the run. */
  interruptedMs?: number, } & (RunEvent | {
  /** The node. */
  node: NodeId,
  /** The iteration. */
  epoch: Epoch, } & ({ "type": "loop.iteration" } | { "type": "loop.exhausted",
  /** The bound: the number of all epochs or, if `unattended`, of those in a row in which nobody was asked. */
  maxEpochs: number,
  /** The cycle has no `maxEpochs` of its own, and nobody was asked for too long. */
  unattended?: boolean, } | { "type": "iteration.started" } | { "type": "history.appended",
  /** In order. */
  turns: Array<Message>,
  /** Those of them that are pinned: their nodes say so. */
  pinned?: Array<MessageId>, } | { "type": "history.pinned", turn: MessageId,
  /** Whether it is pinned from now on. */
  pinned: boolean, } | { "type": "iteration.finished",
  /** Why it failed, or was stopped. What it did in contexts does not count. */
  error?: Fault,
  /** Whether it ended the loop. */
  exit?: boolean, }) | {
  /** The node. */
  node: NodeId,
  /** The iteration. */
  epoch: Epoch, } & ({ "type": "node.ready",
  /** The source of the value on each fed input; several for a port that collects. */
  inputs?: { [key in PortName]: Array<SourceRef> }, } | { "type": "node.started",
  /** Number of the attempt, from 1. */
  attempt: number, } | { "type": "node.delta",
  /** New text. */
  text?: string,
  /** New reasoning. */
  reasoning?: string, } | { "type": "node.progressed",
  /** What is waited for, and how far it has come. */
  progress: ToolProgress, } | { "type": "node.noticed",
  /** What was done instead, and how to get what was asked. */
  notice: Fault, } | { "type": "node.finished",
  /** Its live outputs. A declared output that is missing here is dead. */
  outputs: { [key in PortName]: JsonValue },
  /** Outputs whose value already is a message of a context. */
  messages?: { [key in PortName]: MessageId },
  /** Duration, tokens and the like. */
  metadata: FinishMetadata, } | { "type": "node.skipped",
  /** Why. */
  reason: SkipReason,
  /** The activation of which the handled failure made the input dead, if one did. Readers give the notice
   * `node.skipped_after_failure`.
   */
  failed?: Activation, } | { "type": "node.failed",
  /** What went wrong. */
  error: Fault,
  /** Whether its `error` output is wired, so that the run continues. */
  handled: boolean,
  /** Where the error comes from, besides the inputs. */
  origins?: Origins, } | { "type": "node.retrying",
  /** Number of the attempt that failed, from 1. */
  attempt: number,
  /** Delay before the next attempt, in milliseconds. */
  delayMs: number,
  /** What went wrong. */
  error: Fault,
  /** What the attempt gave, if a person had it run again at a stop of the debugger: nobody gets it. Empty where it failed. */
  dropped?: { [key in PortName]: JsonValue }, } | { "type": "run.paused",
  /** The question, in Markdown. */
  prompt: string,
  /** JSON Schema of the answer. */
  schema: Record<string, unknown>,
  /** Whether the answer follows at once, because the run that this one is forked from has it. Nobody is asked. */
  answered?: boolean,
  /** The tool call it is about, if it is about one. */
  tool?: ToolPause, } | { "type": "input.provided", answer: Answer,
  /** The event of an earlier run that the answer is taken from. */
  reused?: EventRef, }) | {
  /** The node. */
  node: NodeId,
  /** The iteration. */
  epoch: Epoch, } & ({ "type": "context.created",
  /** The new context. Shared: inline it would make every event as large. */
  context: ContextRecord, } | { "type": "context.changed",
  /** The context that changed. */
  contextId: ContextId, change: ContextChange,
  /** It was done in an iteration of a loop, and counts outside when `context.merged` names the activation. */
  pending?: boolean, } | { "type": "turn.started",
  /** The context that is locked for the turn. */
  contextId: ContextId, } | { "type": "turn.committed",
  /** The context that was extended. */
  contextId: ContextId,
  /** The messages added, in order: the user's (unless it was there already) and the assistant's. */
  messages: Array<Message>,
  /** Calibration of Plait's token counts by the provider's reports. */
  learned?: CalibrationSample,
  /** The event of an earlier run that committed the same turn, so that a conversation gets it once. */
  reused?: EventRef,
  /** It was done in an iteration of a loop, and counts outside when `context.merged` names the activation. */
  pending?: boolean, } | { "type": "turn.discarded",
  /** The context that was locked for the turn. */
  contextId: ContextId,
  /** The text streamed before the turn was discarded. */
  partial: string, } | { "type": "context.merged",
  /** The activations with pending changes. */
  activations: Array<Activation>, } | { "type": "context.discarded",
  /** The activations with pending changes. */
  activations: Array<Activation>, }) | {
  /** The node. */
  node: NodeId,
  /** The iteration. */
  epoch: Epoch, } & ({ "type": "memory.appended",
  /** The change. */
  change: MemoryChange,
  /** The event of an earlier run that made the same change, so that a conversation gets it once. */
  reused?: EventRef,
  /** It was done in an iteration of a loop, and counts outside when `context.merged` names the activation. */
  pending?: boolean, }) | {
  /** The node. */
  node: NodeId,
  /** The iteration. */
  epoch: Epoch, } & ({ "type": "prompt.rendered",
  /** Number of the model call within the activation, from 0. */
  step: number,
  /** The messages, by reference, and the tokens they take. */
  prompt: PromptRecord,
  /** The request of a tool that it serves, if it serves one. The step is that of the tool call then. */
  sampling?: SamplingRef, } | { "type": "quota.reserved",
  /** Number of the model call within the activation, from 0. */
  step: number,
  /** The attempt of the activation, from 1. */
  attempt: number,
  /** What is reserved. */
  amount: Amount,
  /** The quotas with the reservation, from the outermost to the innermost. */
  quotas: Array<QuotaState>,
  /** The request of a tool that it serves, if it serves one. The step is that of the tool call then. */
  sampling?: SamplingRef, } | { "type": "quota.reconciled",
  /** Number of the model call within the activation, from 0. */
  step: number,
  /** The attempt of the activation, from 1. */
  attempt: number,
  /** What was used. */
  amount: Amount,
  /** There is no report: the call stays charged with what was reserved. */
  estimated?: boolean,
  /** The quotas afterward, from the outermost to the innermost. */
  quotas: Array<QuotaState>,
  /** The request of a tool that it serves, if it serves one. The step is that of the tool call then. */
  sampling?: SamplingRef, } | { "type": "model.replied",
  /** Number of the model call within the activation, from 0. */
  step: number,
  /** The whole reply. */
  reply: ModelReply,
  /** Usage and cost of the call. Absent in journals of early versions. */
  account?: CallAccount,
  /** What identifies the request: an equal request of a forked run takes this reply. */
  key?: ReplyKey,
  /** The request of a tool that it serves, if it serves one. The step is that of the tool call then. */
  sampling?: SamplingRef,
  /** Where the reply comes from: its prompt and the model. */
  origins?: Origins,
  /** The event of an earlier run that the reply is taken from. It costs nothing here. */
  reused?: EventRef,
  /** The event of the run that bought the reply, if the one that it is taken from did not buy it either. */
  bought?: EventRef, } | { "type": "model.failed",
  /** Number of the model call within the activation, from 0. */
  step: number,
  /** The context that it was made for. */
  contextId: ContextId,
  /** The model, as `provider/model`. */
  model: string,
  /** Why it failed. */
  code: ErrorCode,
  /** The request of a tool that it serves, if it serves one. The step is that of the tool call then. */
  sampling?: SamplingRef, } | { "type": "knowledge.retrieved",
  /** What was found. */
  retrieval: Retrieval,
  /** What was searched. Empty in journals of early versions. */
  bases?: Array<KnowledgeRef>,
  /** The event of an earlier run that it is taken from. */
  reused?: EventRef, } | { "type": "memory.recalled",
  /** What was found. */
  recall: Recall,
  /** The event of an earlier run that it is taken from. */
  reused?: EventRef, } | { "type": "memory.remembered",
  /** What is stored. */
  memories: Array<MemoryRecord>,
  /** The event of an earlier run that stored the same. */
  reused?: EventRef, } | { "type": "tool.called",
  /** Number of the model call that requested it, from 0. */
  step: number,
  /** The tool and its arguments. */
  call: ToolCall,
  /** Hash of what the tool's host knows besides the arguments, such as the request of an HTTP tool, if it knows anything. */
  binding?: string,
  /** The places that others write to which the arguments come from, if the tool sends them somewhere or changes something. */
  untrusted?: Origins,
  /** The rules that allow it. */
  granted?: Array<GrantPattern>, } | { "type": "tool.progressed",
  /** Number of the model call that requested it, from 0. */
  step: number,
  /** The id of the tool call. */
  callId: string, progress: ToolProgress, } | { "type": "tool.finished",
  /** Number of the model call that requested it, from 0. */
  step: number,
  /** The id of the tool call. */
  callId: string,
  /** The result, unless it failed. */
  result?: unknown,
  /** The error, which is also reported to the model. */
  error?: Fault,
  /** Where the result or the error comes from, besides the arguments. */
  origins?: Origins,
  /** The event of an earlier run that the result is taken from. The tool was not called again. */
  reused?: EventRef, }) | {
  /** The node. */
  node: NodeId,
  /** The iteration. */
  epoch: Epoch, } & ({ "type": "child.started", run: RunId, } | { "type": "child.asked", run: RunId, } | { "type": "child.waiting", run: RunId,
  /** The open questions of the child run and of its descendants; the first [`MAX_LISTED_QUESTIONS`](crate::MAX_LISTED_QUESTIONS) of them. Others
   * follow when these are answered.
   */
  questions: Array<ChildQuestion>, } | { "type": "child.resumed", run: RunId, }) | DebugEvent);

/** The iteration: one counter for each enclosing loop, cycle or sub-flow, outermost first. Empty outside of all. */
export type Epoch = number[];

/** One execution of one node. */
export type EpochView = {
  /** The iteration. */
  epoch: Epoch,
  /** What it is doing. */
  state: NodeState,
  /** Where the value on each fed input comes from. */
  inputs: { [key in PortName]: Array<SourceRef> },
  /** Its live outputs. */
  outputs: { [key in PortName]: JsonValue },
  /** Outputs whose value is a message of a context already. */
  messages: { [key in PortName]: MessageId },
  /** Where its outputs, or its error, come from, besides its inputs. */
  origins?: Origins,
  /** Its tries, in order. */
  attempts: Array<AttemptView>,
  /** What it asked people, in order. */
  pauses: Array<PauseView>,
  /** Its model calls, in order. */
  calls: Array<ModelCallView>,
  /** Its tool calls, in order. */
  tools: Array<ToolCallView>,
  /** What was done less well than asked, in order. */
  notices?: Array<Fault>,
  /** What it waits for outside of the run, while it does. Only watchers have it: no journal keeps it. */
  progress?: ToolProgress,
  /** What knowledge bases held for its prompt. */
  retrieval?: Retrieval,
  /** The runs it began, one for each try that got so far. */
  children?: Array<RunId>,
  /** Its turn in a context, where it took one. */
  turn?: TurnView,
  /** The contexts it made, changed or took its turn in. */
  contexts: Array<ContextId>,
  /** When its inputs were decided. */
  readyAt?: number,
  /** When it began to run. */
  startedAt?: number,
  /** When its first iteration began, if it is a loop. */
  iteratingSince?: number,
  /** When it succeeded, failed or was skipped. */
  endedAt?: number,
  /** Why it failed, or why its last try did while it waits for the next. */
  error?: Fault,
  /** Whether its `error` output took the failure, so that the run went on. */
  handled: boolean,
  /** Why it was skipped. */
  skipped?: SkipReason,
  /** The activation of which the handled failure was the reason. */
  skippedAfter?: Activation,
  /** Duration, tokens and the like, once it succeeded. */
  metadata?: FinishMetadata,
  /** What its model calls used so far. */
  usage: TokenUsage,
  /** What they cost so far. */
  cost: Cost,
  /** What attempts used that a person dropped. It is part of `usage` and `cost`. */
  dropped?: DroppedSpending,
  /** The config that a person tried on its last attempt. */
  trial?: Record<string, unknown>,
  /** The way that a person had it take. */
  forced?: ForcedWay,
  /** The text streamed by the model call that goes on or went last. Only watchers have it: no journal keeps it. */
  streamed: string,
  /** The reasoning streamed with it. */
  reasoning: string,
};

/** `memories.erase`: erases memories of a user. Nothing of their text is left in the user's file; the journals of the runs that
 * stored them keep what they recorded. `memory.damaged`.
 */
export type EraseMemories = {
  /** The user; the current one when left out. */
  user?: UserName,
  /** Their ids; all memories of the user when left out. */
  ids?: Array<MemoryId>,
};

/** What was erased. */
export type ErasedMemories = { count: number,
};

/** Why a command failed. */
export type ErrorReply = {
  /** Stable code, `domain.reason`, for example `flow.not_found`. */
  code: ErrorCode,
  /** What went wrong, and where. */
  message: string,
  /** How to fix it. */
  hint?: string,
  /** Details that depend on the code: `diagnostics` for `flow.*`. */
  details?: Record<string, unknown>,
  /** The error that led to this one. */
  cause?: Cause,
};

/** `lens.evaluate`: the values of expressions in CEL at a moment of a run, in the order of the expressions. They read what breakpoints
 * read (`value`, `inputs`, `outputs`, `error`, `iteration`, `attempt`, `tokens`, `cost`, `trimmed`), and `nodes.NAME.PORT`. Changes
 * nothing. `run.unknown`.
 */
export type EvaluateWatches = { run: RunId, expressions: Array<string>,
  /** The activation that is looked at. Without it, what the run stands still at. */
  focus?: Activation,
  /** The number of events that have happened at the moment. Without it, all. */
  events?: number,
};

/** An event of another run. */
export type EventRef = { run: RunId,
  /** The position in its journal, from 0. */
  seq: number,
};

/** An example of a node type. Each one runs as a test. */
export type Example = {
  /** What it demonstrates. */
  title: string,
  /** The node's config. */
  config: Record<string, unknown>,
  /** Values on its inputs. */
  inputs: { [key in PortName]: JsonValue },
  /** The person's answer, if the node pauses. */
  answer?: unknown,
  /** The expected live outputs. All others are dead. Null if they depend on the environment, such as a clock. */
  outputs: Record<string, unknown> | null,
};

/** An example flow, as lists show it. */
export type ExampleFlow = {
  /** What `flow.example` and `plait run` call it. */
  id: string,
  /** The flow's name. */
  title: string,
  /** What it demonstrates, in Markdown. */
  description: string,
};

/** How often a node is executed. */
export type Executions = {
  /** The most. Absent if only people end it. */
  atMost?: number,
  /** Whether it is exactly that many. */
  isExact: boolean,
};

/** `config.explain`: which value holds, and what each layer says. `settings.unknown_key`; `node.unknown` for a node that the flow does
 * not have.
 */
export type ExplainConfig = {
  /** The key. Without one, all keys that the scope has to do with. */
  key?: string,
  /** The flow. Without one, the settings are the narrowest layer. */
  flow?: Flow,
  /** A node of the flow. */
  node?: NodeId,
};

/** `conversations.export`: returns a whole conversation as text, and writes it to a file if one is named. Markdown has a heading
 * for the conversation and one for each message, JSON is `{"conversation": …, "messages": […]}`.
 */
export type ExportConversation = { conversation: ConversationId, format: ExportFormat,
  /** The file to write. An existing file is replaced. */
  path?: string,
};

/** The format of an exported text. */
export type ExportFormat = "markdown" | "json";

/** `memories.export`: returns all memories of a user as text, and writes them to a file if one is named. Markdown has a heading
 * for each kind, JSON is `{"user": …, "memories": […]}`.
 */
export type ExportMemories = {
  /** The user; the current one when left out. */
  user?: UserName, format: ExportFormat,
  /** The file to write. An existing file is replaced. */
  path?: string,
};

/** `recording.export`: writes a run that has ended or waits, and the runs below it, with all that replaying them needs. Secrets are
 * removed; the names in `mask` get placeholders. `run.unknown`, `run.busy`, `run.is_child`, `recording.mask`,
 * `recording.not_written`.
 */
export type ExportRecording = { run: RunId,
  /** The file to write. One that exists is replaced. */
  file: string,
  /** Names that get the same placeholder everywhere. */
  mask?: Array<string>,
};

/** `suite.export`: writes the table of `suite.table` into a file, as JSON Lines if its name ends with `.jsonl`, else as CSV. Returns how
 * many rows it has. The errors of `suite.table`, `suite.not_exported`.
 */
export type ExportResults = {
  /** The suite, an absolute path. */
  file: string, dataset?: string,
  /** An absolute path. */
  to: string,
};

/** `lens.export`: sends the spans of a run and its child runs to an OTLP/HTTP endpoint, or writes them to a file. Exporting a run
 * again gives the same ids. `run.unknown`, `telemetry.*`.
 */
export type ExportSpans = { run: RunId,
  /** The endpoint; that of the settings when left out. */
  endpoint?: string,
  /** The file to write instead: one OTLP request as a line of JSON. */
  file?: string,
  /** Whether the spans contain messages, tool arguments and results. */
  content: boolean,
};

export type ExportedConversation = {
  /** A suggested file name. */
  name: string, text: string,
};

export type ExportedMemories = {
  /** A suggested file name. */
  name: string, text: string,
  /** How many memories they are. */
  count: number,
};

/** What was written. */
export type ExportedRecording = {
  /** How many runs: the run itself and those below it. */
  runs: number,
  /** The size of the file. */
  bytes: number,
  /** What a replay does not get to, since the run did not either. */
  unrecorded: Array<BillPlace>,
  /** The names of attachments that may show masked names, since they are no texts. */
  unmasked: Array<string>,
};

/** What was exported. */
export type ExportedSpans = {
  /** How many spans were written, or sent and taken. */
  spans: number,
  /** How many the server rejected. */
  rejected: number,
};

/** A model that takes the place of a more expensive one. */
export type FallbackModel = {
  /** The provider; by default that of the call. */
  provider?: string, model: string,
};

/** An error of a node or a run, as it is journaled and displayed. */
export type Fault = { code: ErrorCode,
  /** What happened and where, in one or two sentences. */
  message: string,
  /** What the person can do about it. */
  hint?: string,
  /** Whether a retry could fix it. */
  retryable?: boolean,
  /** The delay that the server requested before a retry, in milliseconds. */
  retryAfterMs?: number,
  /** Additional data; its shape depends on the code. */
  details?: unknown,
  /** The error that led to this one. */
  cause?: Cause,
};

/** `run.held`: the stops of a run and of the runs below it, the newest first. None if nothing stands still. Where a run stands still because
 * another one of its tree does, the stop is that of the other one.
 */
export type FindHeld = { run: RunId,
};

/** `runs.find`: asks the recorded runs of a user where a breakpoint would have stopped them. `debug.bad_breakpoint` for a condition that
 * does not compile and a place that can't be read, `debug.unknown_node` if none of the runs has the node, `user.unknown`.
 */
export type FindRuns = {
  /** A condition in CEL, as breakpoints have it. Without one, each place counts that is reached. */
  when?: string,
  /** The place as a breakpoint on a command line has it, such as `review/judge.score:after`, in place of the fields below. Which part of
   * a name with dots is the node, the flows of the runs say: the longest name that one of them has.
   */
  place?: string,
  /** Every node of the flow and of the flows that run below it when left out. */
  node?: NodeId,
  /** The `subflow` nodes that lead to the node's flow, the outermost first. */
  path?: Array<NodeId>, side?: Side,
  /** Only where there is a value on this input or output. */
  port?: PortName,
  /** Only where the value on the input comes from this output. */
  from?: OutputRef,
  /** Only where there is a value on an edge of this kind. */
  kind?: PortKind,
  /** Only where this happens, on the sides that the event has. */
  event?: StopEvent,
  /** The user; the current one when left out. */
  user?: UserName,
  /** Only runs of this flow file. */
  flowPath?: string,
  /** At most so many runs, the newest; all when left out. Child runs are not counted. */
  limit?: number,
};

/** `suite.find`: the suites among these files and folders, by path; of a flow's file, those beside it. Folders are searched with what is
 * below them, but for hidden ones. `suite.not_found` if a path is neither.
 */
export type FindSuites = {
  /** Absolute paths. */
  paths: Array<string>,
};

/** What a node has to say about its own execution. */
export type FinishMetadata = {
  /** How long it took, in milliseconds. */
  durationMs: number,
  /** What its model calls used. */
  tokenUsage?: TokenUsage,
  /** Whether the outputs were taken from an earlier execution. */
  cached?: boolean,
  /** Whether the outputs are pinned: the node was not executed. Its inputs are what came in nevertheless. */
  pinned?: boolean,
  /** Whether the end of its model's reply is missing: it reached a limit of tokens. */
  truncated?: boolean,
  /** Where the outputs come from, besides the inputs. Pinned outputs come from here alone. */
  origins?: Origins,
};

/** A flow: nodes, edges, layout and settings. Never holds a secret. */
export type Flow = {
  /** The version of the format. */
  version: number,
  /** The name that people see. */
  name: string,
  /** What it is for, in Markdown. */
  description?: string, nodes: { [key in NodeId]: Node }, edges: { [key in EdgeId]: Edge },
  /** The positions of nodes on the canvas. */
  layout: { [key in NodeId]: Position },
  /** Boxes around nodes that belong together. */
  frames?: { [key in FrameId]: Frame },
  /** The points that edges pass through, in the edge's direction. An edge without any takes the way that the canvas gives it. */
  routes?: { [key in EdgeId]: Array<Point> }, settings?: FlowSettings,
};

/** One difference. */
export type FlowChange = { "kind": "flow", change: ValueChange, } | { "kind": "nodeAdded", node: NodeId, nodeType: string, } | { "kind": "nodeRemoved", node: NodeId, nodeType: string, } | { "kind": "nodeRenamed", from: NodeId, to: NodeId, } | { "kind": "node", node: NodeId, change: ValueChange, } | { "kind": "edgeAdded", edge: EdgeEnds, } | { "kind": "edgeRemoved", edge: EdgeEnds,
};

/** What differs between two flows. Empty if they mean the same. */
export type FlowDiff = {
  /** In the order: of the flow itself, of its nodes by id, of its edges. */
  changes: Array<FlowChange>,
};

export type FlowForecast = {
  /** The model nodes that will call a model, in the order of their first calls. */
  nodes: Array<NodeForecast>, cost: CostForecast,
  /** What the run that is going on has cost so far. */
  spent?: Cost,
  /** The nodes of which every output counts, since only a run knows which one it takes. */
  branching?: Array<NodeId>,
  /** Whether the flow was too large to look at all of it. */
  isCut?: boolean,
};

/** What a flow may do. */
export type FlowGrants = {
  /** What it needs, in the order commands, hosts, folders, tools. */
  needs: Array<NeedStatus>,
  /** The rules that are about nothing that it needs now. */
  unused: Array<GrantRule>, pins: Array<ServerPin>,
  /** The hash of all that it needs. A rule that names it is asked about again when the flow needs something else. */
  needsHash: string,
  /** Whether a rule was ever kept for it. */
  first: boolean,
  /** Whether rules can be kept for it: it has a file. */
  hasFile: boolean,
};

/** The quotas of a flow. */
export type FlowQuotas = {
  /** For each run with all runs below it. */
  run?: Quota,
  /** For each conversation, over all of its runs. */
  conversation?: Quota,
};

/** Which flow a run runs. */
export type FlowRef = { name: string,
  /** Where its file was, if it had one. */
  path?: string,
  /** Hash of the document as it ran; the store keeps that document. */
  hash: string,
};

/** Settings of a whole flow. */
export type FlowSettings = {
  /** How many activations may run at once. */
  maxConcurrency?: number,
  /** After how many iterations in a row without a question to a person a cycle ends, unless `limits.maxEpochs` bounds
   * it.
   */
  maxUnattendedEpochs?: number,
  /** What a run of the flow and all runs below it may use together. */
  limits?: TreeLimits,
  /** What the model calls of a run, and of a conversation, may use. */
  quotas?: FlowQuotas,
  /** The context window of every model call in the flow, in tokens; by default, the model's own. It stays as it is in the
   * file: `plait_run::plan::check` reports an invalid value.
   */
  contextWindow?: number,
  /** The memory that nodes of the flow share. */
  memory?: MemorySettings,
  /** The folders whose files the flow's tools may read or write. Without any, they may read the folder of the flow's file. */
  folders?: Array<FolderAccess>,
  /** Values for all loops and nodes of the flow that do not set them, by key, for example `history_management.max_tokens`. They
   * come before those of the application's settings. `plait config list` shows the keys.
   */
  config?: Record<string, unknown>,
};

/** A flow as runs executed it. */
export type FlowVersion = {
  /** The hash of the flow's text. */
  hash: string, flow: Flow,
  /** The runs that executed it, newest first. */
  runs: Array<VersionRun>,
};

/** A folder that the flow declares. Without any, tools may read the folder of the flow's file and write nothing. */
export type FolderAccess = {
  /** The folder, relative to that of the flow's file, for example `notes`. It must be in the flow's project. */
  path: string,
  /** Whether tools may also write files in it. */
  write?: boolean,
};

/** `dialog.folder`: asks for a folder. */
export type FolderDialog = Record<string, never>;

/** `lens.lineage`: where a text of a run comes from, or where it went, as far as that is clear, and the places between which a person
 * chooses. `run.unknown`, `lens.no_place`, `lens.no_text`.
 */
export type FollowText = { run: RunId, spot: LineageSpot, direction: LineageDirection,
  /** The part of the text, if not all of it. */
  range?: TextRange,
  /** In place of a range: the text itself. */
  text?: string,
  /** Which occurrence of `text` it is, from 0. */
  occurrence: number,
};

/** `run.forceWay`: has a node that a stop holds after its end take another one of its ways, such as another case of a switch.
 * `debug.no_way`, `debug.moved_on`.
 */
export type ForceWay = {
  /** The run that is held. */
  run: RunId,
  /** The number of the stop. */
  stop: number,
  /** The output to take. */
  port: PortName,
};

/** A way that a person chose in place of the one that the node chose. */
export type ForcedWay = {
  /** The output that the node chose. */
  from: PortName,
  /** The output that was taken. */
  to: PortName,
};

/** `flow.forecast`: how the prompts of a flow will grow from iteration to iteration, when they no longer fit the window, and what a
 * run may cost, as far as that is known. Calls nobody. `flow.invalid`, `run.unknown`.
 */
export type ForecastFlow = { flow: Flow,
  /** Its file, if it has one. The latest runs of that file say how long replies are. */
  path?: string,
  /** The text that the run is to be started with. */
  input?: string,
  /** A run of the flow that is going on: what it has sent counts as it is. */
  run?: RunId,
};

/** `flow.forget`: removes a flow from the recent ones. The file stays. */
export type ForgetFlow = {
  /** The flow's file. */
  path: string,
};

/** `runs.forgetReplies`: other runs no longer take the replies that were bought until now, by a run with its child runs or by all runs.
 * A repetition of such a run still does. `run.unknown`.
 */
export type ForgetReplies = {
  /** All runs unless given. */
  run?: RunId,
};

/** `suite.forget`: removes the kept results of cases, so that `suite.run` with `resume` runs them again. */
export type ForgetResults = {
  /** The suite, an absolute path. */
  file: string,
  /** The names of the cases. */
  cases: Array<string>,
};

/** `conversations.fork`: copies a conversation up to a message into a new one. The original is not changed. */
export type ForkConversation = { conversation: ConversationId,
  /** The last message of the fork. If it is a user message, the fork ends before it, and the message is returned to be
   * edited and sent again.
   */
  message: number,
};

export type ForkOrigin = { conversation: ConversationId,
  /** The message at which it was forked. */
  message: number,
  /** The run that was forked there and is kept by it, if it was made for one. */
  run?: RunId,
};

export type ForkedConversation = { conversation: ConversationRecord,
  /** The user message that it was forked at, if it was one. */
  asked?: string,
};

/** What a forked run changed of its user's memories. `conversations.keep` takes it over; removing the run removes it. */
export type ForkedMemories = { run: RunId,
  /** What it stored. */
  stored: Array<MemoryRecord>,
  /** How many of the user's memories it erased or replaced. */
  erased: number,
  /** What cannot be read of its file, if it is damaged. */
  damage?: string,
};

/** A tool whose files can be imported. */
export type Format = "dify" | "flowise" | "langflow" | "n8n" | "promptflow" | "rivet";

/** A mixture that turns the outcome. */
export type FoundCause = {
  /** The places of its swaps in the inquiry. */
  swaps: number[],
  /** In how many of its decided samples. */
  rate: PassRate,
};

/** A place, and the run that has it: the run of a sub-flow may be another one than the run that was started. */
export type FoundPlace = { run: RunId, point: StopPoint,
  /** Why the condition could not be evaluated there. Such a place stops a run as well. */
  error?: Fault,
};

/** A run that would have stopped, with the runs below it. */
export type FoundRun = { run: RunId, flowName: string,
  /** In milliseconds since the Unix epoch. */
  startedAt: number,
  /** How often. */
  stops: number,
  /** The first places. */
  places: Array<FoundPlace>,
};

/** What recorded runs say of a breakpoint. */
export type FoundRuns = {
  /** How many runs were asked. */
  runs: number,
  /** How many more there are, whose flows do not have the node. */
  withoutNode: number,
  /** How many of the asked runs would have stopped. */
  stoppedRuns: number,
  /** How often they would have stopped. */
  stops: number,
  /** How many of these stops are because the condition could not be evaluated. */
  errors: number,
  /** The first of them. */
  firstError?: FoundPlace,
  /** The newest runs that would have stopped. */
  found: Array<FoundRun>,
  /** How many runs could not be read to the end. What was found in them before counts. */
  unreadableRuns: number,
  /** The newest of them. */
  unreadable: Array<UnreadableRun>,
};

/** A box with a title around nodes that belong together. All of them have the same `parent`. */
export type Frame = {
  /** The title that people see. */
  title: string, color?: CanvasColor,
  /** The nodes that move with it. */
  nodes: Array<NodeId>,
  /** The one of its nodes that its card stands for while it is folded: the card has the icon and the summary of this node. */
  main?: NodeId,
  /** Rightward, in canvas units; around nodes in a loop's body, relative to the loop's top left corner. */
  x: number,
  /** Downward, in canvas units; around nodes in a loop's body, relative to the loop's top left corner. */
  y: number,
  /** In canvas units, also while it is folded. */
  width: number,
  /** In canvas units, also while it is folded. */
  height: number,
  /** Whether it is drawn as a single card, without its nodes. */
  folded?: boolean,
};

/** A frame of a flow; stable across edits. */
export type FrameId = string;

/** Where a fork begins to do again what the earlier run has: at an activation, and in all that follows from it unless it is alone. */
export type FreshFrom = { node: NodeId,
  /** Nothing for all activations of the node. */
  epoch?: Epoch,
  /** The place in the child run of the activation, if it begins there: what comes before in that run is taken over. */
  inside?: FreshFrom,
  /** Whether what follows is taken over wherever it asks the same as before: only the activation itself is done again. */
  alone?: boolean,
};

/** `app.info`: what the application is and how it is set up. */
export type GetAppInfo = Record<string, never>;

/** `attachment.get`: the bytes of an attachment, for a preview. `attachment.missing`. */
export type GetAttachment = { hash: AttachmentHash,
};

/** `lens.request`: the HTTP request of a model call as a curl command, with a variable in place of the key. `run.unknown`,
 * `lens.no_call`, `lens.no_request`, `provider.unknown`.
 */
export type GetCallRequest = { run: RunId, node: NodeId, epoch?: Epoch,
  /** Which of the activation's model calls, from 0. */
  call: number,
};

export type GetConversation = { conversation: ConversationId,
};

/** `program.exchanges`: what a recorded program exchanged with model servers, as the log of its recorder. `run.unknown`,
 * `record.not_a_program`, `attachment.missing`.
 */
export type GetExchanges = { run: RunId,
};

/** `knowledge.source`: the text of a file around a passage. `knowledge.unknown`, `knowledge.source`, `knowledge.bad_file`. */
export type GetKnowledgeSource = {
  /** The base, as the passage names it. */
  base: string,
  /** The file, as the passage names it. */
  source: string,
  /** Where the passage begins. */
  offset?: number,
  /** The flow's file, for a passage from a folder beside it. */
  flow?: string,
};

/** `mcp.log`: the last lines that a server wrote to its standard error, and what Plait noticed about it, oldest first.
 * `mcp.unknown_server`.
 */
export type GetMcpLog = { name: string,
};

/** `provider.status`: every provider, and where its key comes from. */
export type GetProviderStatus = Record<string, never>;

/** `settings.get`: the settings in force, the built-in providers included. */
export type GetSettings = Record<string, never>;

/** `run.go`: lets a run or branch that stands still go on, as a whole or by a step. `skip` passes over the node that is held before its start, `retry`
 * runs one again that is held after its end. `debug.moved_on` if it does not stand at that stop any more, `debug.cannot_skip`,
 * `debug.cannot_retry`.
 */
export type GoOn = {
  /** The run that is held, as `run.held` names it. */
  run: RunId, verb: DebugVerb,
  /** The number of the stop. */
  stop: number,
};

/** A mark with what the person wrote beside it. */
export type Grade = { mark: Mark, note?: string,
  /** When it was given, in milliseconds since the Unix epoch. */
  at: number,
};

/** `suite.grade`: grades the newest result of a case, in place of the grade that it has; without a mark, it has none. Later runs of the
 * case change no grade: it stays with the result. `suite.unknown_case`, `suite.not_run`, and the errors of `suite.open`.
 */
export type GradeResult = {
  /** The suite, an absolute path. */
  file: string, case: string, variant?: Record<string, unknown>,
  /** Which of the repeats, from 0. */
  repeat?: number, mark?: Mark, note?: string,
};

export type GradeVerdict = "pass" | "fail";

/** What a person decided. The later one is the stricter one. */
export type GrantDecision = "allow" | "ask" | "deny";

/** What a rule is about. */
export type GrantKind = "command" | "host" | "folder" | "tool";

/** A target of rules. Its text is `KIND=TARGET`, such as `host=*.example.com`. */
export type GrantPattern = string;

/** What a person decided about a target. */
export type GrantRule = {
  /** What it is about, as `KIND=TARGET`. */
  target: GrantPattern, decision: GrantDecision,
  /** Whether it allows changes: requests other than GET and HEAD to a host, writing in a folder. */
  write?: boolean,
  /** Whether it allows arguments of untrusted origin without asking, such as a text from a web page in a request. */
  untrusted?: boolean,
  /** What the target was when the person decided, such as the command line of an MCP server. If it is another now, the
   * person is asked again.
   */
  seen?: string,
  /** The hash of all needs of the flow at the time of the decision. A different hash asks the person again. Absent for a rule that
   * holds for one run.
   */
  needsHash?: string,
};

/** The rules in force for a run. */
export type Grants = Array<GrantRule>;

/** A document that a person may have to accept. */
export type GuardedDocument = "settings" | "users" | "grants" | "mcp-servers" | "mcp-tools" | "spending";

/** `run.heldHistory`: the history of the context that a node uses which a stop holds before its start. None if it uses none. */
export type HeldHistory = {
  /** The run that is held. */
  run: RunId,
  /** The number of the stop. Without it, the newest one. */
  stop?: number,
};

/** A run that stands still, or a branch of it. */
export type HeldRun = { run: RunId, stop: StopView,
};

/** How a history is kept within bounds. */
export type HistoryStrategy = "truncate_tokens" | "truncate_turns" | "summarize";

/** A file in the folder with the flows of a host. */
export type HostFile = {
  /** Relative to the folder. */
  path: string,
  /** When it was written, in milliseconds since the Unix epoch. */
  modifiedAt: number,
};

/** `host.files`: the flow and pipeline files in the folder with the flows, and in the folders below it. At most 1,000. */
export type HostFiles = Record<string, never>;

/** A host as the owner of a token sees it. */
export type HostInfo = { version: string,
  /** The name of the token. */
  token: string,
  /** Its role: `viewer`, `runner`, `editor` or `admin`. */
  role: string,
  /** The tenant that it belongs to, if the host has others than the default one. */
  tenant?: string,
  /** When the token expires. */
  expiresAt?: string,
  /** The commands that it may execute, sorted. */
  commands: Array<string>,
};

/** How an imported flow and a recorded execution compare. */
export type ImportComparison = {
  /** The nodes of the file that ran, in its order. */
  nodes: Array<ComparedNode>,
  /** How many of them depart from the record. */
  departures: number,
  /** Why the trial did not end as a run should. */
  failure?: string,
  /** The run of the trial. */
  run: RunId,
};

/** `flow.import`: reads a file of another tool. `import.*` when it cannot be imported, `flow.*` when it cannot be read. Runs
 * nothing and writes nothing.
 */
export type ImportFlow = {
  /** The file, or the folder of a Prompt Flow; left out if `text` is the content of a file. */
  path?: string,
  /** The content of a file. */
  text?: string,
  /** The name of the flow if the file has none. */
  name?: string,
  /** The tool that the file is from, if it is not recognized. */
  format?: Format,
  /** Which graph of a file with several becomes the flow, by its id or name; by default, the main graph. */
  graph?: string,
};

/** What became of a node. */
export type ImportOutcome = "same" | "differs" | "placeholder" | "lost";

export type ImportReport = { format: Format,
  /** The name in the file. */
  name: string,
  /** The nodes of the file, in its order. */
  nodes: Array<ImportedNode>,
  /** The edges of the file, in its order. */
  edges: Array<ImportedEdge>,
  /** What concerns the file as a whole. */
  notes: Array<string>,
  /** Graphs of the file that are not in the flow, since it does not call them. Each can be imported as a flow of its own. */
  otherGraphs?: Array<OtherGraph>,
};

/** `program.import_traces`: makes a run of the model calls in traces. `traces.form`, `traces.no_calls`. */
export type ImportTraces = {
  /** OTLP in JSON: one object, or one in each line. */
  text: string,
  /** What people call the run. By default, the name of the service or of the outermost agent. */
  name?: string,
};

/** An edge of the file. */
export type ImportedEdge = {
  /** The id of the node it starts from, in the file. */
  source: string,
  /** The id of the node it leads to, in the file. */
  target: string,
  /** What it carries or which branch it is, if the file says so. */
  label?: string,
  /** Why it is lost. Without a reason, the flow has it, as an edge or as what a node reads. */
  lost?: string,
};

export type ImportedFlow = { flow: Flow, report: ImportReport,
};

/** A node of the file. */
export type ImportedNode = {
  /** Its id in the file. */
  id: string,
  /** Its name in the file. */
  name: string,
  /** Its type in the file. */
  kind: string, outcome: ImportOutcome,
  /** The nodes of the flow that it became, or is a part of. */
  nodes: Array<NodeId>,
  /** Where its outputs are in the flow, as far as that is known. */
  outputs?: Array<ImportedOutput>,
  /** How it differs, each a sentence: what of it was not translated, or why nothing was. */
  lost: Array<string>,
};

/** Where an output of a node of the file is in the flow. */
export type ImportedOutput = {
  /** Its name or number in the file; without one, an object of all outputs. */
  name?: string,
  /** The `subflow` nodes that the node is inside of, outermost first. */
  subflows?: Array<NodeId>, node: NodeId, port: string,
  /** Where in the value of the port. */
  path?: Array<string>,
  /** The field of the file's value that stands there; all of it without one. */
  field?: Array<string>,
};

/** How far indexing has come. */
export type IndexProgress = {
  /** The base. */
  base: string,
  /** Files that were looked at. */
  done: number,
  /** Files to look at, once the folder was listed. */
  total?: number,
  /** Bytes that were read and indexed. */
  bytes: number,
};

/** An input of a node. */
export type InputPort = { name: PortName, kind: PortKind, type: PortType,
  /** Whether the node runs only if this input has a live value. */
  required: boolean,
  /** Whether it may stay unconnected, but is required once an edge feeds it: a node that is only ordered after a branch
   * must not run if that branch is not taken.
   */
  requiredWhenFed?: boolean,
  /** Whether it collects the values of all its edges into a list, in plan order, instead of taking one. */
  many: boolean,
  /** Whether it takes no value: the node only waits until each of its edges has delivered or is dead. */
  orderOnly?: boolean,
  /** A description in one line, without a period. */
  description: string,
};

/** The search for what made the difference between two runs. A document: it is made once, and each trial gives the next one. */
export type Inquiry = {
  /** The run that is forked with differences of the other one. */
  before: RunId, after: RunId,
  /** A condition in CEL that is true of one of the two runs. Without it: the outputs are not those of the first run. */
  when?: string,
  /** How often each mixture is run. */
  samples: number, swaps: Array<Swap>,
  /** Each swap alone, then two together, in the order in which they are run. */
  trials: Array<Trial>,
};

/** How far an inquiry has come. */
export type InquiryState = { inquiry: Inquiry, verdict: Verdict,
  /** The trial that is run next, by its place. */
  next?: number,
  /** What all samples that may be run cost at most, in billionths of a US dollar. */
  atMostNanoUsd: number,
  /** How many calls and nodes of them have no upper bound. */
  unknown: number,
  /** What has been bought, in billionths of a US dollar. */
  spentNanoUsd: number,
};

export type JsonValue = unknown;

/** `conversations.keep`: keeps a forked run. What it said becomes a conversation: the one that it began in, as it was then, and the
 * run's own turns in place of what came there. What it stored and erased of its user's memories is taken over. Once for each run; asked
 * again, it is the same conversation. `run.not_a_fork`, `run.busy`, `conversation.unknown`, `memory.full`, `memory.damaged`.
 */
export type KeepFork = { run: RunId,
};

/** `program.keep`: makes a run of the log of a recorder, which is in the data directory, and removes the log. `record.log`,
 * `record.no_calls`.
 */
export type KeepProgram = {
  /** The name of the log's file. */
  log: string,
};

/** What was kept of a forked run. */
export type KeptFork = {
  /** The conversation of what it said, if it began in one. */
  conversation?: ConversationRecord,
  /** How many memories the user has now that it had stored. */
  stored_memories: number,
  /** How many memories the user has no more since it had erased them. */
  erased_memories: number,
};

/** A run of a program. */
export type KeptProgram = { run: RunId,
  /** How many calls of models it has. */
  calls: number,
  /** What was observed and is not in the run, and what the draft does otherwise. */
  notes: Array<string>,
  /** The first draft of a flow that does the same. */
  flow: Flow,
};

/** Where stored keys are kept. */
export type KeyLocation = {
  /** `keychain` or `file`; absent if keys can't be stored. */
  source?: KeySource,
  /** The path of the encrypted file, whether it exists or not. */
  file?: string,
  /** Whether the file is encrypted with a passphrase rather than with a key file. */
  passphrase: boolean,
};

/** How long a key is kept. */
export type KeyRetention = "stored" | "session";

/** Where a key comes from. */
export type KeySource = "session" | "keychain" | "file" | "environment";

/** Where the key of a provider comes from. Never the key itself. */
export type KeyStatus = {
  /** Where it is stored; absent when there is none. */
  source?: KeySource,
  /** Its last four characters, to tell keys apart. Absent for short keys. */
  ending?: string,
  /** The environment variable that holds it. */
  variable?: string,
  /** The provider that it was set for, if that is another one. */
  setFor?: string,
  /** Why it cannot be read. */
  problem?: Fault,
  /** The address that the key or variable belonged to, if it was removed because the base URL changed to another host. The
   * person has to enter the key again.
   */
  removedWith?: string,
};

/** A knowledge base, as a flow names it. */
export type KnowledgeRef = { "base": string } | { "folder": string
};

/** Something that a prompt does not have. */
export type LeftOut = { "kind": "history", count: number,
  /** Their tokens, if the journal still has them. */
  tokens?: number,
  /** The messages, if the journal still has them. */
  messages?: Array<SentMessage>, } | { "kind": "turns", reason: OmissionReason, count: number, } | { "kind": "block", block: BlockKind, cut: BlockCut,
};

/** A passage that was found and is not used. */
export type LeftOutChunk = {
  /** Why. */
  reason: LeftOutReason,
  /** The knowledge base: its name, or `./` and the folder beside the flow. */
  base: string,
  /** The file, relative to the folder of the base, with `/` between its parts. */
  source: string,
  /** Where it begins in the text of the file, in bytes. */
  offset: number,
  /** Its length in bytes. */
  length: number,
  /** The line on which it begins, from 1, in the text of the file. */
  line: number,
  /** The headings above it, outermost first, joined by " › ". Empty without any. */
  heading?: string,
  /** How well it fits, compared with the others of the same retrieval. Higher is better. */
  score: number,
  /** What ranked it. */
  matched: Match,
  /** Its tokens in a prompt. Of one that is left out, they may be those of its text alone: then these did not fit. */
  tokens: number,
};

/** Why a passage is not used. */
export type LeftOutReason = { "kind": "cap",
  /** The tokens that were left. */
  room: number, } | { "kind": "duplicate",
  /** The number of that passage, from 1. */
  of: number,
};

/** One model call of a run. */
export type LensCall = { node: NodeId, epoch: Epoch,
  /** Which of the activation's calls, from 0. */
  call: number,
  /** Where its prompt is in the journal. */
  seq: number,
  /** What it is for, if not for the reply of the node. */
  purpose?: PromptPurpose,
  /** The request of a tool that it serves. */
  sampling?: SamplingRef, provider: string, model: string, badges: Array<PromptBadge>,
  /** The messages as sent, in order. */
  messages: Array<SentMessage>,
  /** The names of the tools offered. */
  tools: Array<string>, settings?: RequestSettings,
  /** How the prompt divides the window. */
  shares: Array<PromptShare>,
  /** The estimated tokens of the whole prompt. */
  tokens: number, window: number, reserve: number,
  /** What was left out, and why. */
  leftOut: Array<LeftOut>,
  /** What its activation did less well than asked. */
  notices?: Array<Fault>,
  /** In milliseconds since the Unix epoch. */
  startedAt: number,
  /** In milliseconds since the Unix epoch. */
  endedAt?: number, reply?: ReplyView,
  /** The usage of the call. It costs nothing if it is reused. */
  usage?: TokenUsage,
  /** Whether the usage is Plait's own count. */
  estimated?: boolean,
  /** In billionths of a US dollar; absent if the price is unknown. */
  costNanoUsd?: number,
  /** The event of an earlier run that the reply is taken from. */
  reused?: EventRef,
};

/** Bounds on a node's execution. */
export type Limits = {
  /** The maximum number of iterations of the innermost cycle that contains the node, at least 1. Of several bounds on
   * one cycle, the lowest holds.
   */
  maxEpochs?: number,
  /** The maximum duration of one execution, in milliseconds; then it fails with `node.timeout`. */
  timeoutMs?: number,
  /** What its model calls may use in a run; those of a loop's body, each time the loop runs. */
  quota?: Quota,
};

/** How sure it is that a step leads to the source of the text before it. */
export type LineageCertainty = "copied" | "sameText" | "computed";

/** The way of a text, as far as it is clear, and where it may go on. */
export type LineageChain = {
  /** The selected text, then every step that follows without a choice. */
  steps: Array<LineageStep>,
  /** The steps after the last one, if there are several, or if the only one was computed. */
  choices: Array<LineageStep>,
  /** Whether there are more than are listed. */
  more?: boolean,
};

/** Which way a text is followed. */
export type LineageDirection = "from" | "to";

/** Where a text began. */
export type LineageSource = { "kind": "flow", node: NodeId, setting?: string, } | { "kind": "trial", node: NodeId, setting: string, } | { "kind": "file", path: string,
  /** The line on which the text begins, from 1. */
  line: number, } | { "kind": "url", url: string, } | { "kind": "passage", base: string,
  /** The file, relative to the folder of the base. */
  document: string,
  /** The line on which the text begins, from 1. */
  line: number, } | { "kind": "answer", question: string, } | { "kind": "runInput" } | { "kind": "changed" } | { "kind": "pin", node: NodeId,
  /** The run that the pinned values were taken from. Without one, a person typed them. */
  run?: RunId, } | { "kind": "memory", id: string, } | { "kind": "conversation", conversation: string, } | { "kind": "origin", origin: string, } | { "kind": "engine" } | { "kind": "unknown"
};

/** A place in a run. The text of a value is the value itself if it is a text, and compact JSON otherwise. */
export type LineageSpot = { "kind": "output", node: NodeId, epoch: Epoch, port: PortName, } | { "kind": "input", node: NodeId, epoch: Epoch, port: PortName,
  /** Which of the values of an input that takes several, from 0. */
  index: number, } | { "kind": "message", node: NodeId, epoch: Epoch,
  /** Which of the activation's model calls, from 0. */
  call: number,
  /** Which message, from 0. */
  message: number, } | { "kind": "reply", node: NodeId, epoch: Epoch, call: number, } | { "kind": "toolResult", node: NodeId, epoch: Epoch,
  /** Which of the activation's tool calls, from 0. */
  tool: number, } | { "kind": "toolArguments", node: NodeId, epoch: Epoch, tool: number, } | { "kind": "answer", node: NodeId, epoch: Epoch,
  /** Which of the activation's questions, from 0. */
  question: number, } | { "kind": "runInput" } | { "kind": "set", node: NodeId, port: PortName,
};

/** A part of a text at a place. */
export type LineageStep = { range: TextRange,
  /** The text there; the beginning of a long one. */
  text: string,
  /** Where the event that gave it to the place stands in the journal of the run. */
  seq?: number,
  /** How sure it is that this step belongs to the one before it. */
  certainty: LineageCertainty,
  /** Where the text began, if it began here. */
  source?: LineageSource, run: RunId, spot: LineageSpot,
};

/** `autosave.list`: all drafts with unsaved changes, latest first. */
export type ListAutosaves = Record<string, never>;

/** A loop over a list whose items are not the same in both runs. Items are counted from 0. */
export type ListComparison = { path?: Array<NodeId>,
  /** The loop in the second run. */
  at: Activation,
  /** Items that only the second run has, by their places in it. */
  inserted: Array<number>,
  /** Items that only the first run has, by their places in it. */
  removed: Array<number>,
  /** Items that both runs have, but in another order, by their places in the second run. */
  moved: Array<number>,
  /** Items that stand for each other though they differ, by their places in the second run. */
  changed: Array<number>, unchanged: number,
};

/** `conversations.list`: a user's conversations, last changed first. `user.unknown`. */
export type ListConversations = {
  /** The user; the current one when left out. */
  user?: UserName,
  /** Only conversations of this flow. */
  flow?: ConversationFlow,
  /** Only conversations whose title or messages contain all of these words. */
  search?: string,
  /** The maximum number of conversations; all when left out. */
  limit?: number,
};

/** `flow.examples`: the example flows, simplest first. */
export type ListExamples = Record<string, never>;

/** `hosts.list`: the hosts of other machines that this one works with, by name. `hosts.unreadable`. */
export type ListHosts = Record<string, never>;

/** `knowledge.list`: the knowledge bases, by name, and how far those that are being indexed have come. */
export type ListKnowledge = Record<string, never>;

/** `mcp.list`: the servers and what they do now, by name. */
export type ListMcpServers = Record<string, never>;

/** `memories.list`: a user's memories: the newest first or, for a search, the best first. `user.unknown`. */
export type ListMemories = {
  /** The user; the current one when left out. */
  user?: UserName,
  /** Only memories of these kinds; of all kinds when left out. */
  kinds?: Array<MemoryKind>,
  /** Only memories with a word of this text. */
  search?: string,
  /** The maximum number of memories; all when left out. */
  limit?: number,
};

/** `conversations.messages`: a page of messages, oldest first. */
export type ListMessages = { conversation: ConversationId,
  /** The first message of the page; the oldest when left out. */
  from?: number,
  /** The maximum number of messages; 200 when left out. */
  limit?: number,
};

/** `provider.models`: the models that a provider offers. The list is cached until the settings or the key of the provider
 * change. `provider.timeout` after 20 s, and the errors of the provider.
 */
export type ListModels = { provider: string,
  /** Ignore the cache. */
  refresh?: boolean,
};

/** `flow.nearby`: the flow and pipeline files in the folders of the recent flows, by path; not in folders below them. At most
 * 500.
 */
export type ListNearbyFlows = Record<string, never>;

/** `nodes.list`: every node type, in the order of the palette. */
export type ListNodes = Record<string, never>;

/** `provider.presets`: ready-made settings for servers that speak a known protocol. */
export type ListPresets = Record<string, never>;

/** `lens.list`: the runs of a user with model calls, newest first. `user.unknown`. */
export type ListPrompts = {
  /** The user; the current one when left out. */
  user?: UserName,
  /** The maximum number of runs; all when left out. */
  limit?: number,
};

/** `proposal.list`: the proposed edits that nobody has decided on, the latest first. */
export type ListProposals = {
  /** Only those of this flow file. */
  path?: string,
};

/** `published.list`: the flows that are served. */
export type ListPublished = Record<string, never>;

/** `published.versions`: the versions of a flow, the oldest first. `published.unknown`. */
export type ListPublishedVersions = {
  /** The name under which the flow is published. */
  name: string,
};

/** `flow.recent`: the recent flows, latest first. */
export type ListRecent = Record<string, never>;

/** `runs.list`: the runs of a user that are no child runs, newest first; or the child runs of `parent`, in the order they
 * started. `user.unknown`.
 */
export type ListRuns = {
  /** The user; the current one when left out. */
  user?: UserName,
  /** Only runs of this flow file. */
  flowPath?: string,
  /** Only child runs of this run. */
  parent?: RunId,
  /** The maximum number of runs; all when left out. */
  limit?: number,
};

/** `templates.list`: the templates, by name. */
export type ListTemplates = Record<string, never>;

/** `tools.list`: Plait's own tools, sorted by name. Starts nothing. */
export type ListTools = Record<string, never>;

/** `lens.turns`: the conversations of the loops of a run. `run.unknown`. */
export type ListTurns = { run: RunId,
  /** Also of loops that have ended. */
  ended?: boolean,
};

/** `users.list`: the users, and which of them is the current one. */
export type ListUsers = Record<string, never>;

/** `flow.versions`: the flows that the current user's runs of a file executed, each once, the one that ran last first. A
 * version whose document is damaged is left out.
 */
export type ListVersions = {
  /** The flow's file. */
  path: string,
  /** The maximum number of versions; 50 when left out. */
  limit?: number,
};

export type ListedHost = { name: string,
  /** Where it is. */
  url: string,
};

/** A part of the world that is asked again. */
export type LivePart = "all" | { "node": NodeId } | { "type": string } | { "tool": string
};

/** What a prompt has of the conversation of a loop. */
export type LoopConversationRecord = { node: NodeId,
  /** Its iteration outside. */
  epoch: Epoch, strategy: HistoryStrategy,
  /** The most tokens of turns, if they are bounded. */
  maxTokens?: number,
  /** The most turns, if they are bounded. */
  maxTurns?: number,
  /** The tokens that the model's window had left for turns. */
  room?: number,
  /** How many turns were sent, the summary included. */
  sent: number,
  /** Their tokens. */
  tokens: number, leftOut?: Array<OmittedTurns>,
  /** The iteration that wrote the summary, if one was sent. */
  summary?: Epoch,
  /** What did not go as the settings say: a summary that was not written, a template that was not used. */
  notices?: Array<Fault>,
};

/** A turn of a loop's conversation. */
export type LoopTurnView = { id: MessageId, role: Role,
  /** The node that said it. */
  node: NodeId,
  /** Its iteration. */
  epoch: Epoch, text: string, tokens: number,
  /** Whether no bound leaves it out. */
  pinned: boolean,
};

/** A loop with a conversation, and what was said in it. */
export type LoopTurnsView = { node: NodeId,
  /** Its iteration outside. */
  epoch: Epoch,
  /** What was said, oldest first. */
  turns: Array<LoopTurnView>,
  /** Whether neither the loop nor the run has ended. */
  isOpen: boolean,
};

/** A cycle that has gone round. */
export type LoopView = {
  /** The epoch that opened last. */
  epoch: Epoch,
  /** How often a further epoch opened. */
  iterations: number,
  /** The bound that stopped it, if one did. */
  exhausted?: number,
  /** Whether that bound counts only iterations in a row in which nobody was asked. */
  unattended?: boolean,
};

/** What a person thinks of a result: `"pass"`, `"fail"` or a number. */
export type Mark = GradeVerdict | number;

/** What ranked a passage. */
export type Match = "words" | "meaning" | "both";

/** An output of a node, or its error. */
export type MatrixRow = {
  /** The nodes whose sub-flows lead to it, from the outermost. */
  path?: Array<NodeId>, node: NodeId,
  /** Nothing for the row of the node's error. */
  port?: PortName,
  /** The different values, in the order of the runs: texts as they are, all else as JSON; a list of a node that ran several times. Cut
   * after 4,000 characters.
   */
  values: Array<string>,
  /** For each run, the place of its value in `values`; nothing where it has none. */
  cells: (number | null)[],
  /** Whether not all runs have the same. */
  varies: boolean,
};

/** A column. */
export type MatrixRun = { run: RunId, status: RunStatus,
  /** What it and the runs below it used. */
  tokens: TokenUsage, cost: Cost,
  /** In milliseconds, without stops of a debugger and waits for a person. Nothing if it has not ended. */
  durationMs?: number,
};

/** An MCP server of the person. */
export type McpEntry = {
  /** How it is reached. */
  transport: McpTransport,
  /** Whether its tools receive what they may know of the conversation, in `_meta`. */
  sendContext?: boolean,
};

/** What adding servers did. */
export type McpImport = {
  /** The names of the servers, as they were added. */
  added: Array<string>,
  /** Variables and headers whose values went to the key store, as `SERVER: NAME`. */
  secrets: Array<string>,
  /** Settings of other clients that have no meaning here, as `SERVER: NAME`. */
  ignored: Array<string>,
};

/** A line of a server's log. */
export type McpLogLine = {
  /** In milliseconds since the Unix epoch. */
  at: number, origin: McpLogOrigin, text: string,
};

/** Who wrote a line of a server's log. */
export type McpLogOrigin = "stderr" | "stdout" | "message" | "plait";

/** The tools of a server that were accepted. A tool with another definition cannot be used. */
export type McpPin = {
  /** How many there are. */
  tools: number,
  /** The hash of their definitions. */
  definitions: string,
  /** When they were accepted, in milliseconds since the Unix epoch. Early versions did not store it. */
  at?: number,
  /** Whether they were accepted as the server had them at its first connection. Otherwise the person accepted a change. */
  asFirstSeen: boolean,
};

/** A prompt of an MCP server. */
export type McpPrompt = { name: string, description: string,
  /** The names of its arguments. */
  arguments: Array<string>,
};

/** A resource of an MCP server, or a template of some. */
export type McpResource = {
  /** Its URI, or the template of them. */
  uri: string, name: string, description: string, isTemplate: boolean,
};

export type McpResourceContent = { contents: unknown,
};

/** What an MCP server offers. */
export type McpServerDetails = { status: McpServerStatus,
  /** The name that the server gives itself, with its version. */
  title: string,
  /** The version of the protocol. */
  protocol: string,
  /** What the server says about its use. Models do not receive it. */
  instructions?: string, tools: Array<McpTool>, resources: Array<McpResource>, prompts: Array<McpPrompt>,
};

/** What an MCP server does now. */
export type McpServerPhase = "idle" | "starting" | "connected" | "ended" | "failed";

/** An MCP server and what it does now. */
export type McpServerStatus = { name: string, entry: McpEntry, phase: McpServerPhase,
  /** How long it has been starting, if it is. */
  startingSeconds?: number,
  /** Why it could not be started. */
  fault?: Fault,
  /** The tools that were accepted. Absent if it never connected. */
  pin?: McpPin,
  /** How its tools differ from the accepted ones, if the person has to look at it. */
  changes?: McpToolChanges,
};

/** A tool as its server defines it. */
export type McpTool = { name: string, description: string,
  /** The JSON Schema of its arguments. */
  parameters: unknown,
  /** Whether the server says that it changes nothing. */
  readOnly: boolean,
  /** Why it is not offered, if it is invalid. */
  problem?: string,
};

/** A tool whose definition changed. */
export type McpToolChange = { accepted: McpTool, current: McpTool,
};

/** How the tools of a server differ from the accepted ones. */
export type McpToolChanges = {
  /** Identifies the server's definitions. Accepting names it, so that what is accepted is what was shown. */
  definitions: string, added: Array<McpTool>, changed: Array<McpToolChange>,
  /** The names of tools that are gone. */
  removed: Array<string>,
};

/** How an MCP server is reached. */
export type McpTransport = { "type": "stdio", command: string, args: Array<string>,
  /** The variables that it gets besides `PATH`, `HOME` and the like. */
  env: { [key in string]: McpValue },
  /** Its working directory. If empty, that of Plait. */
  cwd?: string, } | { "type": "http", url: string, headers: { [key in string]: McpValue },
};

/** The value of a variable or a header. */
export type McpValue = { "text": string } | "secret";

/** One activation's change of the memory. */
export type MemoryChange = {
  /** The turns that were added, in order. */
  turns: Array<MemoryTurn>,
  /** The new summary, which replaces the one before. */
  summary?: MemorySummary,
  /** How many of the oldest turns left the memory, the added ones included: they are part of the summary, or were
   * forgotten if there is none.
   */
  dropped?: number,
  /** Why no summary was written, although turns had left the recent ones. */
  error?: Fault,
};

/** What a memory says. */
export type MemoryContent = { kind: MemoryKind,
  /** The statement of a fact, the summary of an episode, or the name of a procedure. */
  text: string,
  /** The steps of a procedure, in order. */
  steps?: Array<string>,
};

/** A memory of a user: 32 hexadecimal digits. One that a run stores has an id that follows from its place in the run. */
export type MemoryId = string;

/** What kind of knowledge a memory is. */
export type MemoryKind = "fact" | "episode" | "procedure";

/** What a node may do with the workflow's memory. */
export type MemoryMode = "off" | "read" | "readWrite";

/** Memories of a user. */
export type MemoryPage = { user: UserName, memories: Array<MemoryRecord>,
  /** How many memories were found, these included. */
  found: number,
  /** How many memories the user has, by kind. */
  counts: Partial<Record<MemoryKind, number>>,
  /** What cannot be read of the file, if it is damaged. */
  damage?: string,
  /** What forked runs changed for themselves alone, the oldest first. */
  branches: Array<ForkedMemories>,
};

/** A memory of a user. */
export type MemoryRecord = { id: MemoryId,
  /** When it was stored, in milliseconds since the Unix epoch. */
  at: number,
  /** When a person changed it last, likewise. */
  editedAt?: number, source: MemorySource,
  /** Where its text comes from. A recall takes that over. */
  origins?: Origins, kind: MemoryKind,
  /** The statement of a fact, the summary of an episode, or the name of a procedure. */
  text: string,
  /** The steps of a procedure, in order. */
  steps?: Array<string>,
};

/** The memory of a flow. */
export type MemorySettings = {
  /** What the model nodes of the flow may do with the memory unless they say otherwise. */
  mode?: MemoryMode,
  /** How many turns are kept verbatim. Older ones are summarized. */
  recentTurns?: number,
  /** The model that summarizes older turns. If empty, the model of the context that the speaking node works in. */
  summarizer?: SummarizerSettings,
};

/** Where a memory comes from. Empty for one that a person wrote. */
export type MemorySource = {
  /** The flow's name. */
  flow?: string, run?: RunId, node?: NodeId,
};

/** The workflow's memory as it stands. */
export type MemoryState = {
  /** The activation that changed it last. Absent if the run has only what its conversation remembers. */
  changedBy?: Activation,
  /** When it last changed. */
  changedAt: number,
  /** Why the latest change could not summarize the turns that are no longer recent. */
  error?: Fault,
  /** The summary of the turns before `turns`. */
  summary?: MemorySummary,
  /** The turns that are not part of the summary, oldest first. More than the recent ones only while no summary succeeds. */
  turns?: Array<MemoryTurn>,
};

/** A summary of the turns before the recent ones. */
export type MemorySummary = { text: string,
  /** Where it comes from. */
  origins?: Origins,
  /** Its size in tokens, counted once when it was written. */
  tokens: number,
};

/** Something that was said in a run. */
export type MemoryTurn = {
  /** Who says it, as the speaker's settings or a tool call have it. If empty, readers see a default label. */
  label?: string, text: string,
  /** The node that said it, if that is known. */
  node?: NodeId,
  /** The message that it is, if it is one of a context of this run. */
  message?: MessageId,
  /** Where it comes from. */
  origins?: Origins,
  /** The size of its text in tokens, counted once when it was added. */
  tokens: number,
};

/** One message of a context's history. Immutable; shared, never copied. */
export type Message = {
  /** Unique in the run. */
  id: MessageId,
  /** Who speaks. */
  role: Role, content: Content,
  /** The model's reasoning, if it reported any. */
  reasoning?: string,
  /** The tool calls of an assistant message. */
  toolCalls?: Array<ToolCall>,
  /** For the result of a tool: the id of its call. */
  toolCallId?: string,
  /** For an assistant message within a turn: data of its provider that must be sent back verbatim with it (signed or
   * encrypted reasoning). An object whose only key names the protocol; other protocols ignore it.
   */
  providerState?: unknown,
  /** The message that it repeats: what a node said in another context. */
  repeats?: MessageId,
  /** Whether its end is missing: the reply reached a limit of tokens. */
  truncated?: boolean,
  /** For the result of a tool: whether the call failed. */
  isError?: boolean,
  /** The activation that wrote it. */
  author: Activation,
  /** Where it comes from. */
  origins?: Origins,
  /** Its size in tokens, counted once when it was created. */
  tokens: number,
};

/** What a person wants of a message. */
export type MessageEdit = { message: MessageId,
  /** What it says from now on. Without a text, it is removed. */
  text?: string,
};

/** A message of a context. Derived from run, node, epoch and position, so that a resumed run gives the same ids. */
export type MessageId = string;

/** What a message of a prompt is. */
export type MessagePart = "system" | "history" | "conversation" | "question" | "step" | "missing";

export type MessagesPage = {
  /** The current state of the conversation. */
  conversation: ConversationRecord, messages: Array<ConversationMessage>,
  /** The first message of the next page, if there is one. */
  next?: number,
};

/** What happens where nothing is recorded. */
export type Misses = "live" | "ask" | "fail";

export type ModelCallView = {
  /** Which model call of this activation, from 0. */
  step: number,
  /** The request of a tool that it serves, if it serves one. The step is that of the tool call then. */
  sampling?: SamplingRef,
  /** When it was made. */
  startedAt: number,
  /** What was sent. */
  prompt?: PromptRecord,
  /** When the model had answered. */
  endedAt?: number,
  /** What it answered. */
  reply?: ModelReply,
  /** What it comes to. */
  account?: CallAccount,
  /** Where the reply comes from. */
  origins?: Origins,
  /** The event of an earlier run that the reply is taken from. */
  reused?: EventRef,
};

/** The models of a provider. */
export type ModelList = {
  /** Their names, sorted; empty when the provider cannot list them. */
  models: Array<string>,
};

/** The settings of one model. */
export type ModelOverride = {
  /** Its window in tokens, in place of the table's. */
  contextWindow?: number,
  /** Its price, in place of the table's. */
  price?: Price,
  /** Whether it takes a single prompt, and no messages before it: the history of a loop is then written as text. */
  promptOnly?: boolean,
};

/** Settings and calibrations of models, by `provider/model` or, for every provider, `model`. */
export type ModelOverrides = {
  /** The settings. */
  notes?: { [key in string]: ModelOverride },
  /** Calibrations of token counts from earlier runs, by `provider/model`. */
  corrections?: { [key in string]: Correction },
  /** In journals of earlier versions, the summarizer of the settings; `config` of the run has it since. */
  summarizer?: SummarizerSettings,
};

/** A complete reply. */
export type ModelReply = { text: string,
  /** The images and files of the reply, in order. */
  attachments?: Array<Attachment>,
  /** The reasoning, if the provider reports it. */
  reasoning?: string,
  /** The tool calls, in order. */
  toolCalls?: Array<ToolCall>,
  /** Why it stopped. */
  stopReason: StopReason,
  /** The usage that the provider reports. */
  usage?: TokenUsage,
  /** The provider's id of this reply, if it has one. */
  responseId?: string,
  /** Data that must be sent back with this reply during the turn; see [`Message`](crate::context::Message). */
  providerState?: unknown,
};

/** `run.move`: goes on with a run that waits under an edited flow: as a fork, which takes over all that is asked as before. The run
 * itself is canceled once the fork has begun. What the fork says belongs to no conversation. `run.not_waiting` if it does
 * not wait, else as `run.rerun`.
 */
export type MoveRun = RerunRequest;

/** Something that a flow needs a person to allow. */
export type Need = {
  /** What it is, as a rule names it. */
  target: GrantPattern, kind: GrantKind,
  /** Whether something is changed there. */
  write: boolean,
  /** What stands behind the name, such as the command line of an MCP server. */
  seen?: string,
  /** The hash of all that the flow needs, as its nodes say it. It does not change with what is known of a server. */
  needsHash?: string,
  /** Who needs it and what for; the first 50. */
  uses: Array<NeedUse>,
};

/** Whether a person has decided about a need. */
export type NeedState = "decided" | "changed" | "new";

/** A need, and what was decided about it. */
export type NeedStatus = { need: Need, state: NeedState,
  /** The rule that is about it; for one that changed, the rule about what it was before. */
  rule?: GrantRule,
};

/** Why something is needed. */
export type NeedUse = {
  /** The node. `None` for what the flow's settings declare. */
  node?: NodeId,
  /** What people call the node. */
  title?: string,
  /** The name of the sub-flow that it is in. */
  flow?: string,
  /** What for: `GET`, `read`, or the name of a tool. */
  what: string,
};

/** `flow.new`: an empty flow of the current version. */
export type NewFlow = Record<string, never>;

/** A node of a flow. */
export type Node = {
  /** The name of the node type, for example `chat`. */
  type: string,
  /** The title that people see; without one, the title of the node type. */
  title?: string,
  /** The loop whose body it is in. Nothing outside of all loops. */
  parent?: NodeId,
  /** The configuration, described by the node type's schema. */
  config?: Record<string, unknown>, limits?: Limits,
  /** How to retry after a failure that a retry could fix. */
  retry?: RetryPolicy,
  /** Whether runs pass over it, as if it were not there: its outputs give what its inputs get. With a loop, its body is
   * disabled.
   */
  disabled?: boolean,
  /** What it delivers in place of being executed. Of a loop or a sub-flow, nothing inside runs. */
  pin?: Pin,
  /** Whether it is one of several ways into the flow. A run takes one, and passes over the nodes that only others reach. */
  trigger?: Trigger,
  /** What its import made different from the original, until a person confirms it. A flow with any cannot run. */
  unconfirmed?: Array<Unconfirmed>,
};

/** A node that comes after a missing value. */
export type NodeBehind = {
  /** The nodes that lead to the sub-flow it is in, as `a/b`, if it is in one. */
  subflow?: string, node: NodeId,
  /** In billionths of a US dollar. Absent if there is no upper bound. */
  atMostNanoUsd?: number,
  /** Why there is no upper bound, if there is none. */
  unknown?: UnknownReason,
};

/** A node in both runs, or in the one that has it. */
export type NodeComparison = {
  /** The `subflow` nodes that lead to it, the outermost first, with their ids in the second run. */
  path?: Array<NodeId>, mark: NodeMark,
  /** The place of the first of its differences in `differences`. */
  difference?: number,
  /** What it did in the first run; nothing if only the second one reached it. */
  before?: NodeTotals,
  /** What it did in the second run; nothing if only the first one reached it. */
  after?: NodeTotals,
};

/** A config of a node. */
export type NodeConfig = { config: Record<string, unknown>,
};

/** How many nodes show each state. */
export type NodeCounts = {
  /** Wait for a place. */
  ready: number,
  /** Work. */
  running: number,
  /** Wait for a person. */
  paused: number,
  /** Wait for another try. */
  retrying: number,
  /** Succeeded. */
  done: number,
  /** Did not run. */
  skipped: number, failed: number,
  /** Succeeded with what an earlier execution gave. */
  cached: number,
};

/** The description of a node type. */
export type NodeDescriptor = {
  /** Its name in flow files, for example `userInput`. */
  type: string,
  /** Alternative names in flow files. */
  aliases?: Array<string>,
  /** Its name in the UI. */
  title: string,
  /** One line for the palette. */
  summary: string,
  /** What it does, in Markdown, for the help. */
  description: string,
  /** The palette's section. */
  category: Category,
  /** Its lucide icon, in kebab case. */
  icon: string,
  /** The one-line summary on a node's card. */
  card: Card,
  /** How the editor treats its nodes, beyond what their ports say. */
  editor: EditorTraits,
  /** More search terms. */
  terms: Array<string>,
  /** JSON Schema of its config. The inspector's form is drawn from it. */
  configSchema: Record<string, unknown>,
  /** Its ports with its default config. */
  ports: Ports,
  /** Runnable examples. */
  examples: Array<Example>,
};

/** The forecast of a model node. */
export type NodeForecast = { node: NodeId, provider: string, model: string, window: number,
  /** What is kept for the reply. */
  reserve: number, outlook: Outlook,
  /** The tokens that an iteration adds in the end. */
  growth: number,
  /** The first prompts, one for each execution. */
  points: Array<PromptPoint>,
  /** The size of a reply. Absent if no prompt fits. */
  reply?: SizeEstimate, executions: Executions,
  /** The iterations of the outermost loop or cycle around it at most, if there is one and something bounds it. */
  iterationLimit?: number,
  /** What a call costs on average, with a reply of the expected size, in billionths of a US dollar. Absent if the price is unknown. */
  nanoUsdPerCall?: number,
  /** What all its calls cost at most. Absent if that is unknown. */
  atMostNanoUsd?: number,
};

/** A node of a flow; stable across edits. */
export type NodeId = string;

/** How the differences of a node relate to those of other nodes. Of several, the first in this order counts. */
export type NodeMark = "first" | "own" | "follows" | "same";

/** What a node, or one activation of it, is doing. */
export type NodeState = "ready" | "running" | "paused" | "retrying" | "done" | "skipped" | "failed" | "cached";

/** Sums over the activations of a node. */
export type NodeTotals = {
  /** The run that has it: that of a sub-flow may be another one than the run that is compared. */
  run: RunId, node: NodeId,
  /** How many activations it has, skipped ones included. */
  steps: number, tokens: TokenUsage, cost: Cost,
  /** From the start to the end of each activation, added up, in milliseconds; waits for a person included. Nothing if none has ended. */
  durationMs?: number,
};

/** A node of a run. */
export type NodeView = {
  /** The state it shows: that of its latest activation that was not skipped; skipped if all were. */
  state: NodeState,
  /** The epoch of that activation. */
  epoch: Epoch,
  /** All its activations, by epoch. */
  epochs: Array<EpochView>,
};

/** Why turns of a conversation were not sent. */
export type OmissionReason = "maxTokens" | "maxTurns" | "window" | "summarized" | "ownMessage";

/** The oldest messages of the history, which were left out because they did not fit the window. */
export type Omitted = { first: MessageId, last: MessageId, count: number,
};

/** Turns of a conversation that were not sent, for one reason. */
export type OmittedTurns = { reason: OmissionReason,
  /** The position of the first, from 0. */
  first: number,
  /** How many they are. */
  count: number,
};

/** What happens to a call that would exceed a quota. It is not sent in any case. */
export type OnExceeded = "stop" | "ask" | "fallback";

/** `conversations.open`: the user's latest conversation with this flow, or a new one. `user.unknown`. */
export type OpenConversation = { flow: ConversationFlow,
  /** The user; the current one when left out. */
  user?: UserName,
  /** Always start a new conversation. */
  new?: boolean,
};

/** `dialog.open`: asks for a file. */
export type OpenDialog = {
  /** What the file is chosen for; "Open flow" when left out. */
  title?: string,
};

/** `flow.example`: an example flow. `flow.unknown_example` when there is none with this ID. */
export type OpenExample = {
  /** The ID of the example flow. */
  id: string,
};

/** `flow.open`: reads a flow file. `flow.*` with `diagnostics` when it cannot be read as a flow. */
export type OpenFlow = {
  /** The file. */
  path: string,
};

/** A question that waits for a person. */
export type OpenPause = {
  /** The node that asks. */
  node: NodeId,
  /** The iteration. */
  epoch: Epoch,
  /** The question, in Markdown. */
  prompt: string,
  /** JSON Schema of the answer. */
  schema: Record<string, unknown>,
  /** The tool call it is about, if it is about one. */
  tool?: ToolPause,
  /** Since when. */
  askedAt: number,
  /** The run and activation that ask and take the answer, where they are not this run's own. */
  asker?: Asker,
};

/** `suite.open`: reads a suite. Runs nothing. `suite.*` with the line of what is wrong. */
export type OpenSuite = {
  /** An absolute path. */
  file: string,
};

/** `templates.open`: the flow of a template. `template.unknown`; `flow.*` when it cannot be read. */
export type OpenTemplate = { id: string,
};

/** A flow file that was read. */
export type OpenedFlow = {
  /** The flow, as in the file. */
  flow: Flow,
  /** The file, as an absolute path. */
  path: string,
  /** Hash of the file's bytes. `flow.save` takes it as `baseHash`. */
  hash: string,
  /** The problems of the flow. */
  diagnostics: Array<Diagnostic>,
  /** Whether the file cannot be written. */
  readOnly: boolean,
  /** A draft with unsaved changes, if an earlier session left one. */
  recovered?: Autosave,
};

/** A suite. */
export type OpenedSuite = {
  /** The file, as an absolute path. */
  file: string,
  /** Its flow's file. */
  flow: string, cases: Array<SuiteCase>,
};

/** The places that a value comes from. Cheap to clone, and free while it is empty. */
export type Origins = Array<string>;

/** A graph of the file that is not in the flow. */
export type OtherGraph = {
  /** Its id in the file. */
  id: string,
  /** Its name in the file. */
  name: string,
  /** How many nodes it has, without those of the graphs that it calls. */
  nodes: number,
};

/** What becomes of the prompts of a node. The percentages are of the model's window, with the reserve for the reply. */
export type Outlook = { "kind": "fits", percent: number,
  /** The iteration of the largest, from 1; that of an inner loop after a dot. Absent if all have the same size. */
  iteration?: string, } | { "kind": "bounded", percent: number, } | { "kind": "overflows",
  /** The first iteration in which they do not fit. Absent outside of loops and cycles. */
  iteration?: string,
  /** Whether the call fails. Else the oldest messages are left out. */
  fails: boolean,
  /** The share of the window in the iteration before, if there is one. */
  before?: WindowShare,
};

/** An output of a node. */
export type OutputPort = { name: PortName, kind: PortKind, type: PortType,
  /** A description in one line, without a period. */
  description: string,
};

/** An output of a node. */
export type OutputRef = { node: NodeId, port: PortName,
};

/** A tool call that is made again, or for the first time. */
export type OutsideCall = { place: BillPlace, tool: string,
};

/** How replies are streamed that are taken over. */
export type Pace = "fast" | "recorded";

/** One part of a message's content. */
export type Part = { "type": "text",
  /** The text. */
  text: string, } | { "type": "attachment" } & Attachment;

/** Passes among runs, with the interval in which the true rate lies with a confidence of 95 %. */
export type PassRate = { passed: number, runs: number,
  /** The lower end of the interval, from 0 to 1. */
  low: number,
  /** The upper end. */
  high: number,
};

/** One question to a person. */
export type PauseView = {
  /** The question, in Markdown. */
  prompt: string,
  /** JSON Schema of the answer. */
  schema: Record<string, unknown>,
  /** The tool call it is about, if it is about one. */
  tool?: ToolPause,
  /** When it was asked. */
  askedAt: number,
  /** When it was answered or ended. */
  answeredAt?: number,
  /** The answer. */
  answer?: Answer,
};

/** What the person chose. */
export type PickedPath = {
  /** The file; `null` when the dialog was closed. */
  path: string | null,
};

/** Which of two texts a part is in. */
export type PieceSide = "both" | "before" | "after";

/** What a node delivers in place of being executed. */
export type Pin = {
  /** The values by output. An output that is not listed delivers nothing. A listed output that carries a context hands on the
   * context that comes in; its value is not used.
   */
  outputs: Record<string, unknown>,
  /** In loops and cycles, the values of single iterations, each by its path: the numbers of the iterations around the node,
   * outermost first, from 0, such as `2` or `0.2`. An iteration that is not listed gets the values of `outputs`.
   */
  iterations?: Record<string, Record<string, unknown>>,
  /** The run that the values were taken from. Without one, a person typed them. */
  run?: RunId,
  /** Where the values came from in that run, for example `host:example.com`. */
  origins?: Origins,
};

/** `run.pin`: pins a turn of the conversation of a loop, so that no bound leaves it out of the calls that follow, or takes the pin
 * off. `history.not_waiting` when the run does not wait for a person, `history.no_turn` when the loop has no such turn.
 */
export type PinTurn = { run: RunId,
  /** The loop. */
  node: NodeId,
  /** Its iteration outside. */
  epoch: Epoch, turn: MessageId,
  /** Whether it is to be pinned. */
  pinned: boolean,
};

/** What was done less well than asked, and where. */
export type PlacedNotice = { notice: Fault,
  /** The node. */
  node: NodeId,
  /** The iteration. */
  epoch: Epoch,
};

/** A point that an edge passes through; of an edge between nodes in a loop's body, relative to the loop's top left corner. */
export type Point = {
  /** Rightward, in canvas units. */
  x: number,
  /** Downward, in canvas units. */
  y: number,
};

/** The strand a port belongs to. An edge takes its kind from its ports. */
export type PortKind = "context" | "data" | "tools";

/** A port's name, unique among the inputs (or outputs) of its node. */
export type PortName = string;

/** The type of the values on a data port. Context and tools ports are [`PortType::Any`]. */
export type PortType = "any" | "text" | "number" | "boolean" | "list" | "object";

/** The ports of a node. They may depend on its config. */
export type Ports = {
  /** In the order in which they are drawn. */
  inputs: Array<InputPort>,
  /** In the order in which they are drawn. */
  outputs: Array<OutputPort>,
  /** Of a container: what the nodes inside feed. */
  innerInputs?: Array<InputPort>,
  /** Of a container: what feeds the nodes inside. */
  innerOutputs?: Array<OutputPort>,
};

/** The position of a node on the canvas; of a node in a loop's body, relative to the loop's top left corner. */
export type Position = {
  /** Rightward, in canvas units. */
  x: number,
  /** Downward, in canvas units. */
  y: number,
  /** The width, for nodes that can be resized (notes, loops). */
  width?: number,
  /** The height, for nodes that can be resized (notes, loops). */
  height?: number,
  /** Whether a loop is drawn as a single card, without its body. */
  folded?: boolean,
  /** The color of the card; without one, that of its context or kind alone. */
  color?: CanvasColor,
};

/** `hosts.preview`: what publishing a flow on a host would replace. `subflow.*`, `published.bad_name`, `hosts.*`, and the errors of the host. */
export type PreviewPublication = { host: string,
  /** The name to publish it under. Without one, that of its file, or its own. */
  name?: string, flow: Flow,
  /** Its file, for its sub-flows. */
  path?: string,
  /** Whether that file is on the host, which finds the sub-flows there. */
  isOnHost: boolean,
};

/** US dollars per million tokens. */
export type Price = {
  /** For prompt tokens. */
  input: number,
  /** For reply tokens, including reasoning. */
  output: number,
  /** For prompt tokens read from the provider's cache; by default the same as `input`. */
  cachedInput?: number,
  /** For prompt tokens written to the provider's cache; by default the same as `input`. */
  cacheWrite?: number,
  /** The prices of a whole call with a long prompt, by ascending length. */
  above?: Array<PriceStep>,
};

/** The price of calls with a long prompt. */
export type PriceStep = {
  /** Applies to prompts of more than this many tokens. */
  tokens: number,
  /** For prompt tokens. */
  input: number,
  /** For reply tokens, including reasoning. */
  output: number,
  /** For prompt tokens read from the provider's cache; by default the same as `input`. */
  cachedInput?: number,
  /** For prompt tokens written to the provider's cache; by default the same as `input`. */
  cacheWrite?: number,
};

/** The program that a run was observed of. Plait did not run it. */
export type ProgramRef = {
  /** The command with its arguments. Empty if the run comes from traces. */
  command?: Array<string>,
  /** Its exit code; none if the recorder ended before it, and for traces. */
  exit?: number,
  /** All that it exchanged with model servers, byte for byte. */
  exchanges?: Attachment,
  /** What was observed and is not in the run, for people. */
  notes?: Array<string>,
};

/** What stands out about a call. */
export type PromptBadge = "conversationInjected" | "historyTrimmed" | "blockCut" | "memorySummary" | "historySummary" | "sampling" | "reused" | "noReply";

/** A place where the text was found. */
export type PromptHit = {
  /** The run: the one that was asked for, or a child run. */
  run: RunId, node: NodeId, epoch: Epoch,
  /** Which of the activation's model calls, from 0. */
  call: number,
  /** Which message of the prompt, from 0; absent for the reply. */
  message?: number, role: Role,
  /** The text before the hit, the hit as it is written, and the text after it. */
  before: string, found: string, after: string,
};

/** One message of a prompt. */
export type PromptPart = { "kind": "history", first: MessageId, last: MessageId, count: number,
  /** Their tokens together. */
  tokens: number,
  /** Where they come from. */
  origins?: Origins, } | { "kind": "step",
  /** The step, from 0. */
  step: number,
  /** How many messages they are. */
  count: number,
  /** Their tokens together. */
  tokens: number,
  /** Where they come from. */
  origins?: Origins,
  /** If the reply was rejected and no tool was called: what the model received as the reason. */
  rejection?: string,
  /** The images of the tools' results that the model received, in a message after the results. */
  images?: Array<Attachment>, } | { "kind": "block", block: BlockKind, text: string, tokens: number,
  /** What its items are, in their order. */
  sources?: Array<BlockSource>,
  /** Where they come from. */
  origins?: Origins,
  /** What its cap left out, if anything. */
  cut?: BlockCut, } | { "kind": "turns",
  /** The loop. */
  node: NodeId,
  /** Its iteration outside. */
  epoch: Epoch,
  /** The iteration that wrote the summary, if it is sent. */
  summary?: Epoch,
  /** The positions of the pinned turns before `first`. */
  pinned?: Array<number>,
  /** The position of the first of the newest turns. All that were said before this iteration follow, but for `own`. */
  first: number,
  /** The turn that is not among them, since it is the user message. */
  own?: number,
  /** Those of them that were said in the iteration under way. */
  current?: Array<SentTurn>,
  /** How many messages they are. */
  count: number,
  /** The media types of the attachments that are named in the text of their turns, since the model can't take them. */
  namedMediaTypes?: Array<string>,
  /** The beginning of the user message that they are written as, for a model that takes a prompt only. */
  text?: string,
  /** Their tokens together. */
  tokens: number,
  /** Where they come from. */
  origins?: Origins, } | { "kind": "attachments", attachments: Array<Attachment>,
  /** Their tokens together. */
  tokens: number,
  /** Where they come from. */
  origins?: Origins, } | { "kind": "message", role: Role, text: string, tokens: number,
  /** Where it comes from. */
  origins?: Origins,
};

export type PromptPoint = { epoch: Epoch, tokens: number,
  /** How it divides the window, as counted. */
  shares: Array<PromptShare>,
  /** Whether the run that is going on has sent it. */
  sent?: boolean,
};

/** What a model call is for, besides the reply of a node. */
export type PromptPurpose = "memorySummary" | "sampling" | "historySummary";

export type PromptRecord = { provider: string, model: string,
  /** What the call is for, if not for the reply of the node. */
  purpose?: PromptPurpose,
  /** The messages, in order. */
  parts: Array<PromptPart>,
  /** The inputs of the node that the user message is made of: the event `node.ready` of the activation names the edge of
   * each. Instructions and history come through `context`.
   */
  messageInputs?: Array<PortName>,
  /** The messages that did not fit, if any. */
  omitted?: Omitted,
  /** What the prompt has of the conversation of a loop, if the node is in one and takes its history. */
  conversation?: LoopConversationRecord,
  /** The names of the tools offered. */
  tools?: Array<string>,
  /** The tokens of the tools' schemas. */
  toolTokens: number,
  /** The estimated tokens of the whole prompt: the sum of the counts, corrected by what the provider has reported for
   * earlier prompts.
   */
  tokens: number,
  /** The sum of the counts before correction, if the two differ. */
  counted?: number,
  /** The factor by which estimates were multiplied for caution when the history was trimmed, in thousandths: no tokenizer of
   * the model is public, and little or nothing was reported.
   */
  caution?: number,
  /** The prompt before this one, which the provider refused as too large, so that it was trimmed once more. */
  refused?: RefusedPrompt,
  /** The model's window. */
  window: number,
  /** The part of the window that is reserved: room for the reply (`maxTokens`, or by default a quarter of the window, at most
   * 16,384 tokens), and a margin of a 64th of the window.
   */
  reserve: number,
  /** What the request says besides messages and tools, where it says anything. */
  settings?: RequestSettings,
};

/** A run with model calls. */
export type PromptRun = { run: RunId,
  /** The run that started it. */
  parentRunId?: RunId, flowName: string, status: RunStatus,
  /** In milliseconds since the Unix epoch. */
  startedAt: number,
  /** How many model calls were answered. */
  calls: number, tokens: TokenUsage, cost: Cost,
};

/** The tokens of one kind of part. */
export type PromptShare = { kind: ShareKind, tokens: number,
};

/** The model calls of a run. */
export type PromptsOfRun = { run: RunId, flowName: string, status: RunStatus, calls: Array<LensCall>,
  /** What nodes without a model call did less well than asked. Others have theirs in their calls. */
  notices?: Array<PlacedNotice>,
};

/** A proposed edit, without the flow. */
export type ProposalSummary = { id: string,
  /** The file of the flow, as an absolute path. */
  path: string,
  /** The name of the edited flow. */
  name: string,
  /** What the edit is for, in the words of the agent. */
  note: string,
  /** When it was proposed, in milliseconds since the Unix epoch. */
  at: number,
};

/** `proposal.make`: keeps an edited flow for a person to decide on. The file is not changed. Secrets in the flow are replaced by labels.
 * `flow.*` if the file cannot be read, `proposal.no_change` if it holds the same flow already, `proposal.too_many`.
 */
export type ProposeFlow = {
  /** The file of the flow. */
  path: string,
  /** The edited flow. */
  flow: Flow,
  /** What the edit is for. */
  note: string,
};

/** The protocol of a provider. */
export type ProviderKind = "offline" | "openAi" | "openAiResponses" | "ollama" | "anthropic" | "gemini" | "geminiInteractions";

/** Ready-made settings of a provider. */
export type ProviderPreset = {
  /** The usual name of the provider. */
  name: string,
  /** Its name for people. */
  title: string,
  /** Its settings. In the base URL, words in capitals are to be replaced. */
  settings: ProviderSettings,
  /** What a person has to know. */
  note?: string,
  /** The page of the vendor's documentation that it is taken from. */
  source: string,
  /** Further pages, by the setting that they explain. */
  sources?: { [key in string]: string },
};

/** One provider's settings. */
export type ProviderSettings = { kind: ProviderKind,
  /** The base URL: for chat completions and Responses including `/v1`, otherwise without a version. Not for the simulator. */
  baseUrl?: string,
  /** The environment variable that holds the key, if the provider takes one. In a comma-separated list, the first that is
   * set.
   */
  keyEnv?: string,
  /** The provider whose key is used while this one has none of its own, if both have the same scheme, host and port. */
  keyOf?: string,
  /** The header that carries the key, in place of the protocol's. In `authorization` the key follows `Bearer`. */
  keyHeader?: string,
  /** Parameters in the query of every request, such as Azure's `api-version`. */
  query?: { [key in string]: string },
  /** How its chat completions differ from OpenAI's (`openAi` only). */
  quirks?: ChatQuirks,
  /** Whether a text's beginning between `<think>` tags becomes the reasoning of the reply; on by default. */
  reasoningTags?: boolean,
  /** Timeout for connecting, in milliseconds; 10 seconds by default. */
  connectTimeoutMs?: number,
  /** Timeout for the start of the response, in milliseconds; 5 minutes by default (local models load on the first call). */
  headerTimeoutMs?: number,
  /** Timeout between two chunks of the response, in milliseconds; 5 minutes by default (some models think for long). */
  readTimeoutMs?: number,
  /** Whether the provider may store conversations (Responses and Interactions only), so that less has to be sent; off by
   * default. A call's own `session` option takes precedence.
   */
  sessions?: boolean,
};

export type ProviderStatus = { name: string,
  /** Its settings in force. */
  settings: ProviderSettings,
  /** Whether it is always present. */
  builtIn: boolean,
  /** Whether it is built in and its settings were changed. */
  changed: boolean,
  /** Whether it accepts a key. */
  takesKey: boolean,
  /** Whether it requires a key. */
  needsKey: boolean, key: KeyStatus,
};

/** The status of all providers. */
export type ProvidersStatus = {
  /** By name, sorted. */
  providers: Array<ProviderStatus>,
  /** Where permanent keys are stored. */
  keyPlace: KeyLocation,
};

/** A flow as it would be published, and what is served under its name. */
export type PublicationPreview = { name: string,
  /** The flow with its sub-flows. */
  flow: Flow,
  /** Nothing if the name is new there. */
  served: VersionedFlow | null,
  /** From what is served to the flow. */
  difference: FlowDiff | null,
};

/** `published.publish`: checks a flow of the host's folder and serves it with its sub-flows as a new version. `flow.invalid`,
 * `published.bad_name`, `host.path`.
 */
export type PublishFlow = { name: string,
  /** The file of the flow, in the folder with the flows of the host. */
  path: string,
};

/** `hosts.publish`: sends a flow with its sub-flows to a host, which serves it as the next version under a name. `flow.invalid` if the host
 * cannot run it, `host.forbidden`, and the errors of `hosts.preview`.
 */
export type PublishOnHost = { host: string,
  /** The name to publish it under. */
  name: string, flow: Flow,
  /** Its file, for its sub-flows. */
  path?: string,
};

/** A flow that is served. */
export type PublishedFlow = { name: string,
  /** The name and the description in the flow. */
  title: string, description: string,
  /** Whether it has a context `main`, so that it can go on with a conversation. */
  isChat: boolean,
  /** Whether its runs take a text. */
  takesInput: boolean,
  /** When it begins by itself. */
  schedule?: Schedule,
  /** Counts from 1. */
  version: number,
  /** When it was published. */
  at: string,
  /** The name of the token that published it, or `terminal`. */
  by: string,
  /** The file of the flow: its grants hold for the runs, and tools may read in its folder. */
  path?: string,
};

/** What lists say of a version. */
export type PublishedVersion = {
  /** Counts from 1. */
  version: number,
  /** When it was published. */
  at: string,
  /** The name of the token that published it, or `terminal`. */
  by: string,
  /** The file of the flow: its grants hold for the runs, and tools may read in its folder. */
  path?: string,
};

/** `hosts.pull`: copies a run of a host, with the runs below it, to this machine, where it is looked at, debugged, forked and continued
 * apart from that of the host. `run.exists` if it is here already, `run.unknown`, `run.busy`, `run.in_conversation`, `hosts.*`.
 */
export type PullRun = { host: string, run: RunId,
};

export type PulledRun = {
  /** The run at the root of the tree, which has the same id here. */
  run: RunId,
};

/** `autosave.put`: stores a draft, in place of the one with the same key. Secrets in it are replaced by labels. */
export type PutAutosave = {
  /** The editor's key for it. */
  key: string,
  /** The flow's file, if it has one. */
  path?: string,
  /** Hash of the file that the draft is based on. */
  baseHash?: string,
  /** The draft. */
  flow: Flow,
};

/** `run.putBreakpoint`: adds a breakpoint to a run and the runs below it, or replaces the one with the same id; the others stay. One
 * without an id is called as it is written, such as `chat:after`, so that equal ones of several people are one. Replies with it. `debug.unknown_node`, `debug.bad_breakpoint`.
 */
export type PutBreakpoint = { run: RunId, breakpoint: Breakpoint,
};

/** A quota: tokens, money, or both. What is not set is not limited. */
export type Quota = {
  /** Tokens of prompts and replies together. */
  tokens?: number,
  /** US dollars. A call of a model without a known price is not sent. */
  usd?: number,
  /** What happens to a call that would exceed it. */
  onExceeded?: OnExceeded,
  /** The model that is called instead, for `fallback`. */
  fallback?: FallbackModel,
};

/** What a quota is for. */
export type QuotaScope = "day" | "conversation" | "run" | "loop" | "iteration" | "branch" | "node";

/** How much of a quota is used. */
export type QuotaState = { scope: QuotaScope,
  /** The run, for a quota of a run or in one. */
  run?: RunId,
  /** The node or the loop. */
  node?: NodeId,
  /** The epoch of the loop, or of the iteration. */
  epoch?: Epoch,
  /** What it allows, with what the person has allowed on top. */
  limit: Share,
  /** What calls have used of it. */
  spent: Amount,
  /** What is reserved for calls that are under way, and for the rest of iterations. */
  reserved: Amount,
};

/** `flow.read`: reads a flow or a pipeline from a file or a text. Unlike `flow.open`, nothing is remembered or checked. `flow.*` with
 * `diagnostics` when it cannot be read as a flow.
 */
export type ReadFlow = {
  /** The file; left out if `text` is its content. */
  path?: string,
  /** The content of a file. */
  text?: string,
  /** The name of the file with this content. Its extension says whether it is a pipeline. */
  name?: string,
};

/** `mcp.readResource`: the content of a resource. Bytes are described by their type and size. `mcp.*`. */
export type ReadMcpResource = { name: string, uri: string,
};

/** `published.read`: a version of a flow, or the one that is served. `published.unknown`. */
export type ReadPublished = { name: string,
  /** The one that is served, if left out. */
  version?: number,
};

/** `recording.read`: reads a recording whole and says what is in it. Changes nothing. `recording.not_read`, `recording.unknown_form`,
 * `recording.newer`, `recording.damaged`, `recording.too_large`.
 */
export type ReadRecording = { file: string,
};

/** `host.runTree`: the journals of a run and the runs below it, with all that they name. `run.unknown`, `run.busy` while it goes on,
 * `run.in_conversation`.
 */
export type ReadRunTree = { run: RunId,
};

/** The field in which the reasoning of a message with tool calls goes back to the server. */
export type ReasoningField = "reasoning_content" | "reasoning";

/** What was found in a user's memory. */
export type Recall = {
  /** The memories: the best first or, without a query, the newest first. */
  memories: Array<MemoryRecord>,
  /** How many more fit the query, beyond the limits. */
  more: number,
  /** The query, in plain words. If empty, the newest memories are wanted. */
  query: string,
  /** Only memories of these kinds; of all kinds if there are none here. */
  kinds?: Array<MemoryKind>,
  /** The most memories, at most [`MAX_RECALLED`]. */
  limit: number,
};

/** The part of its conversation that a run recalls.
 *
 * A journal has only the positions. `messages` are stored once, with the conversation, and are filled in when the
 * journal is read. They stay empty if the conversation was deleted meanwhile.
 */
export type Recalled = { conversation: ConversationId,
  /** The position of the first message. */
  first: number,
  /** How many messages, without the summary. */
  count: number,
  /** The summary of the messages before. It comes first, as a system message. */
  summary?: SummaryRef,
  /** Why no summary was written, although one was due. The older messages are left out. */
  error?: Fault,
  /** The summary, then the messages. */
  messages?: Array<Message>,
};

/** A flow that was opened or saved recently. */
export type RecentFlow = {
  /** The flow's file. */
  path: string,
  /** The flow's name. */
  name: string,
  /** In milliseconds since the Unix epoch. */
  openedAt: number,
  /** Whether the file no longer exists. */
  missing: boolean,
};

/** A file with a recorded run tree. */
export type RecordingRef = {
  /** Where it was. */
  path: string,
  /** The hash of its list of parts, which holds the hash of each part. */
  hash: string,
};

/** What a recording holds. */
export type RecordingSummary = {
  /** The recorded run, for `run.rerun`. */
  run: RunId,
  /** The flow that it ran. */
  flow: Flow,
  /** How many runs there are: the recorded one and those below it. */
  runs: number,
  /** The nodes of all flows that they ran. */
  nodes: Array<NodeId>,
};

/** A regular expression. */
export type RedactionPattern = {
  /** What a match is replaced by, in brackets. If empty, `redacted`. */
  name: string,
  /** The expression, in the syntax of the Rust crate `regex`: no lookaround, no backreferences. */
  regex: string,
};

/** What is redacted besides keys and values of the environment. */
export type RedactionSettings = {
  /** Patterns, each with a name; at most 50. */
  patterns: Array<RedactionPattern>,
};

/** A prompt that the provider refused as larger than the model's window. */
export type RefusedPrompt = {
  /** What Plait had counted it to, before any correction. */
  counted: number,
  /** Its tokens, if the provider names them. */
  tokens?: number,
  /** The window, if the provider names it. */
  limit?: number,
  /** What the provider said. */
  message: string,
};

/** `knowledge.reindex`: indexes what changed, and replies when that is done. `knowledge.list` tells how far it has come.
 * `knowledge.unknown`, `knowledge.stopped`, `knowledge.too_large`, `knowledge.index`, `knowledge.embeddings`.
 */
export type ReindexKnowledge = { name: string,
  /** Whether files that did not change are indexed again, too. */
  all?: boolean,
};

/** `hosts.remove`: takes a host off the list and forgets its token. `hosts.unknown`, `hosts.unreadable`, `keys.*`. */
export type RemoveHost = { name: string,
};

/** `provider.removeKey`: removes the key of a provider from where Plait stores it. A key in the environment stays. Does
 * nothing when there is none. `provider.unknown`, `keys.*`.
 */
export type RemoveKey = { provider: string,
};

/** `knowledge.remove`: removes a knowledge base and its index. Its files stay. `knowledge.unknown`. */
export type RemoveKnowledge = { name: string,
};

/** `mcp.remove`: stops and removes a server, with its secrets and the tools that were accepted. `mcp.unknown_server`. */
export type RemoveMcpServer = { name: string,
};

/** `runs.remove`: removes a run and its child runs. `run.busy` while it has not ended, `run.is_child` while a run that it is part of
 * has not.
 */
export type RemoveRun = { run: RunId,
};

/** `templates.remove`: removes a template. `template.unknown`. */
export type RemoveTemplate = { id: string,
};

/** `users.remove`: removes a user. The user's runs and conversations stay, and are seen again if a user of the same name is
 * added. `user.unknown`, `user.current`; `user.has_memories` if memories are to be kept.
 */
export type RemoveUser = { name: string,
  /** Whether the user's long-term memories are erased. */
  eraseMemories?: boolean,
};

/** `conversations.rename`: changes the title of a conversation. */
export type RenameConversation = { conversation: ConversationId, title: string,
};

/** `templates.rename`: gives a template another name. `template.unknown`, `template.no_name`; `flow.*` when it cannot be read. */
export type RenameTemplate = { id: string, name: string,
};

/** What identifies a model request: a hash of the protocol, the server, the model and the request's body, in hexadecimal.
 * Equal requests have equal keys.
 */
export type ReplyKey = string;

/** The runs from which a run takes replies of models that were bought before. */
export type ReplySource = "earlier" | "any";

/** What the model replied. */
export type ReplyView = { text: string,
  /** The images and files of the reply. */
  attachments?: Array<Attachment>, reasoning?: string, toolCalls?: Array<ToolCall>, stopReason: StopReason,
};

/** What a request says besides messages and tools. With these, the request that was sent can be built again. */
export type RequestSettings = {
  /** Sampling temperature. */
  temperature?: number,
  /** Maximum tokens of the reply. */
  maxTokens?: number,
  /** The JSON Schema of the reply. */
  responseSchema?: unknown,
  /** How the request asks for a reply that follows it, if the provider says. */
  schemaForm?: SchemaForm,
  /** Provider-specific options. */
  options?: unknown,
  /** Parameters of sampling that were set and not sent, because the model refuses them. */
  refusedParameters?: Array<string>,
};

/** What is run again, and what of it otherwise. */
export type RerunRequest = {
  /** The run to repeat. It stays as it is. If another run started it, all of that one's tree is repeated: then `at` and `fresh` are
   * places in this run, one of them is needed, and `flow`, `to` and live nodes can't be given.
   */
  run: RunId,
  /** The flow to run in place of the one that it ran. */
  flow?: Flow,
  /** The file of that flow, if it has one. */
  path?: string,
  /** What the person decided beside what the earlier run was allowed. `grant.needed` when an edited flow needs more. */
  grants?: Array<GrantRule>,
  /** How many events of that run count: what it did after them is done again. All of them unless given. */
  at?: number,
  /** An activation, or all of a node, that is done again although that run has it, with all that follows from it unless it is alone. */
  fresh?: FreshFrom,
  /** The node that it runs to, if not the same as that run. */
  to?: NodeId,
  /** What it asks the world for, and what it does where nothing is recorded. */
  world?: WorldPolicy,
  /** Where it looks for replies that were bought before, after that run. */
  replies?: ReplySource,
  /** The file of a recording that has the run, in place of the store. */
  recording?: string,
  /** Inputs in place of those of that run. */
  inputs?: RootInputs,
  /** Where the run stops. `debug.unknown_node`, `debug.bad_breakpoint`. */
  breakpoints?: Array<Breakpoint>,
};

/** `run.rerun`: a new run from the beginning, with the inputs and settings of the earlier one. Replies, results of tools and answers
 * are taken from it where the requests are equal, each once, wherever in the flow they are made now. What it says belongs to no
 * conversation if the flow is edited, or not all of that run counts. `run.busy` while the earlier run is active, `run.is_child` for
 * child runs without a place in them, `run.no_event`, `run.no_place`, `flow.invalid`.
 */
export type RerunRun = RerunRequest;

/** `conversations.resolve`: the conversation with an id that begins with `prefix`. `conversation.unknown`, `conversation.ambiguous`. */
export type ResolveConversation = { prefix: string,
};

/** `memories.resolve`: the memory of the current user with an id that begins with `prefix`. `memory.unknown`, `memory.ambiguous`. */
export type ResolveMemory = { prefix: string,
};

/** `runs.resolve`: the run with an id that begins with `prefix`. `run.unknown`, `run.ambiguous`. */
export type ResolveRun = { prefix: string,
};

/** The value that holds, and what each layer says. */
export type ResolvedConfig = { key: string,
  /** What it does, as one sentence. */
  help: string,
  /** The JSON Schema of its values. */
  schema: Record<string, unknown>,
  /** The value that holds. Absent if it depends on something else: then `depends` says what it is. */
  value?: unknown,
  /** What it is in words, if it depends on something else. */
  depends?: string,
  /** Where it comes from. */
  source: ConfigSource,
  /** Where the node sets it, or would, as a JSON pointer in the node. */
  pointer?: string,
  /** What each layer says, widest first. */
  layers: Array<ConfigLayer>,
};

/** One run of a case as one of its variants, or that it has not run. */
export type ResultRow = { case: string, variant?: Record<string, unknown>,
  /** Which of the repeats, from 0. */
  repeat: number,
  /** The case of the dataset that it is a row of. */
  dataset?: string,
  /** The cells of the dataset's row; of another case, its inputs. */
  columns: Record<string, unknown>,
  /** Nothing if it has not run as the case and the flow are now. */
  result?: TestResult,
  /** The grade of this result. */
  grade?: Grade,
  /** Grades of earlier results of it, the newest first. */
  earlier?: Array<EarlierGrade>,
};

/** The results of a suite: a row for each time that a case runs. */
export type ResultTable = {
  /** The columns of inputs, in order. */
  columns: Array<string>,
  /** The columns of outputs, `NODE.PORT`. */
  outputs: Array<string>, rows: Array<ResultRow>,
};

/** `run.resume`: continues a run that was interrupted by a crash or a restart. A run that waits can be answered again. */
export type ResumeRun = { run: RunId,
};

/** What a retrieval found. */
export type Retrieval = {
  /** The query. */
  query: string,
  /** The most tokens that the passages may take. */
  maxTokens: number,
  /** The passages, the best first. */
  used: Array<RetrievedChunk>,
  /** The passages that were found and are not used, the best first. */
  leftOut?: Array<LeftOutChunk>,
  /** What went wrong without stopping the retrieval, such as an embedding server that does not answer. */
  notices?: Array<Fault>,
};

/** A passage that is used. */
export type RetrievedChunk = {
  /** Its text, without secrets. */
  text: string,
  /** The knowledge base: its name, or `./` and the folder beside the flow. */
  base: string,
  /** The file, relative to the folder of the base, with `/` between its parts. */
  source: string,
  /** Where it begins in the text of the file, in bytes. */
  offset: number,
  /** Its length in bytes. */
  length: number,
  /** The line on which it begins, from 1, in the text of the file. */
  line: number,
  /** The headings above it, outermost first, joined by " › ". Empty without any. */
  heading?: string,
  /** How well it fits, compared with the others of the same retrieval. Higher is better. */
  score: number,
  /** What ranked it. */
  matched: Match,
  /** Its tokens in a prompt. Of one that is left out, they may be those of its text alone: then these did not fit. */
  tokens: number,
};

/** How often and after which delays to retry. */
export type RetryPolicy = {
  /** The maximum number of attempts, including the first; at least 1. */
  attempts: number,
  /** The delay before the second attempt, in milliseconds. It doubles with each further attempt. */
  backoffMs: number,
  /** The maximum delay, in milliseconds. */
  maxBackoffMs: number,
  /** The share of each delay that is random, from 0 (none) to 1 (all). */
  jitter: number,
};

/** `run.retry`: runs again what a run ran, in a new run that takes over replies, tool results and answers, so that nothing is
 * bought, called or asked twice. For runs that failed, were canceled or cannot be resumed; `run.not_retryable` for others,
 * `run.is_child` for child runs, `run.busy` while the run is active.
 */
export type RetryRun = {
  /** The run to retry. It stays as it is. */
  run: RunId,
};

/** `grants.revoke`: removes rules of the file of a flow. What they were about is asked again at the next run. */
export type RevokeGrants = {
  /** The file of the flow. */
  path: string,
  /** The targets of the rules; all of them if left out. */
  targets?: Array<GrantPattern>,
};

/** Who speaks. */
export type Role = "system" | "user" | "assistant" | "tool";

/** `published.rollBack`: serves an earlier version again. `published.unknown`. */
export type RollBack = { name: string, version: number,
};

/** The inputs that a person gives to a fork. */
export type RootInputs = {
  /** The text input of the run. */
  input?: string,
  /** Values for input ports, by node and port. */
  overrides?: { [key in NodeId]: { [key in PortName]: JsonValue } },
};

/** What differs between two runs. Without differences, they did the same. */
export type RunComparison = {
  /** What differs between the flows that they ran. */
  flow: FlowDiff,
  /** The text inputs, if they differ. */
  input?: ValueChange,
  /** What activations did otherwise, each after those that it follows from. The first is the first difference. */
  differences: Array<RunDifference>,
  /** The nodes that a run reached, with what they used; those of a sub-flow before those of the run around it. */
  nodes: Array<NodeComparison>,
  /** The loops over lists whose items are not the same. */
  lists: Array<ListComparison>,
  /** How many activations did the same. */
  same: number, before: ComparedTotals, after: ComparedTotals,
};

/** How many activations ended how. */
export type RunCounters = {
  /** Finished. */
  done: number,
  /** Failed for good, handled or not. */
  failed: number,
  /** Skipped. */
  skipped: number,
};

/** A run with its journal. */
export type RunDetail = { summary: RunSummary,
  /** The ancestors of a child run, the root first. */
  above?: Array<RunSummary>,
  /** The flow as the run recorded it. */
  flow: Flow,
  /** The entries of the journal that can be read. */
  entries: Array<Entry>,
  /** Why others cannot be read: the first damage. */
  damage?: ErrorReply,
};

/** What one activation did otherwise. */
export type RunDifference = {
  /** The `subflow` nodes that lead to it, the outermost first, with their ids in the second run. */
  path?: Array<NodeId>,
  /** The activation in the first run; nothing if only the second one has it. */
  before?: ComparedActivation,
  /** The activation in the second run; nothing if only the first one has it. */
  after?: ComparedActivation,
  /** What differs of it. Empty if only one run has it. */
  changes: Array<ActivationChange>,
  /** The differences that it follows from, as places of `differences`, the first 50: each of them follows from none. Empty if it is one
   * of them.
   */
  follows: number[],
};

/** What happens to the run as a whole. */
export type RunEvent = { "type": "run.started", run: RunId,
  /** The revision of the engine that wrote this event; see [`ENGINE_REVISION`](crate::ENGINE_REVISION).
   * Zero in journals of early versions.
   */
  revision?: number,
  /** Who it belongs to, if not the default user. All runs below it belong to the same user. */
  user?: UserName,
  /** The run that this one is forked from. */
  from?: RunOrigin,
  /** Where it looks for replies that were bought before. It counts for all runs below it. */
  replies?: ReplySource, flow: FlowRef,
  /** The program that it was observed of, if Plait did not run it. */
  program?: ProgramRef,
  /** The node it runs to, if not the whole flow. */
  to?: NodeId,
  /** Input text. */
  input?: string,
  /** Values for ports that no edge feeds, by node and port. */
  set?: { [key in NodeId]: { [key in PortName]: JsonValue } },
  /** The nodes that deliver pinned values in place of being executed. */
  pins?: Array<NodeId>,
  /** Whether the pins of the flow, and of the flows that it runs, are ignored. The recorded flow has none. */
  ignoresPins?: boolean,
  /** Where the input and these values come from. */
  origins?: Origins,
  /** The run that started this one. */
  parentRunId?: RunId,
  /** The conversation it continues, up to the turn it had reached when the run began. */
  conversation?: ConversationRef,
  /** What the run may use, as the person decided before it began. Absent in journals of early versions, whose runs have no
   * limits.
   */
  grants?: Grants,
  /** Model settings and calibration at the start of the run. Fixed for the whole run. */
  models?: ModelOverrides,
  /** What the application's settings say of what flows leave open, by key. Fixed for the whole run. */
  config?: Record<string, unknown>, } | { "type": "run.waiting",
  /** The open pauses, in plan order; the first [`MAX_LISTED_QUESTIONS`](crate::MAX_LISTED_QUESTIONS) of them. */
  on: Array<Activation>,
  /** How many more there are. */
  more?: number, } | { "type": "run.cancelling" } | { "type": "run.finished",
  /** The last live outputs of the flow's `output` nodes (without any: of its last nodes), by node and port. */
  outputs: { [key in NodeId]: { [key in PortName]: JsonValue } },
  /** Where the outputs come from, all of them together. */
  origins?: Origins, } | { "type": "run.failed",
  /** The node that failed. */
  node: NodeId,
  /** The epoch of the activation that failed. */
  epoch: Epoch,
  /** What went wrong. */
  error: Fault,
  /** As in `run.finished`: the outputs up to the failure. */
  outputs: { [key in NodeId]: { [key in PortName]: JsonValue } },
  /** Where the outputs come from, all of them together. */
  origins?: Origins, } | { "type": "run.cancelled",
  /** As in `run.finished`: the outputs up to the cancellation. */
  outputs: { [key in NodeId]: { [key in PortName]: JsonValue } },
  /** Where the outputs come from, all of them together. */
  origins?: Origins,
};

/** Why a run failed, and where. */
export type RunFault = {
  /** The node that failed. */
  node: NodeId,
  /** The epoch of the activation that failed. */
  epoch: Epoch,
  /** What went wrong. */
  error: Fault,
};

/** One execution of a flow. A UUID version 7, so that runs sort by their start. */
export type RunId = string;

/** Many runs side by side. */
export type RunMatrix = {
  /** The columns. */
  runs: Array<MatrixRun>,
  /** The outputs of nodes, in the order in which the nodes ended in the first run that reached them. */
  rows: Array<MatrixRow>,
};

/** The run that a host began. */
export type RunOnHost = { run: RunId,
};

/** The run that another one is forked from. What it bought, called and asked up to `seq` is not bought, called or asked
 * again.
 */
export type RunOrigin = {
  /** The earlier run. */
  run: RunId,
  /** How many of its events count. */
  seq: number,
  /** Whether this run runs the flow that it was given, and not the one that the earlier run recorded. */
  edited?: boolean,
  /** Whether the earlier run went on after these events. */
  cut?: boolean,
  /** Where it was cut inside of a child run of the earlier one: the first event there that does not count. */
  cut_in?: EventRef,
  /** Whether the earlier run writes to a branch of its own. So does this one. */
  of_branch?: boolean,
  /** What is done again although the earlier run has it. */
  fresh?: FreshFrom,
  /** What it asks the world for. */
  world?: WorldPolicy,
  /** The file that the earlier run is read from, if the store does not have it. */
  recording?: RecordingRef,
};

/** `hosts.run`: begins a run of a flow that a host serves, and answers at once. `published.unknown`, `command.arguments` for a text that the
 * flow does not take, `hosts.*`, and the errors of the host.
 */
export type RunPublished = { host: string,
  /** The name under which the flow is published. */
  name: string,
  /** The text input of the run. */
  input?: string,
};

/** A run to start. Child runs are started from the same request. */
export type RunRequest = {
  /** The flow, saved or not. */
  flow: Flow,
  /** Its file, if it has one. Tools may read files of the folder it is in, and no others. */
  path?: string,
  /** Who the run belongs to; the current user when left out. `user.unknown`. */
  user?: UserName,
  /** The text input of the run. */
  input?: string,
  /** Values for input ports, by node and port. */
  overrides?: { [key in NodeId]: { [key in PortName]: JsonValue } },
  /** The node to run to, if not the whole flow. */
  to?: NodeId,
  /** The trigger to begin at, if not the default one. `run.unknown_trigger`. */
  trigger?: NodeId,
  /** Whether pinned nodes are executed, also in the flows that this one runs. */
  ignorePins?: boolean,
  /** The conversation to continue. `conversation.unknown` when it does not exist, `conversation.no_context` when the flow
   * has no context `main`, `conversation.other_user` when it belongs to another user.
   */
  conversation?: ConversationId,
  /** What was said before, of a conversation that is kept elsewhere: the run begins a new conversation with it and continues that.
   * `conversation.has_history` beside `conversation`, `conversation.no_context` as above.
   */
  saidBefore?: Array<SaidMessage>,
  /** What the person decided for this run only. These rules replace those about the same targets that are kept for the flow's
   * file. `grant.needed` when the flow needs more than is decided.
   */
  grants?: Array<GrantRule>,
  /** Where it looks for replies that were bought before. A run buys its replies unless a person chose otherwise. */
  replies?: ReplySource,
  /** Where the run stops. `debug.unknown_node`, `debug.bad_breakpoint`. */
  breakpoints?: Array<Breakpoint>,
};

/** What a run as a whole is doing. */
export type RunStatus = "running" | "waiting" | "stopped" | "finished" | "failed" | "cancelled" | "interrupted";

/** A run, as lists show it. */
export type RunSummary = { run: RunId,
  /** The flow's name. */
  flowName: string,
  /** The flow's file, if it had one. */
  path?: string,
  /** Who it belongs to, if not the default user. */
  user?: UserName,
  /** The conversation that it continues. */
  conversation?: ConversationId,
  /** The run that started it, if it is a child run. */
  parentRunId?: RunId,
  /** The run that it retries. */
  from?: RunId,
  /** Whether that run is not here: it was removed, or it is a recording of another machine. */
  fromIsGone?: boolean,
  /** The command of the program that it was observed of, if Plait did not run it; empty for traces. */
  program?: string,
  /** How many child runs it started. */
  children: number, status: RunStatus,
  /** In milliseconds since the Unix epoch. */
  startedAt: number,
  /** In milliseconds since the Unix epoch. */
  endedAt?: number,
  /** How long it worked, in milliseconds, without waits for people, stops and interruptions. Absent before its end. */
  workedMs?: number,
  /** Counts of activations, by how they ended. */
  nodes: RunCounters,
  /** Tokens that its model calls used, and those of the runs below it. */
  tokens: TokenUsage,
  /** Cost of these calls. */
  cost: Cost,
  /** The question that it waits for an answer to. */
  waitingOn?: string,
  /** Why it failed. */
  error?: Fault,
};

/** `suite.run`: runs a case as one of its variants and checks what came of it. A problem of the run is a failure of the case.
 * `suite.unknown_case`, and the errors of `suite.open`.
 */
export type RunTest = {
  /** The suite, an absolute path. */
  file: string, case: string, variant?: Record<string, unknown>,
  /** Take kept results of repeats that have run already, if all of the case is as it was. */
  resume?: boolean,
  /** What the person decided for these runs, beside the rules kept for the flow. */
  grants?: Array<GrantRule>,
};

/** Sums over a run. */
export type RunTotals = {
  /** Tokens of all model calls. */
  tokens: TokenUsage,
  /** What they cost. */
  cost: Cost,
  /** Model calls that were answered. */
  modelCalls: number,
  /** Model calls that took the reply of an earlier run, and cost nothing. They are not among `model_calls`. */
  reusedCalls: number,
  /** Tool calls that were made. */
  toolCalls: number,
  /** Tries that failed and were followed by another. */
  retries: number,
  /** How long it waited for a person with nothing else to do, in milliseconds; the wait that is going on is not in it. */
  waitedMs: number,
  /** How long a debugger held it, in milliseconds; the stop that is going on is not in it. */
  stoppedMs?: number,
  /** How long no process drove it while it could have worked, in milliseconds. */
  interruptedMs?: number,
};

/** A run tree on its way from one data directory to another one. */
export type RunTree = {
  /** The run at its root. */
  root: RunId,
  /** The file of the tree, in base64. */
  journal: string,
  /** The documents of the flows that its runs ran. */
  flows: Array<string>,
  /** The attachments that its journals name, by hash, in base64. */
  attachments: { [key in AttachmentHash]: string },
};

/** A run, folded from its events. */
export type RunView = {
  /** The nodes that have had their turn, or know that it will not come. */
  nodes: { [key in NodeId]: NodeView },
  /** The contexts as they stand. */
  contexts: { [key in ContextId]: ContextView },
  /** The workflow's memory as it stands, if the run has one. */
  memory?: MemoryState,
  /** The quotas that hold its model calls, as the latest call left them. */
  quotas?: Array<QuotaState>,
  /** Sums over the whole run. */
  totals: RunTotals,
  /** How many nodes show each state. */
  counts: NodeCounts,
  /** The run; absent before its first event. */
  run?: RunId,
  /** The run that it was forked from. */
  from?: RunOrigin,
  /** The flow it runs. */
  flow?: FlowRef,
  /** The node it runs to, if not the whole flow. */
  to?: NodeId,
  /** Text given to the run at its start. */
  input?: string,
  /** Values given to ports that no edge feeds, by node and port. */
  set: { [key in NodeId]: { [key in PortName]: JsonValue } },
  /** The run that started this one. */
  parentRunId?: RunId,
  /** The conversation it goes on in. */
  conversation?: ConversationRef,
  /** What it is doing. */
  status: RunStatus,
  /** Whether it is being cancelled; the events that end it follow. */
  cancelling: boolean,
  /** When it began, in milliseconds since the Unix epoch. */
  startedAt?: number,
  /** When it ended. */
  endedAt?: number,
  /** Since when it has been waiting for a person, if it is. */
  waitingSince?: number,
  /** What it waits for: the open pauses that `run.waiting` lists, in plan order. `pauses` has all of them. */
  waitingOn: Array<Activation>,
  /** The pauses nobody has answered, in the order they were asked; open while other branches still work, too. */
  pauses: Array<OpenPause>,
  /** Where it stands still, while a debugger holds it or branches of it. The newest one comes last. */
  stops?: Array<StopView>,
  /** The breakpoints of the run tree that were set in this run. */
  breakpoints?: Array<Breakpoint>,
  /** The configs that persons try, by node. */
  trials?: { [key in NodeId]: TrialView },
  /** The cycles that have gone round, by their entry node. */
  loops: { [key in NodeId]: LoopView },
  /** What the flow put out, by node and port. */
  outputs: { [key in NodeId]: { [key in PortName]: JsonValue } },
  /** Where the outputs of the run, or its error, come from, once it has ended. */
  origins?: Origins,
  /** Why it failed. */
  error?: RunFault,
  /** The place in the journal that comes next; entries before it have been seen and are ignored when seen again. */
  nextSeq: number,
};

/** A message that was said before a run, elsewhere. */
export type SaidMessage = { role: Speaker, text: string,
};

/** Which request of a tool for the reply of a model it is. */
export type SamplingRef = {
  /** The id of the tool call. */
  callId: string,
  /** Its number among what the call asked for, questions to the person included, from 0. */
  index: number,
};

/** `dialog.save`: asks where to save a flow or an exported conversation. */
export type SaveDialog = {
  /** The initial file name. */
  suggested: string,
};

/** `flow.save`: writes a flow file atomically. A file whose name is that of a pipeline is saved as one: only what was edited
 * changes in it. `pipeline.not_expressible` if it cannot be one; then the file is unchanged.
 */
export type SaveFlow = {
  /** The file. */
  path: string, flow: Flow,
  /** Hash of the file as it was opened or last saved. A file that changed since is not overwritten. */
  baseHash?: string,
  /** Overwrite the file even if it changed. */
  force?: boolean,
  /** The file that the flow was opened from, if it is another one. A pipeline keeps the comments of that file. */
  source?: string,
};

/** `image.save`: asks where to save an image and writes the file atomically. Replies with its path, `null` when the dialog was
 * closed; then nothing is written.
 */
export type SaveImage = {
  /** The initial file name. It ends with `.svg` or `.png`. */
  suggested: string,
  /** The bytes of the image in base64. */
  data: string,
};

/** `templates.save`: keeps a flow as a new template. Secrets in it are replaced by labels. */
export type SaveTemplate = { name: string, flow: Flow,
};

/** A flow file that was written. */
export type SavedFlow = {
  /** The file, as an absolute path. */
  path: string,
  /** In milliseconds since the Unix epoch. */
  savedAt: number,
  /** Hash of the file's bytes. */
  hash: string,
};

/** A template that was kept. */
export type SavedTemplate = { id: string,
};

/** When a flow begins by itself, and with what. */
export type Schedule = {
  /** Minute, hour, day of the month, month and day of the week, as in a crontab; seconds may come before them. */
  cron: string,
  /** The time zone by its IANA name, such as `Europe/Paris`. UTC, if left out. */
  timezone?: string,
  /** The text input of the runs. */
  input?: string,
};

/** `published.schedule`: has a flow that is served begin by itself, or without `schedule` no longer. The reply is the next time.
 * `published.unknown`, `published.bad_schedule`.
 */
export type SchedulePublished = { name: string,
  /** No longer, if left out. */
  schedule?: Schedule,
};

/** How a request asks its provider for a reply that follows a JSON Schema. Vendors accept different parts of JSON Schema; in
 * any form, the engine validates the reply against the whole schema.
 */
export type SchemaForm = "enforced" | "narrowed" | "hint" | "tool" | "words";

/** `knowledge.search`: the passages that fit a query, as a node would find them. Files that changed are indexed first.
 * `knowledge.*`.
 */
export type SearchKnowledge = {
  /** The query, in plain words. */
  query: string,
  /** The names of the knowledge bases; all of them if there are none here. */
  bases?: Array<string>,
  /** The most tokens of the passages; 2,000 if left out. */
  maxTokens?: number,
};

/** `lens.search`: where a text occurs in the prompts and replies of a run and its child runs, in any case. A message of a
 * history is found once, in the first prompt that has it. At most 200 places. `run.unknown`.
 */
export type SearchPrompts = { run: RunId, text: string,
};

/** One message as the model received it. */
export type SentMessage = { part: MessagePart, role: Role,
  /** The whole text. */
  text: string,
  /** Its size, where it was counted by itself. */
  tokens?: number,
  /** How many messages it stands for, if their texts are missing. */
  missing?: number,
  /** The tools that an assistant message calls. */
  toolCalls?: Array<ToolCall>,
  /** For the result of a tool: the id of its call. */
  toolCallId?: string,
  /** The node that wrote it. */
  author?: NodeId,
  /** Its id in the history. */
  id?: MessageId,
  /** The images and files that are sent with it. */
  attachments?: Array<Attachment>,
  /** The blocks that the text consists of. */
  blocks?: Array<BlockText>,
  /** Where it comes from. */
  origins?: Origins,
};

/** A turn of a conversation, as a prompt had it. */
export type SentTurn = { role: Role, text: string,
  /** The node that said it. */
  node: NodeId,
  /** The images and files that are sent with it. */
  attachments?: Array<Attachment>,
};

/** The accepted tools of an MCP server that a flow uses. */
export type ServerPin = { server: string, pin: McpPin,
  /** Whether the server was seen to offer others since. Then none can be used until they are accepted. */
  changed: boolean,
};

/** `run.setBreakpoints`: replaces the breakpoints of a run and the runs below it. `debug.unknown_node` for a node that the flow does not
 * have, `debug.bad_breakpoint` for a condition or text that does not compile.
 */
export type SetBreakpoints = { run: RunId,
  /** All of them. */
  breakpoints: Array<Breakpoint>,
};

/** `config.set`: sets a value in the settings, or removes it, and returns which holds then. `settings.unknown_key`,
 * `settings.bad_value`, `settings.wrong_layer`, and the errors of `settings.set`.
 */
export type SetConfig = { key: string,
  /** The value. Null removes it. */
  value: unknown,
};

/** `grants.set`: keeps rules for the file of a flow. They replace those about the same targets. `grant.invalid` if there are too
 * many.
 */
export type SetGrants = {
  /** The file of the flow. */
  path: string, rules: Array<GrantRule>,
};

/** `provider.setKey`: sets or replaces the key of a provider. `provider.unknown`, `provider.no_key` when it takes none,
 * `keys.*`.
 */
export type SetKey = { provider: string,
  /** The key. Surrounding whitespace is ignored. */
  key: string,
  /** How long to store it. Permanently when left out. */
  keep?: KeyRetention,
};

/** `settings.set`: replaces the settings and returns those in force. Active runs are not affected. */
export type SetSettings = { settings: Settings,
};

/** The settings of the application. */
export type Settings = { theme: Theme,
  /** Turns animations off. */
  reducedMotion: boolean,
  /** Layout of the panels, in a format that the window defines. */
  panels: unknown,
  /** The model providers, by name. The built-in ones are always present. */
  providers: { [key in string]: ProviderSettings },
  /** Context windows and prices that override the built-in tables, by `provider/model` or, for every provider, `model`. */
  models?: { [key in string]: ModelOverride },
  /** What a run and all runs below it may use together, where the flow does not say. */
  limits?: TreeLimits,
  /** What model calls may use, per run, conversation and day. */
  quotas?: DefaultQuotas,
  /** The model that summarizes a workflow's memory where neither the node nor the flow sets one. If empty, the model of the
   * node's context does.
   */
  summarizer?: SummarizerSettings,
  /** What holds for runs whose flows leave it open, by key: the default agent, retries, bounds of histories, … */
  config?: Record<string, unknown>,
  /** What the person allows tools: hosts and secrets. */
  tools?: ToolSettings,
  /** What is redacted besides keys and values of the environment. */
  redaction?: RedactionSettings,
  /** Where the spans of runs are sent. */
  telemetry?: TelemetrySettings,
  /** Other state that the window stores. */
  ui: unknown,
};

/** How severe a diagnostic is. */
export type Severity = "error" | "warning";

/** What may be used. `None` is not limited. */
export type Share = { tokens?: number,
  /** Billionths of a US dollar. */
  nanoUsd?: number,
};

/** A kind of part. */
export type ShareKind = "system" | "history" | "retrieval" | "memory" | "tools" | "steps" | "partner" | "question" | "attachments" | "reserve" | "free";

/** `grants.show`: what a flow needs, its sub-flows included, and what is decided about it. */
export type ShowGrants = {
  /** The flow, saved or not. */
  flow: Flow,
  /** Its file, if it has one. */
  path?: string,
};

/** `run.nodeConfig`: the config with which a node of a run executes from now on: that of the flow, or one that a person tries.
 * `debug.unknown_node`.
 */
export type ShowNodeConfig = { run: RunId, node: NodeId,
};

/** `lens.show`: the model calls of a run in their order, each with the messages as they were sent. `run.unknown`. */
export type ShowPrompts = { run: RunId,
  /** Only calls of this node. */
  node?: NodeId,
  /** Only calls of activations in this iteration. */
  epoch?: Epoch,
  /** Only this call of each activation, from 0. */
  call?: number,
};

/** `proposal.show`: a proposed edit, and what it changes in the file as it is now. `proposal.unknown`. */
export type ShowProposal = {
  /** Its ID, or how that begins. */
  id: string,
};

/** `runs.show`: a run with its flow and its journal. */
export type ShowRun = { run: RunId,
};

/** A proposed edit. */
export type ShownProposal = { proposal: ProposalSummary,
  /** The edited flow. */
  flow: Flow,
  /** What it changes in the file as it is now. */
  diff: FlowDiff,
  /** The problems of the edited flow. */
  diagnostics: Array<Diagnostic>,
  /** Whether the file was changed or removed since the edit was proposed. */
  isOutdated: boolean,
};

/** A place of an activation at which it can be held. */
export type Side = "before" | "call" | "after";

/** A number of tokens, and how it is known. */
export type SizeEstimate = { tokens: number, source: SizeSource,
};

/** Where a size comes from. */
export type SizeSource = "maxTokens" | "measured" | "assumed";

/** Why a node did not run. */
export type SkipReason = "deadInput" | "runFailed" | "runCancelled" | "targetReached" | "loopFailed" | "loopEnded" | "byPerson";

/** A file that is not searched. */
export type SkippedFile = {
  /** The file, as in [`Passage`](plait_llm::retriever::Passage). */
  source: string,
  /** Why. */
  reason: Fault,
};

/** Where a value on an input came from. */
export type SourceRef = { node: NodeId, epoch: Epoch,
  /** Its output. */
  port: PortName,
};

/** A part of the text of a document. */
export type SourceText = {
  /** The file. */
  path: string,
  /** The text, without secrets. */
  text: string,
  /** Where it begins in the whole text, in bytes. */
  offset: number,
  /** The line on which it begins, from 1. */
  line: number,
};

/** Who said a message. */
export type Speaker = "user" | "assistant";

/** Calls, tokens and money. Adds up over anything. */
export type Spending = {
  /** Model calls that were answered. */
  calls: number,
  /** What they used. */
  tokens: TokenUsage,
  /** What they cost. */
  cost: Cost,
};

/** `run.start`: runs a flow. `flow.invalid` with `diagnostics` when the flow cannot run. */
export type StartRun = RunRequest;

export type StartedRun = { run: RunId,
};

/** Why a run stands still. */
export type StopCause = { "kind": "breakpoint", id: string, } | { "kind": "condition", id: string, error: Fault, } | { "kind": "step" } | { "kind": "pause" } | { "kind": "elsewhere", run: RunId,
};

/** Something that happens to an activation. */
export type StopEvent = { "type": "contextChanged", context?: ContextId, } | { "type": "memoryChanged" } | { "type": "historyTrimmed" } | { "type": "untrustedSent" } | { "type": "grantUsed" } | { "type": "attemptRetried" } | { "type": "spendingPassed",
  /** In billionths of a US dollar. */
  nanoUsd: number,
};

/** A place at which one activation is held. */
export type StopPoint = { node: NodeId, epoch: Epoch,
  /** Which try, from 1. */
  attempt: number, side: Side,
  /** Which call, on the side `call`. */
  call?: string,
};

/** Why a model stopped. */
export type StopReason = "end" | "toolCalls" | "maxTokens" | "windowFull" | "contentFilter" | "malformedToolCall" | "unsupportedLanguage" | "paused" | "interrupted" | { "other": string
};

/** `run.stop`: stops a run tree where it is, or the branch of a node that runs. What is under way ends and stays undelivered.
 * `debug.cannot_pause`.
 */
export type StopRun = { run: RunId,
  /** The node, to let everything go on that does not depend on it. */
  node?: NodeId,
  /** Its iteration. Without it, the first one in which it runs. */
  epoch?: Epoch,
};

/** How much stands still at a stop. */
export type StopScope = "tree" | "branch";

/** A stop of the debugger. */
export type StopView = {
  /** The number of the event that says so. Whoever lets the run go on says from which stop. */
  number: number, cause: StopCause,
  /** How much stands still. */
  scope?: StopScope,
  /** What is held, if it is one activation of this run. */
  at?: StopPoint,
  /** Its inputs before it starts, its outputs before they are delivered, by port. */
  values: { [key in PortName]: JsonValue },
  /** The other outputs that can be taken, after a node that takes one of several. */
  ways?: Array<PortName>,
  /** Why it failed, if it has. */
  error?: Fault,
  /** Since when. */
  since: number,
};

/** The parts of a reply in the order in which they arrived: the milliseconds since the one before, or since the request, and the
 * number of characters; negative for reasoning.
 */
export type StreamPace = Array<[number, number]>;

/** How a request asks for a reply that follows a JSON Schema. */
export type StructuredOutput = "jsonSchema" | "jsonObject" | "instructions";

/** What live runs and judges may cost. Replays cost nothing. */
export type SuiteBill = {
  /** How many runs are live. */
  liveRuns: number,
  /** How many outputs a model judges at most. */
  judgments: number,
  /** What the live runs cost at most, as far as it is known, in billionths of a US dollar. Judgments are not in it. */
  atMostNanoUsd: number,
  /** Whether some of it has no upper bound that is known. */
  hasUnknown: boolean,
  /** Whether live runs can act outside: they need hosts, folders, commands or tools. */
  actsOutside: boolean,
};

/** A case, as one of its variants. */
export type SuiteCase = { name: string, variant: Record<string, unknown>,
  /** The row of a dataset that it is, if it is one. */
  row?: DatasetRow,
  /** Whether models and tools are called each time. */
  live: boolean,
  /** Whether running it may cost something. */
  mayBuy: boolean,
  /** How often it runs. */
  repeats: number,
  /** What is checked. */
  checks: Array<string>,
  /** What came of it when it was last run, if all of the case is as it was. */
  outcome?: CaseOutcome,
};

/** The model that writes summaries. */
export type SummarizerSettings = {
  /** The provider of summaries. */
  provider?: string,
  /** The model for summaries. */
  model?: string,
};

/** A summary of the beginning of a conversation. */
export type SummaryRef = {
  /** How many messages it summarizes, from the first. */
  places: number,
  /** The run that created it. */
  run: RunId,
};

/** A difference between what two runs began with, which can be swapped on its own. */
export type Swap = { "kind": "input", change: ValueChange, } | { "kind": "set", node: NodeId, port: PortName, change: ValueChange, } | { "kind": "flow", change: ValueChange, } | { "kind": "node", node: NodeId, change: ValueChange, } | { "kind": "structure", changes: Array<FlowChange>,
};

/** `users.switch`: makes a user the current one. Runs in progress keep their user. `user.unknown`. */
export type SwitchUser = { name: string,
};

/** `suite.table`: the newest results of a suite's cases, with the grades that people gave. Runs nothing. The errors of `suite.open`. */
export type TabulateResults = {
  /** The suite, an absolute path. */
  file: string,
  /** Only the rows of the dataset of this case. */
  dataset?: string,
};

/** The settings of the OpenTelemetry export. */
export type TelemetrySettings = {
  /** The OTLP/HTTP endpoint that spans of runs are sent to while they run, for example `http://127.0.0.1:4318`. If empty, none
   * are.
   */
  endpoint?: string,
  /** Whether spans contain messages, tool arguments and results. */
  content?: boolean,
  /** The environment variable that holds headers of the requests, as `name=value,name=value`. Keys of servers belong there. */
  headersVariable?: string,
};

/** A template, as lists show it. */
export type TemplateSummary = { id: string,
  /** The name; of one that cannot be read, its id. */
  name: string,
  /** What it is for, in Markdown. */
  description: string,
  /** In milliseconds since the Unix epoch. */
  savedAt: number,
  /** Why it cannot be read. */
  problem?: string,
};

/** `provider.test`: checks that a provider replies and accepts the key. Fetches its list of models or, if a model is given,
 * generates a few tokens with it. A failed check is not an error of this command. `provider.unknown`.
 */
export type TestProvider = { provider: string,
  /** The model to call. */
  model?: string,
};

/** A case of a suite, as one of its variants. */
export type TestRef = { case: string, variant?: Record<string, unknown>,
};

/** The result of a check. */
export type TestReport = {
  /** What was checked. */
  tested: Tested,
  /** In milliseconds. */
  tookMs: number,
  /** The models it listed, if the list was fetched. */
  models?: Array<string>,
  /** Why the check failed; absent when it passed. */
  fault?: Fault,
};

/** One run of a case. */
export type TestResult = {
  /** Why it did not pass. Empty if it did. */
  failures: Array<CheckFailure>,
  /** The run. Nothing for a replay that passed, which leaves none. */
  run?: RunId,
  /** The outputs of the run by `NODE.PORT`; of a large one, the beginning. */
  outputs?: Record<string, unknown>,
  /** What its model calls used, those of a recording included. */
  tokens: TokenUsage,
  /** What they cost. */
  cost: Cost,
  /** In milliseconds, without waits for people. */
  durationMs: number,
};

/** What was checked. */
export type Tested = "models" | "call";

/** A part of two texts. */
export type TextPiece = { side: PieceSide, text: string,
};

/** A part of a text, in UTF-16 code units, as JavaScript counts. */
export type TextRange = { start: number, end: number,
};

/** The color theme. */
export type Theme = "system" | "light" | "dark";

/** The size of a text. */
export type TokenCount = {
  /** Tokens in the text. */
  tokens: number,
  /** Size of the model's context window, in tokens. */
  window: number,
};

/** The field of a request that limits the tokens of the reply. */
export type TokenLimitField = "max_tokens" | "max_completion_tokens";

/** Tokens of prompts and replies, as the provider reported them (for the offline provider, as Plait counted them). */
export type TokenUsage = {
  /** Tokens of the prompt, including those from the provider's cache. */
  input: number,
  /** Tokens of the reply, including reasoning. */
  output: number,
  /** The part of `input` that was read from the provider's cache. */
  cachedInput?: number,
  /** The part of `input` that was written to the provider's cache. */
  cacheWrite?: number,
  /** The part of `output` that is reasoning. */
  reasoning?: number,
};

/** A model's call of a tool. */
export type ToolCall = {
  /** The model's id for this call; its result refers to it. */
  id: string,
  /** The tool's name. */
  name: string,
  /** The arguments. */
  arguments: unknown,
};

export type ToolCallView = {
  /** Which model call of this activation asked for it, from 0. */
  step: number, call: ToolCall,
  /** When it was made. */
  startedAt: number,
  /** When the tool had answered. */
  endedAt?: number,
  /** How far it has come, while it runs. */
  progress?: ToolProgress,
  /** The result, unless it failed. */
  result?: unknown,
  /** What went wrong. */
  error?: Fault,
  /** Where the result or the error comes from, besides the arguments. */
  origins?: Origins,
  /** The event of an earlier run that the result is taken from. */
  reused?: EventRef,
};

/** What a call of a tool changes outside of the run. */
export type ToolEffect = "read" | "send" | "write";

/** The tool call that a person is asked about. */
export type ToolPause = {
  /** The step of the model call that requests the tool call. */
  step: number, callId: string,
  /** The tool's name. */
  name: string, kind: ToolPauseKind,
  /** The places that others write to which the arguments come from, if the person is asked because of them. */
  untrusted?: Origins,
  /** Other calls of the same reply that ended because their tools asked as well. They are made again, and ask then. */
  alsoAsking?: Array<string>,
};

/** What a person is asked about a tool call. */
export type ToolPauseKind = "approval" | "repeat" | "tool" | "sampling" | "quota";

/** How a tool is called. The flow decides it, not the model. */
export type ToolPolicy = {
  /** The longest time a call may take, in milliseconds. If empty, 60,000. */
  timeoutMs?: number,
  /** How often a call is tried, if it fails with an error that may pass. */
  attempts?: number,
  /** Whether a person is asked before each call. */
  approval?: boolean,
};

/** How far a call has come. */
export type ToolProgress = {
  /** What is done, in the tool's own unit. */
  progress: number,
  /** How much there is to do, if the tool knows it. */
  total?: number,
  /** What the tool says about it. */
  message?: string,
};

/** A secret for HTTP tools, and where it may be sent. */
export type ToolSecret = {
  /** Scheme, host and port that it may be sent to, for example `https://api.github.com`. */
  origin: string,
  /** The environment variables that may hold it, separated by commas. Without one, the stored key of the provider of the same
   * name and origin.
   */
  variable?: string,
};

/** What the person allows tools. Never part of a flow. */
export type ToolSettings = {
  /** Hosts that tools may request although their addresses are not public: `NAME` or `NAME:PORT`. */
  allowedHosts?: Array<string>,
  /** The secrets that headers of HTTP tools may name as `${NAME}`. */
  secrets?: { [key in string]: ToolSecret },
};

/** A tool as a model sees it; also the value on tools edges. */
export type ToolSpec = {
  /** Unique among the tools of a call. */
  name: string,
  /** Written for the model. */
  description: string,
  /** The JSON Schema of its arguments. */
  parameters: Record<string, unknown>,
  /** Which host runs it, and from where it comes: `native`, `http`, or `mcp:SERVER`. */
  source: string,
  /** Instructions for its use; they become a block of the prompt. */
  instructions?: string,
  /** What its host needs to know besides the arguments, such as the request of an HTTP tool. Models do not see it. */
  binding?: unknown,
  /** What a call changes. Left out if it is nothing, so that requests to models keep the reply keys they had before. */
  effect?: ToolEffect,
  /** How it is called. */
  policy?: ToolPolicy,
};

/** A tool, for a list to choose from. */
export type ToolSummary = {
  /** Its name in flows. */
  name: string,
  /** What it does, as models read it. */
  description: string,
  /** What a call changes. */
  effect: ToolEffect,
};

/** What a span of a trace is. */
export type TraceKind = "run" | "iteration" | "node" | "modelCall" | "toolCall";

/** `lens.trace`: what ran inside of what in a run and its child runs, with timings, tokens and costs. `run.unknown`. */
export type TraceRun = { run: RunId,
};

/** One span of a trace, with what lies in it. */
export type TraceSpan = { kind: TraceKind,
  /** The flow, the node, the model or the tool; empty for an iteration. */
  name: string, epoch: Epoch,
  /** The state of an activation. */
  state?: NodeState,
  /** The status of a run. */
  status?: RunStatus,
  /** The run, if it is one. */
  run?: RunId,
  /** In milliseconds since the Unix epoch. */
  startedAt: number,
  /** Absent while it goes on. */
  endedAt?: number,
  /** How many attempts an activation needed, if more than one. */
  attempts?: number,
  /** What the model calls in it used. A run's own does not have that of its child runs. */
  tokens: TokenUsage, cost: Cost,
  /** Whether it took what an earlier run had bought or called. */
  reused?: boolean,
  /** Why it failed. */
  error?: ErrorCode, children?: Array<TraceSpan>,
};

/** The limits of a run tree. Those that are not set are set elsewhere: the flow's take precedence over the application's, and
 * these over the defaults.
 */
export type TreeLimits = {
  /** How many runs there may be, the root included. */
  maxRuns?: number,
  /** How many model calls may be answered. Replies that are reused do not count. */
  maxModelCalls?: number,
  /** After how many events no node starts any more. */
  maxEvents?: number,
};

/** A mixture. */
export type Trial = {
  /** The places of its swaps in the inquiry. */
  swaps: number[],
  /** What one sample costs at most, in billionths of a US dollar, without calls that have no upper bound. */
  atMostNanoUsd: number,
  /** How many calls and nodes have no upper bound. */
  unknown: number,
  /** Why it is not run. */
  refused?: string,
  /** Its samples so far. */
  runs: Array<TrialRun>,
};

/** A sample of a mixture. */
export type TrialRun = { run: RunId,
  /** Whether its outcome is that of the second run. Nothing if it was canceled at a question, or the condition has no value. */
  flipped?: boolean,
  /** What it asked that nobody was asked in the two runs, so that it was canceled. */
  unanswered?: string,
  /** What it bought, in billionths of a US dollar. */
  nanoUsd: number,
};

/** A config that a person tries on a node. */
export type TrialView = {
  /** The config that the flow has. */
  was: Record<string, unknown>, config: Record<string, unknown>,
};

/** Which way into its flow a node is. */
export type Trigger = "default" | "other";

/** `run.tryConfig`: has a node of a run that stands still execute with another config, from its next start on. The flow stays as it is.
 * `flow.invalid` and `grant.needed` where a run of the flow with that config would not start, `debug.cannot_try`, `debug.moved_on`.
 */
export type TryConfig = {
  /** The run that is held. */
  run: RunId,
  /** The number of the stop. */
  stop: number, node: NodeId,
  /** All of the config. */
  config: Record<string, unknown>,
};

/** How far a turn got. */
export type TurnState = "started" | "committed" | "discarded";

/** A turn in a context. */
export type TurnView = { contextId: ContextId,
  /** How far it got. */
  state: TurnState,
  /** The messages it added. */
  messages: Array<MessageId>,
  /** What had been streamed when it was given up. */
  partial?: string,
};

/** A difference between a node and its original that nobody has confirmed yet. */
export type Unconfirmed = { "kind": "neverStarted",
  /** The trigger that starts it in the original. */
  trigger?: string, } | { "kind": "edgeLost",
  /** The name of the node in the original. */
  after: string, } | { "kind": "standsFor", name: string, } | { "kind": "noModel"
};

/** A node whose calls have no upper bound. */
export type UnknownCost = { node: NodeId, reason: UnknownReason,
};

/** Why there is no upper bound for what the calls of a node cost. */
export type UnknownReason = { "kind": "noPrice", model: string, } | { "kind": "noMaxTokens" } | { "kind": "noLimit" } | { "kind": "subflow" } | { "kind": "noPrompt" } | { "kind": "tooLarge"
};

/** `published.remove`: serves a flow no longer. Its versions are kept. `published.unknown`. */
export type Unpublish = { name: string,
};

/** A run that could not be read to the end. */
export type UnreadableRun = { run: RunId, error: ErrorReply,
};

/** The usage of several days. */
export type Usage = {
  /** The days on which a model was called, newest first. */
  days: Array<DayUsage>,
  /** The sum of all days. */
  total: Spending,
  /** The date of the price table, as `2026-08-06`. Each call keeps the price that was in force when it was made. */
  pricesDate: string,
};

/** `usage.byDay`: usage by day, in the local time zone, and by model. The day of a call counts, not that of its run. */
export type UsageByDay = {
  /** The number of days up to and including today; 30 when left out. */
  days?: number,
};

/** The users. There is always a current one, and it is one of them. */
export type UserList = {
  /** Whose runs, conversations and memories are shown, and to whom new ones belong. */
  current: UserName,
  /** All users, by name. */
  names: Array<UserName>,
};

/** The name of a user. */
export type UserName = string;

/** A value that differs. */
export type ValueChange = {
  /** A JSON pointer to it, from the node or the flow that has it. */
  pointer: string,
  /** Nothing if it was added. */
  before?: unknown,
  /** Nothing if it was removed. */
  after?: unknown,
  /** The words of both, if both are texts. */
  words?: Array<TextPiece>,
};

/** What an inquiry has found. */
export type Verdict = { "kind": "open" } | { "kind": "found", causes: Array<FoundCause>, } | { "kind": "notFound"
};

export type VersionRun = { run: RunId,
  /** In milliseconds since the Unix epoch. */
  startedAt: number, status: RunStatus,
};

/** A version with its flow. */
export type VersionedFlow = { flow: Flow,
  /** Counts from 1. */
  version: number,
  /** When it was published. */
  at: string,
  /** The name of the token that published it, or `terminal`. */
  by: string,
  /** The file of the flow: its grants hold for the runs, and tools may read in its folder. */
  path?: string,
};

/** A run that waits, and what an edit does to it. */
export type WaitingRun = { run: RunId,
  /** In milliseconds since the Unix epoch. */
  startedAt: number,
  /** What it asks; the first question of several. */
  question?: string, effect: EditEffect,
  /** Why, as a sentence. */
  why: string,
};

/** What became of an expression. */
export type WatchedValue = { "value": unknown } | { "error": Fault
};

/** How much of the window a prompt takes in one iteration. */
export type WindowShare = { iteration: string, percent: number,
};

/** The memory at one place in plan order. Cheap to clone. */
export type WorkflowMemory = {
  /** The summary of the turns before `turns`. */
  summary?: MemorySummary,
  /** The turns that are not part of the summary, oldest first. More than the recent ones only while no summary succeeds. */
  turns?: Array<MemoryTurn>,
};

/** What a fork asks the world for. */
export type WorldPolicy = {
  /** What is asked again although it is recorded. */
  live?: Array<LivePart>, misses?: Misses,
  /** How replies that are recorded are streamed. */
  pace?: Pace,
};

/** The error codes that this version declares; `docs/error-codes.md` explains each. */
export type ErrorCode = "agent.address" | "agent.no_event" | "agent.no_node" | "agent.no_question" | "agent.not_a_flow" | "agent.not_its_run" | "agent.not_permitted" | "agent.person_decides" | "agent.protocol" | "agent.spent" | "answer.invalid" | "answer.not_waiting" | "answer.schema" | "answer.unknown_node" | "app.internal" | "app.no_threads" | "attachment.bad_value" | "attachment.empty" | "attachment.missing" | "attachment.no_taker" | "attachment.not_asked" | "attachment.other_encoding" | "attachment.too_large" | "attachment.too_many" | "attachment.unknown_type" | "attachment.unreadable" | "attachment.unsupported" | "causes.no_condition" | "causes.no_mixture" | "causes.none" | "causes.same_outcome" | "chat.content_filtered" | "chat.empty_reply" | "chat.incomplete" | "chat.messages" | "chat.no_input" | "chat.no_message" | "chat.no_reply" | "chat.no_tools" | "chat.not_structured" | "chat.reply_changed" | "chat.too_deep" | "chat.too_many_tool_rounds" | "chat.tool_call_in_text" | "chat.truncated" | "chat.unsupported" | "chat.waits" | "check.no_file" | "classify.unreadable" | "command.arguments" | "command.reply" | "command.unknown" | "config.incomplete" | "config.invalid" | "config.no_effect" | "config.unknown_source" | "context.duplicate" | "context.none" | "context.shared_outside_cycle" | "context.too_early" | "context.too_large" | "context.unknown" | "context.unordered" | "conversation.ambiguous" | "conversation.busy" | "conversation.corrupt" | "conversation.has_history" | "conversation.no_context" | "conversation.no_message" | "conversation.no_summary" | "conversation.no_title" | "conversation.none" | "conversation.other_user" | "conversation.unknown" | "dap.address" | "dap.arguments" | "dap.beginning" | "dap.no_question" | "dap.not_changeable" | "dap.not_stopped" | "dap.order" | "dap.past" | "dap.protocol" | "dap.unknown_id" | "dap.unknown_request" | "debug.bad_breakpoint" | "debug.bad_history" | "debug.cannot_pause" | "debug.cannot_retry" | "debug.cannot_skip" | "debug.cannot_try" | "debug.moved_on" | "debug.no_breakpoint" | "debug.no_file" | "debug.no_history" | "debug.no_place" | "debug.no_trial" | "debug.no_value" | "debug.no_way" | "debug.retried" | "debug.stopped" | "debug.unknown_node" | "debug.wrong_type" | "dialog.not_a_file" | "dialog.not_unicode" | "dialog.unavailable" | "diff.arguments" | "edge.dangling" | "edge.unknown_port" | "edge.wrong_kind" | "edge.wrong_type" | "engine.no_end" | "engine.stuck" | "expression.failed" | "expression.limit" | "expression.unavailable" | "extract.invalid" | "flow.changed_on_disk" | "flow.circular" | "flow.disk_full" | "flow.duplicate_id" | "flow.exists" | "flow.holds_secret" | "flow.integer_too_large" | "flow.invalid" | "flow.mixed_cycles" | "flow.nested_too_deep" | "flow.newer_version" | "flow.not_found" | "flow.not_json" | "flow.not_text" | "flow.read_only" | "flow.too_large" | "flow.truncated" | "flow.unknown" | "flow.unknown_example" | "flow.unreadable" | "flow.unwritable" | "flow.wrong_shape" | "grant.asks" | "grant.denied" | "grant.invalid" | "grant.missing" | "grant.needed" | "grant.no_file" | "history.no_summary" | "history.no_turn" | "history.not_waiting" | "history.template_ignored" | "host.address" | "host.audit" | "host.body" | "host.busy" | "host.callback" | "host.callback_file" | "host.callback_secret" | "host.certificate" | "host.closing" | "host.database" | "host.database_newer" | "host.forbidden" | "host.identity_provider_exists" | "host.identity_provider_unknown" | "host.identity_providers" | "host.machine_only" | "host.newer_worker" | "host.not_in_database" | "host.not_served" | "host.own_runs" | "host.path" | "host.rate" | "host.restate" | "host.restate_key" | "host.route" | "host.runs" | "host.slow" | "host.stopped" | "host.tenant_exists" | "host.tenant_name" | "host.tenant_unknown" | "host.tenants" | "host.token_expiry" | "host.token_name" | "host.token_unknown" | "host.tokens" | "host.too_large" | "host.unauthorized" | "host.unreachable" | "hosts.bad_address" | "hosts.bad_name" | "hosts.no_token" | "hosts.other_server" | "hosts.unknown" | "hosts.unreachable" | "hosts.unreadable" | "import.edge_lost" | "import.never_started" | "import.no_graph" | "import.no_record" | "import.placeholder" | "import.too_large" | "import.unknown_format" | "import.unreadable" | "import.wrong_shape" | "input.too_deep" | "input.type" | "journal.corrupt" | "journal.diverged" | "journal.empty" | "journal.impossible" | "journal.other_revision" | "journal.out_of_order" | "journal.unwritable" | "json.limit" | "json.query" | "keys.bad_key" | "keys.damaged" | "keys.keychain_failed" | "keys.locked" | "keys.newer" | "keys.nowhere" | "keys.passphrase_missing" | "keys.secret_missing" | "keys.unreadable" | "keys.unwritable" | "keys.wrong_passphrase" | "knowledge.bad_file" | "knowledge.damaged" | "knowledge.embeddings" | "knowledge.exists" | "knowledge.index" | "knowledge.name" | "knowledge.no_folder" | "knowledge.no_query" | "knowledge.outside" | "knowledge.source" | "knowledge.stopped" | "knowledge.too_large" | "knowledge.unknown" | "knowledge.unsafe_folder" | "layout.failed" | "lens.bad_place" | "lens.no_call" | "lens.no_place" | "lens.no_request" | "lens.no_text" | "loop.bad_parent" | "loop.context_changed" | "loop.no_exit" | "loop.none" | "loop.side_exit" | "loop.unused_limit" | "matrix.runs" | "mcp.backing_off" | "mcp.cannot_start" | "mcp.ended" | "mcp.entry_invalid" | "mcp.invalid_message" | "mcp.no_handshake" | "mcp.no_variable" | "mcp.refused" | "mcp.server_exists" | "mcp.timeout" | "mcp.too_large" | "mcp.too_many_tools" | "mcp.tool_failed" | "mcp.tools_changed" | "mcp.unauthorized" | "mcp.unclear_request" | "mcp.unknown_server" | "mcp.unreachable" | "memory.ambiguous" | "memory.damaged" | "memory.empty" | "memory.full" | "memory.has_steps" | "memory.no_summary" | "memory.off" | "memory.read_only" | "memory.too_long" | "memory.unavailable" | "memory.unknown" | "model.no_sampling" | "model.none" | "node.bad_limits" | "node.cancelled" | "node.panicked" | "node.skipped_after_failure" | "node.stopped" | "node.timeout" | "node.too_deep" | "node.unknown" | "node.unknown_type" | "nodes.unknown" | "openid.issuer" | "openid.refused" | "openid.unreachable" | "output.failed" | "output.not_json" | "owner.closed" | "owner.lost" | "owner.other_version" | "owner.panicked" | "owner.refused" | "owner.too_large" | "owner.unreadable" | "pin.empty" | "pin.error" | "pin.in_cycle" | "pin.not_in_schema" | "pin.not_possible" | "pin.not_remembered" | "pin.too_large" | "pin.unknown_port" | "pin.wrong_type" | "pipeline.anchor" | "pipeline.duplicate_key" | "pipeline.duplicate_name" | "pipeline.empty" | "pipeline.invalid_name" | "pipeline.missing_key" | "pipeline.not_expressible" | "pipeline.not_yaml" | "pipeline.order" | "pipeline.step_in_both_sources" | "pipeline.tab" | "pipeline.unknown_agent" | "pipeline.unknown_key" | "pipeline.unknown_kind" | "pipeline.unknown_step" | "pipeline.unknown_variable" | "pipeline.unsupported" | "pipeline.version" | "pipeline.wrong_type" | "port.fed_and_overridden" | "port.fed_twice" | "port.unfed" | "port.unknown" | "portal.no_entrance" | "proposal.no_change" | "proposal.outdated" | "proposal.too_many" | "proposal.unknown" | "provider.bad_options" | "provider.bad_request" | "provider.bad_settings" | "provider.built_in" | "provider.certificate" | "provider.content_filtered" | "provider.context_exceeded" | "provider.cut_short" | "provider.exists" | "provider.invalid_response" | "provider.no_client" | "provider.no_key" | "provider.no_models" | "provider.not_found" | "provider.overloaded" | "provider.proxy" | "provider.rate_limited" | "provider.script_over" | "provider.server_error" | "provider.timeout" | "provider.unauthorized" | "provider.unknown" | "provider.unknown_preset" | "provider.unreachable" | "published.bad_name" | "published.bad_schedule" | "published.damaged" | "published.unknown" | "quota.bad" | "quota.exceeded" | "quota.no_price" | "quota.node_exceeded" | "quota.overrun" | "record.command" | "record.differs" | "record.ended_early" | "record.endpoint" | "record.log" | "record.no_calls" | "record.not_a_program" | "record.not_recorded" | "record.redrafted" | "record.stuck" | "record.upstream" | "recording.changed" | "recording.damaged" | "recording.mask" | "recording.newer" | "recording.not_read" | "recording.not_written" | "recording.too_large" | "recording.unknown_form" | "run.ambiguous" | "run.bad_id" | "run.busy" | "run.cancelled" | "run.ended" | "run.exists" | "run.in_conversation" | "run.is_child" | "run.lost" | "run.no_event" | "run.no_place" | "run.none" | "run.not_a_fork" | "run.not_cancelled" | "run.not_confirmed" | "run.not_recorded" | "run.not_retryable" | "run.not_running" | "run.not_waiting" | "run.superseded" | "run.too_many_events" | "run.too_many_model_calls" | "run.too_many_runs" | "run.unknown" | "run.unknown_target" | "run.unknown_trigger" | "settings.bad_value" | "settings.context_window" | "settings.folders" | "settings.holds_secret" | "settings.limits" | "settings.max_concurrency" | "settings.max_unattended_epochs" | "settings.memory" | "settings.price" | "settings.redaction" | "settings.telemetry" | "settings.tools" | "settings.unknown_key" | "settings.unreadable" | "settings.unwritable" | "settings.wrong_layer" | "store.changed_outside" | "store.corrupt" | "store.full" | "store.io" | "store.locked" | "store.newer" | "store.no_home" | "store.old_form" | "subflow.cancelled" | "subflow.failed" | "subflow.hard_link" | "subflow.invalid" | "subflow.lost" | "subflow.not_found" | "subflow.other_folder" | "subflow.outside_project" | "subflow.recursion" | "subflow.secret_file" | "subflow.too_deep" | "subflow.unavailable" | "subflow.unreadable" | "subflow.unsafe_folder" | "suite.bad_check" | "suite.bad_dataset" | "suite.bad_row" | "suite.bad_variant" | "suite.dataset_not_read" | "suite.duplicate_case" | "suite.empty" | "suite.exists" | "suite.invalid" | "suite.newer" | "suite.no_answer" | "suite.no_effect" | "suite.no_flow" | "suite.no_tests" | "suite.no_verdict" | "suite.no_world" | "suite.not_added" | "suite.not_exported" | "suite.not_finished" | "suite.not_found" | "suite.not_read" | "suite.not_run" | "suite.not_written" | "suite.nothing_to_debug" | "suite.other_flow" | "suite.stopped" | "suite.syntax" | "suite.unknown_case" | "suite.unknown_column" | "switch.condition" | "switch.too_much" | "telemetry.bad_endpoint" | "telemetry.export_failed" | "telemetry.no_endpoint" | "template.forbidden" | "template.missing_value" | "template.no_name" | "template.not_a_list" | "template.render" | "template.source_too_large" | "template.syntax" | "template.too_deep" | "template.too_large" | "template.too_many_steps" | "template.unknown" | "template.unknown_helper" | "tool.address_refused" | "tool.asks" | "tool.bad_arguments" | "tool.bad_expression" | "tool.bad_schema" | "tool.bad_url" | "tool.code_failed" | "tool.code_limit" | "tool.hard_link" | "tool.http_status" | "tool.interrupted" | "tool.no_folder" | "tool.no_model" | "tool.no_result" | "tool.no_secret" | "tool.not_found" | "tool.not_offered" | "tool.not_text" | "tool.outside_folder" | "tool.protected_file" | "tool.read_only_folder" | "tool.redirected" | "tool.rejected" | "tool.request_failed" | "tool.sampling_too_large" | "tool.secret_file" | "tool.timeout" | "tool.too_deep" | "tool.too_large" | "tool.too_many_requests" | "tool.unknown" | "tool.unreadable" | "tool.unsafe_folder" | "tool.unwritable" | "tool.worker_unavailable" | "tools.bad_declaration" | "tools.duplicate" | "tools.unknown" | "tools.unreadable" | "traces.form" | "traces.no_calls" | "usage.host" | "usage.input" | "user.bad_name" | "user.current" | "user.exists" | "user.has_memories" | "user.too_many" | "user.unknown" | "window.close" | "window.open";

/** Every command: its arguments and its reply. */
export type Commands = {
  "app.info": { args: GetAppInfo; reply: AppInfo };
  "app.acceptDocument": { args: AcceptDocument; reply: null };
  "attachment.add": { args: AddAttachment; reply: Attachment };
  "attachment.get": { args: GetAttachment; reply: AttachmentBytes };
  "nodes.list": { args: ListNodes; reply: Array<NodeDescriptor> };
  "flow.check": { args: CheckFlow; reply: CheckedFlow };
  "flow.diff": { args: DiffFlows; reply: FlowDiff };
  "flow.open": { args: OpenFlow; reply: OpenedFlow };
  "flow.read": { args: ReadFlow; reply: Flow };
  "flow.nearby": { args: ListNearbyFlows; reply: Array<string> };
  "flow.save": { args: SaveFlow; reply: SavedFlow };
  "flow.new": { args: NewFlow; reply: Flow };
  "flow.import": { args: ImportFlow; reply: ImportedFlow };
  "flow.examples": { args: ListExamples; reply: Array<ExampleFlow> };
  "flow.example": { args: OpenExample; reply: Flow };
  "flow.recent": { args: ListRecent; reply: Array<RecentFlow> };
  "flow.forget": { args: ForgetFlow; reply: null };
  "templates.list": { args: ListTemplates; reply: Array<TemplateSummary> };
  "templates.open": { args: OpenTemplate; reply: Flow };
  "templates.save": { args: SaveTemplate; reply: SavedTemplate };
  "templates.rename": { args: RenameTemplate; reply: null };
  "templates.remove": { args: RemoveTemplate; reply: null };
  "autosave.put": { args: PutAutosave; reply: null };
  "autosave.list": { args: ListAutosaves; reply: Array<Autosave> };
  "autosave.drop": { args: DropAutosave; reply: null };
  "proposal.make": { args: ProposeFlow; reply: ShownProposal };
  "proposal.list": { args: ListProposals; reply: Array<ProposalSummary> };
  "proposal.show": { args: ShowProposal; reply: ShownProposal };
  "proposal.accept": { args: AcceptProposal; reply: SavedFlow };
  "proposal.drop": { args: DropProposal; reply: ProposalSummary };
  "flow.forecast": { args: ForecastFlow; reply: FlowForecast };
  "run.start": { args: StartRun; reply: StartedRun };
  "import.compare": { args: CompareImport; reply: ImportComparison };
  "run.rerun": { args: RerunRun; reply: StartedRun };
  "run.bill": { args: BillRerun; reply: Bill };
  "run.beginInquiry": { args: BeginInquiry; reply: InquiryState };
  "run.continueInquiry": { args: ContinueInquiry; reply: InquiryState };
  "run.retry": { args: RetryRun; reply: StartedRun };
  "recording.export": { args: ExportRecording; reply: ExportedRecording };
  "recording.read": { args: ReadRecording; reply: RecordingSummary };
  "program.keep": { args: KeepProgram; reply: KeptProgram };
  "program.import_traces": { args: ImportTraces; reply: KeptProgram };
  "program.draft": { args: DraftProgram; reply: Flow };
  "program.exchanges": { args: GetExchanges; reply: string };
  "run.checkWaiting": { args: CheckWaiting; reply: Array<WaitingRun> };
  "run.move": { args: MoveRun; reply: StartedRun };
  "run.answer": { args: AnswerRun; reply: null };
  "run.end": { args: EndPause; reply: null };
  "run.pin": { args: PinTurn; reply: null };
  "run.setBreakpoints": { args: SetBreakpoints; reply: null };
  "flow.checkBreakpoint": { args: CheckBreakpoint; reply: Breakpoint };
  "run.putBreakpoint": { args: PutBreakpoint; reply: Breakpoint };
  "run.dropBreakpoint": { args: DropBreakpoint; reply: null };
  "run.stop": { args: StopRun; reply: null };
  "run.held": { args: FindHeld; reply: Array<HeldRun> };
  "run.changeValue": { args: ChangeValue; reply: null };
  "run.editHistory": { args: EditHistory; reply: null };
  "run.forceWay": { args: ForceWay; reply: null };
  "run.tryConfig": { args: TryConfig; reply: null };
  "run.dropTrials": { args: DropTrials; reply: null };
  "run.acceptTrials": { args: AcceptTrials; reply: AcceptedTrials };
  "run.nodeConfig": { args: ShowNodeConfig; reply: NodeConfig };
  "run.heldHistory": { args: HeldHistory; reply: ContextRecord | null };
  "run.go": { args: GoOn; reply: null };
  "run.continueAll": { args: ContinueAll; reply: null };
  "run.cancel": { args: CancelRun; reply: null };
  "run.resume": { args: ResumeRun; reply: null };
  "runs.find": { args: FindRuns; reply: FoundRuns };
  "runs.list": { args: ListRuns; reply: Array<RunSummary> };
  "runs.resolve": { args: ResolveRun; reply: RunId };
  "runs.show": { args: ShowRun; reply: RunDetail };
  "runs.forgetReplies": { args: ForgetReplies; reply: null };
  "runs.remove": { args: RemoveRun; reply: null };
  "flow.versions": { args: ListVersions; reply: Array<FlowVersion> };
  "suite.find": { args: FindSuites; reply: Array<string> };
  "suite.open": { args: OpenSuite; reply: OpenedSuite };
  "suite.bill": { args: BillSuite; reply: SuiteBill };
  "suite.run": { args: RunTest; reply: CaseOutcome };
  "suite.forget": { args: ForgetResults; reply: null };
  "suite.add": { args: AddTest; reply: AddedTest };
  "suite.debug": { args: DebugTest; reply: DebuggedTest };
  "suite.table": { args: TabulateResults; reply: ResultTable };
  "suite.export": { args: ExportResults; reply: number };
  "suite.grade": { args: GradeResult; reply: Grade | null };
  "conversations.list": { args: ListConversations; reply: Array<ConversationRecord> };
  "conversations.resolve": { args: ResolveConversation; reply: ConversationId };
  "conversations.get": { args: GetConversation; reply: ConversationRecord };
  "conversations.open": { args: OpenConversation; reply: ConversationRecord };
  "conversations.messages": { args: ListMessages; reply: MessagesPage };
  "conversations.rename": { args: RenameConversation; reply: ConversationRecord };
  "conversations.fork": { args: ForkConversation; reply: ForkedConversation };
  "conversations.keep": { args: KeepFork; reply: KeptFork };
  "conversations.delete": { args: DeleteConversation; reply: null };
  "conversations.export": { args: ExportConversation; reply: ExportedConversation };
  "lens.list": { args: ListPrompts; reply: Array<PromptRun> };
  "lens.show": { args: ShowPrompts; reply: PromptsOfRun };
  "lens.trace": { args: TraceRun; reply: TraceSpan };
  "lens.turns": { args: ListTurns; reply: Array<LoopTurnsView> };
  "lens.search": { args: SearchPrompts; reply: Array<PromptHit> };
  "lens.compare": { args: CompareRuns; reply: RunComparison };
  "lens.matrix": { args: CompareManyRuns; reply: RunMatrix };
  "lens.lineage": { args: FollowText; reply: LineageChain };
  "lens.evaluate": { args: EvaluateWatches; reply: Array<WatchedValue> };
  "lens.request": { args: GetCallRequest; reply: CallRequest };
  "lens.export": { args: ExportSpans; reply: ExportedSpans };
  "knowledge.list": { args: ListKnowledge; reply: Array<BaseStatus> };
  "knowledge.add": { args: AddKnowledge; reply: BaseStatus };
  "knowledge.remove": { args: RemoveKnowledge; reply: null };
  "knowledge.reindex": { args: ReindexKnowledge; reply: BaseStatus };
  "knowledge.cancel": { args: CancelKnowledge; reply: null };
  "knowledge.search": { args: SearchKnowledge; reply: Retrieval };
  "knowledge.source": { args: GetKnowledgeSource; reply: SourceText };
  "memories.list": { args: ListMemories; reply: MemoryPage };
  "memories.resolve": { args: ResolveMemory; reply: MemoryRecord };
  "memories.add": { args: AddMemory; reply: MemoryRecord };
  "memories.edit": { args: EditMemory; reply: MemoryRecord };
  "memories.erase": { args: EraseMemories; reply: ErasedMemories };
  "memories.export": { args: ExportMemories; reply: ExportedMemories };
  "users.list": { args: ListUsers; reply: UserList };
  "users.add": { args: AddUser; reply: UserList };
  "users.switch": { args: SwitchUser; reply: UserList };
  "users.remove": { args: RemoveUser; reply: UserList };
  "grants.show": { args: ShowGrants; reply: FlowGrants };
  "grants.set": { args: SetGrants; reply: null };
  "grants.revoke": { args: RevokeGrants; reply: null };
  "hosts.list": { args: ListHosts; reply: Array<ListedHost> };
  "hosts.add": { args: AddHost; reply: null };
  "hosts.remove": { args: RemoveHost; reply: null };
  "hosts.preview": { args: PreviewPublication; reply: PublicationPreview };
  "hosts.publish": { args: PublishOnHost; reply: PublishedVersion };
  "hosts.run": { args: RunPublished; reply: RunOnHost };
  "hosts.pull": { args: PullRun; reply: PulledRun };
  "settings.get": { args: GetSettings; reply: Settings };
  "settings.set": { args: SetSettings; reply: Settings };
  "settings.change": { args: ChangeSettings; reply: Settings };
  "settings.accept": { args: AcceptSettings; reply: Settings };
  "config.explain": { args: ExplainConfig; reply: Array<ResolvedConfig> };
  "config.set": { args: SetConfig; reply: ResolvedConfig };
  "provider.status": { args: GetProviderStatus; reply: ProvidersStatus };
  "provider.setKey": { args: SetKey; reply: ProviderStatus };
  "provider.removeKey": { args: RemoveKey; reply: ProviderStatus };
  "provider.models": { args: ListModels; reply: ModelList };
  "provider.test": { args: TestProvider; reply: TestReport };
  "provider.detect": { args: DetectProviders; reply: Array<DetectedServer> };
  "provider.presets": { args: ListPresets; reply: Array<ProviderPreset> };
  "mcp.list": { args: ListMcpServers; reply: Array<McpServerStatus> };
  "mcp.add": { args: AddMcpServers; reply: McpImport };
  "mcp.remove": { args: RemoveMcpServer; reply: null };
  "mcp.connect": { args: ConnectMcpServer; reply: McpServerDetails };
  "mcp.disconnect": { args: DisconnectMcpServer; reply: null };
  "mcp.acceptTools": { args: AcceptMcpTools; reply: McpServerDetails };
  "mcp.readResource": { args: ReadMcpResource; reply: McpResourceContent };
  "mcp.log": { args: GetMcpLog; reply: Array<McpLogLine> };
  "tokens.count": { args: CountTokens; reply: TokenCount };
  "tools.list": { args: ListTools; reply: Array<ToolSummary> };
  "usage.byDay": { args: UsageByDay; reply: Usage };
  "dialog.open": { args: OpenDialog; reply: PickedPath };
  "dialog.folder": { args: FolderDialog; reply: PickedPath };
  "dialog.save": { args: SaveDialog; reply: PickedPath };
  "image.save": { args: SaveImage; reply: PickedPath };
};

/** The commands that only hosts of other machines have. */
export type HostCommands = {
  "host.about": { args: AboutHost; reply: HostInfo };
  "host.files": { args: HostFiles; reply: Array<HostFile> };
  "host.runTree": { args: ReadRunTree; reply: RunTree };
  "published.list": { args: ListPublished; reply: Array<PublishedFlow> };
  "published.versions": { args: ListPublishedVersions; reply: Array<PublishedVersion> };
  "published.read": { args: ReadPublished; reply: VersionedFlow };
  "published.publish": { args: PublishFlow; reply: PublishedVersion };
  "published.rollBack": { args: RollBack; reply: PublishedVersion };
  "published.schedule": { args: SchedulePublished; reply: string | null };
  "published.remove": { args: Unpublish; reply: null };
};
