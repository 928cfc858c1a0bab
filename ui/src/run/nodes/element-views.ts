/** What the canvas shows of a run: one small record per node and per edge. */
import type { Attachment, Epoch, Fault, NodeId, PortKind, PortName, PromptRecord, ToolProgress } from "@/bindings";
import { plain } from "@/design/markdown/plain-text";
import { displayedEpoch } from "@/run/fold/epoch";
import type { EpochView, NodeState, NodeView } from "@/run/fold/types";
import { isOwnCall } from "@/run/prompt/model-calls";
import { attachmentsIn, isImage } from "@/run/values/attachments";
import { outputsOf, wasStopped } from "@/run/values/outputs";
import { headOf, plainText, previewOf, previewOfContext, previewOfTools, tailOf } from "@/run/values/preview";

/** A node that was only stopped, because its run was, did not fail. */
export type NodeRunState = NodeState | "stopped";

/** How much of a model's window a prompt takes, as the thin bar on a node card draws it. */
export type WindowUse = Readonly<Pick<PromptRecord, "tokens" | "window">>;

export type NodeRun = {
  state: NodeRunState;
  /** The epoch shown: that of the latest activation that was not skipped. */
  epoch: Epoch;
  /** The end of what it streams, or the start of what it said. */
  stream?: string;
  /** What it waits for, or how far the tool has come that is being called, if it reports that. */
  progress?: ToolProgress;
  /** While retrying: which try failed. */
  attempt?: number;
  /** While retrying: when the next try begins. */
  retryAt?: number;
  error?: Fault;
  /** Images among its outputs; absent if there are none. */
  images?: readonly Attachment[];
  windowUse?: WindowUse;
};

export type EdgeRun = {
  /** One short line of the last value that passed. */
  peek: string;
  /** How many values have passed; a change makes the edge pulse. */
  passed: number;
};

/** More than one line of a card; the rest of it is cut off. */
const CARD_TEXT = 80;
/** The end of a text that one line of a card shows in whole. */
const LIVE_TEXT = 32;
/** Some lines below a card. */
const REPLY_TEXT = 420;
const PEEK_TEXT = 160;

// Views are immutable, so results can be cached by view.
const nodeRuns = new WeakMap<NodeView, NodeRun>();
const epochRuns = new WeakMap<EpochView, NodeRun>();
// Outputs are set once and stay the same object while the rest of their view changes.
const outputImages = new WeakMap<Record<PortName, unknown>, readonly Attachment[]>();
const passings = new WeakMap<Record<PortName, unknown>, Map<PortName, Passing>>();

export function nodeRunOf(view: NodeView | undefined): NodeRun | undefined {
  if (!view) return undefined;
  let run = nodeRuns.get(view);
  if (!run) {
    run = toNodeRun(view);
    nodeRuns.set(view, run);
  }
  return run;
}

/** What a node shows of one of its activations. */
export function epochRunOf(view: NodeView, epoch: EpochView): NodeRun {
  let run = epochRuns.get(epoch);
  if (!run) {
    run = toNodeRun({ ...view, state: epoch.state, epoch: epoch.epoch }, epoch);
    epochRuns.set(epoch, run);
  }
  return run;
}

export function nodeStateOf(view: NodeView, displayed = displayedEpoch(view)): NodeRunState {
  const state = displayed?.state ?? view.state;
  if (state !== "failed") return state;
  return displayed && wasStopped(displayed) ? "stopped" : "failed";
}

function toNodeRun(view: NodeView, displayed = displayedEpoch(view)): NodeRun {
  const run: NodeRun = { state: nodeStateOf(view, displayed), epoch: view.epoch };
  if (!displayed) return run;
  const stream = streamOf(displayed);
  if (stream !== undefined) run.stream = stream;
  const calling = displayed.tools.findLast((tool) => tool.progress && tool.endedAt === undefined);
  const progress = calling?.progress ?? displayed.progress;
  if (progress && view.state === "running") run.progress = progress;
  const tried = displayed.attempts.at(-1);
  if (view.state === "retrying" && tried) {
    run.attempt = tried.attempt;
    if (tried.endedAt !== undefined) run.retryAt = tried.endedAt + (tried.delayMs ?? 0);
  } else if (displayed.error && !wasStopped(displayed)) run.error = displayed.error;
  const images = imagesOf(displayed);
  if (images.length > 0) run.images = images;
  const prompt = displayed.calls.findLast((call) => call.prompt && isOwnCall(call))?.prompt;
  if (prompt) run.windowUse = prompt;
  return run;
}

function imagesOf({ outputs }: EpochView): readonly Attachment[] {
  let images = outputImages.get(outputs);
  if (!images) {
    const shown = Object.values(outputs).flatMap(attachmentsIn).filter(isImage);
    images = [...new Map(shown.map((image) => [image.hash, image])).values()];
    outputImages.set(outputs, images);
  }
  return images;
}

/** The text on the card: the end of a stream, or the start of the last reply. */
function streamOf(displayed: EpochView): string | undefined {
  const text = said(displayed);
  if (!text) return undefined;
  return isLive(displayed)
    ? tailOf(plainText(text.slice(-4 * CARD_TEXT)), LIVE_TEXT)
    : headOf(plainText(text.slice(0, 4 * CARD_TEXT)), CARD_TEXT);
}

/** More of what a node says than its card has room for: the end while it streams, else the start. */
export function replyOf(view: NodeView, displayed = displayedEpoch(view)): string | undefined {
  const text = displayed && plainText(said(displayed) ?? "").trim();
  if (!displayed || !text || text.length <= LIVE_TEXT) return undefined;
  if (text.length <= REPLY_TEXT) return text;
  return isLive(displayed) ? `…${text.slice(-REPLY_TEXT)}` : `${text.slice(0, REPLY_TEXT)}…`;
}

function said(displayed: EpochView): string | undefined {
  if (isLive(displayed)) return displayed.streamed;
  return displayed.calls.findLast((call) => call.reply?.text && isOwnCall(call))?.reply?.text || displayed.streamed;
}

function isLive({ state }: EpochView): boolean {
  return state === "running" || state === "ready" || state === "retrying";
}

type Passing = { value: unknown; passed: number };

/** The last value that left by this port, and how many have. The same object while both are the same. */
export function passingOf(node: NodeId, view: NodeView | undefined, port: PortName): Passing | undefined {
  if (!view) return undefined;
  let passed = 0;
  let last: Record<PortName, unknown> | undefined;
  for (const epoch of view.epochs) {
    const outputs = outputsOf(node, epoch);
    if (!Object.hasOwn(outputs, port)) continue;
    passed += 1;
    last = outputs;
  }
  return last && passingAt(last, port, passed);
}

/** What left by this port in one activation. The same object while it is the same. */
export function passingIn(node: NodeId, epoch: EpochView | undefined, port: PortName): Passing | undefined {
  const outputs = epoch && outputsOf(node, epoch);
  return outputs && Object.hasOwn(outputs, port) ? passingAt(outputs, port, 1) : undefined;
}

function passingAt(last: Record<PortName, unknown>, port: PortName, passed: number): Passing {
  let ports = passings.get(last);
  if (!ports) {
    ports = new Map();
    passings.set(last, ports);
  }
  let passing = ports.get(port);
  if (passing?.passed !== passed) {
    passing = { value: last[port], passed };
    ports.set(port, passing);
  }
  return passing;
}

export function peekOf(passing: Passing, kind: PortKind): string {
  if (kind === "context") return previewOfContext(passing.value, PEEK_TEXT);
  if (kind === "tools") return previewOfTools(passing.value, PEEK_TEXT);
  const { value } = passing;
  return previewOf(typeof value === "string" ? plain(value.slice(0, 4 * PEEK_TEXT)) : value, PEEK_TEXT);
}
