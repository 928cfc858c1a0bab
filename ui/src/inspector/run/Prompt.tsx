import { useMemo, useState } from "react";
import { useStore } from "zustand";
import type { NodeId, PromptRecord, PromptShare, ShareKind, StopReason } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { ChoiceBar } from "@/design/controls/ChoiceBar";
import { Switch } from "@/design/controls/Switch";
import { plain } from "@/design/markdown/plain-text";
import { Empty } from "@/design/text/Empty";
import type { EpochView, ModelCallView, NodeView } from "@/run/fold/types";
import { isOwnCall, previousCall } from "@/run/prompt/model-calls";
import { diffPrompts, type PromptDiff } from "@/run/prompt/prompt-diff";
import { type Line, linesOf } from "@/run/prompt/prompt-lines";
import { describeTokens, formatCost, formatCount, formatDuration } from "@/run/values/format";
import { Reasoning } from "@/run/values/Reasoning";
import { Truncated } from "@/run/values/Truncated";
import { CopyButton, ValueView } from "@/run/values/ValueView";
import { useWorkspace } from "@/workspace/context";
import { SettingsButton } from "@/workspace/errors/ErrorActionButton";
import { useChosenEpoch, useShownRun } from "@/workspace/run-hooks";
import { Forecast } from "./Forecast";
import { Knowledge } from "./Knowledge";
import { CopyAsCurl } from "./PromptActions";
import { PromptMessages } from "./PromptMessages";
import { PromptSearch } from "./PromptSearch";
import { RunPage } from "./RunPage";
import { Section } from "./Section";
import { SourceLink } from "./SourceLink";
import { Traceable } from "./Traceable";
import { SCHEMA_FORMS, TEXTS } from "./texts";
import { type CallPlace, type LensReply, useLensCall } from "./useLensCall";

/** The exact messages of a model call. */
export function Prompt({ nodeId }: { nodeId: NodeId }) {
  const workspace = useWorkspace();
  const shown = useShownRun();
  const { view, epoch } = useChosenEpoch(nodeId);
  const chosen = useStore(workspace.epochChoice.store, (choices) => workspace.epochChoice.callOf(nodeId, choices));
  const calls = epoch?.calls ?? [];
  const call = calls.find((_, index) => index === chosen) ?? calls.findLast(isOwnCall) ?? calls.at(-1);
  const place = shown && epoch && call && { run: shown.run, node: nodeId, epoch, call };
  const lens = useLensCall(place);
  if (!shown || !view || !epoch || !call?.prompt || !place) {
    return (
      <RunPage label={TEXTS.prompt}>
        <Forecast node={nodeId} detailed />
        <Empty title={TEXTS.noModelCall}>
          <p>{shown && epoch ? TEXTS.nodeCalledNoModel : TEXTS.showsExactPromptEach}</p>
        </Empty>
      </RunPage>
    );
  }
  const { prompt } = call;
  return (
    <RunPage label={TEXTS.prompt} data-testid="prompt-lens">
      <PromptSearch run={shown.run} />
      <div className="mb-1 flex flex-wrap items-center gap-2">
        <b className="truncate font-semibold">{TEXTS.sentToModel}</b>
        {lens.call?.badges.includes("conversationInjected") ? <InjectedBadge /> : null}
        <span className="flex-1" />
        {calls.length > 1 ? (
          <StepPicker
            calls={calls}
            call={call}
            onPick={(step) => workspace.epochChoice.chooseCall(nodeId, epoch.epoch, step)}
          />
        ) : null}
      </div>
      <Sent place={place} view={view} prompt={prompt} lens={lens} />
      {prompt.refused ? (
        <p className="mt-1.5 text-wait text-xs" title={plain(prompt.refused.message)} data-testid="prompt-refused">
          {TEXTS.refusedPrompt(prompt.refused.tokens, prompt.refused.limit)}
        </p>
      ) : null}
      <Reply call={call} place={place} />
      <Knowledge view={epoch} />
    </RunPage>
  );
}

/** The turns of a loop's conversation are part of the prompt. */
function InjectedBadge() {
  return (
    <span
      className="shrink-0 rounded-[4px] border border-context/50 px-1.5 font-semibold text-context text-xs"
      title={TEXTS.conversationInjectedHint}
      data-testid="conversation-injected"
    >
      {TEXTS.conversationInjected}
    </span>
  );
}

type SentProps = {
  place: CallPlace;
  view: NodeView;
  prompt: PromptRecord;
  lens: LensReply;
};

const NO_LINES: readonly Line[] = [];
const NO_SHARES: readonly PromptShare[] = [];

const VIEWS = [
  { id: "messages", label: TEXTS.asMessages },
  { id: "json", label: TEXTS.asJson },
] as const;

function Sent({ place, view, prompt, lens }: SentProps) {
  const { run, node, epoch, call } = place;
  const lines = useMemo(() => (lens.call ? linesOf(lens.call) : NO_LINES), [lens.call]);
  const [shown, setShown] = useState<(typeof VIEWS)[number]["id"]>("messages");
  const [folded, setFolded] = useState(false);
  const [compared, setCompared] = useState(false);
  const before = compared ? previousCall(view, epoch, call) : undefined;
  const earlier = useLensCall(before && { ...place, ...before }).call;
  const index = epoch.calls.indexOf(call);
  const sent = useMemo(() => ({ run, node, epoch: epoch.epoch, call: index }), [run, node, epoch.epoch, index]);
  const diff = useMemo(() => earlier && diffPrompts(linesOf(earlier), lines), [earlier, lines]);
  return (
    <>
      <WindowUse prompt={prompt} shares={lens.call?.shares ?? NO_SHARES} />
      <Forecast node={node} />
      <p className="mt-1.5 break-words text-fg-2 text-xs">
        <span className="text-fg-3">{TEXTS.replyTo}</span>
        {prompt.provider} · {prompt.model}
        {prompt.tools && prompt.tools.length > 0 ? (
          <>
            <span className="text-fg-3">{TEXTS.andTools}</span>
            <span className="font-mono">{prompt.tools.join(", ")}</span>
          </>
        ) : null}
      </p>
      {prompt.settings?.schemaForm && prompt.settings.schemaForm !== "enforced" ? (
        <p className="break-words text-fg-2 text-xs" data-testid="schema-form">
          <span className="text-fg-3">{TEXTS.replySchema}</span>
          {SCHEMA_FORMS[prompt.settings.schemaForm]}
        </p>
      ) : null}
      {prompt.settings?.refusedParameters?.length ? (
        <p className="break-words text-fg-2 text-xs" data-testid="refused-parameters">
          <span className="text-fg-3">{TEXTS.notSent}</span>
          <span className="font-mono">{prompt.settings.refusedParameters.join(", ")}</span>
          {TEXTS.refusedByModel}
        </p>
      ) : null}
      <MessageSources prompt={prompt} epoch={epoch} />
      <div className="mt-2.5 flex flex-wrap items-center gap-2">
        <ChoiceBar label={TEXTS.view} options={VIEWS} value={shown} onChange={setShown} />
        <span className="flex items-center gap-1.5 text-xs">
          <Switch label={TEXTS.compareWithPrevious} checked={compared} onChange={setCompared} />
          <span aria-hidden>{TEXTS.compareWithPrevious}</span>
        </span>
        <span className="flex-1" />
        {shown === "messages" ? (
          <Button kind="quiet" className="h-[26px] px-2 text-xs" onClick={() => setFolded(!folded)}>
            {folded ? TEXTS.expandAll : TEXTS.collapseAll}
          </Button>
        ) : null}
        <CopyAsCurl run={run} node={node} epoch={epoch} call={index} />
        <CopyButton
          value={shown === "json" ? prompt : textOf(lines)}
          label={shown === "json" ? TEXTS.copyPromptAsJson : TEXTS.copyMessages}
        />
      </div>
      {compared ? <DiffSummary diff={diff} isFirst={!before} /> : null}
      {lens.error === undefined ? null : (
        <p className="mt-1.5 text-bad text-xs" role="alert">
          {lens.error}
        </p>
      )}
      {shown === "messages" ? (
        <PromptMessages lines={lines} place={sent} folded={folded} changes={diff?.changes} />
      ) : (
        <div className="mt-2.5">
          <ValueView value={prompt} label={TEXTS.promptAsJson} />
        </div>
      )}
    </>
  );
}

/** What differs from the node's previous call. Nothing until that is known. */
function DiffSummary({ diff, isFirst }: { diff: PromptDiff | undefined; isFirst: boolean }) {
  return (
    <p className="mt-1.5 text-fg-3 text-xs" role="status" data-testid="prompt-diff">
      {diff
        ? `${TEXTS.changedMessages(diff.count)} · ${TEXTS.tokensChanged(formatCount(diff.added), formatCount(diff.removed))}`
        : isFirst
          ? TEXTS.noPreviousCall
          : null}
    </p>
  );
}

/** The messages as one text. */
function textOf(lines: readonly Line[]): string {
  const texts = lines.flatMap((line) => {
    if (line.kind === "message") return [`${line.message.role}:\n${line.text}`];
    return line.kind === "block" ? [`user:\n${line.text}`] : [];
  });
  return texts.join("\n\n");
}

/** The outputs that the user message is made of, each through its edge. */
function MessageSources({ prompt, epoch }: { prompt: PromptRecord; epoch: EpochView }) {
  const sources = (prompt.messageInputs ?? []).flatMap((port) => epoch.inputs[port] ?? []);
  if (sources.length === 0) return null;
  return (
    <fieldset className="mt-1" aria-label={TEXTS.messageFrom}>
      <span className="text-fg-3 text-xs">{TEXTS.messageFrom}</span>
      {sources.map((source) => (
        <SourceLink key={`${source.node} ${source.port} ${source.epoch}`} source={source} />
      ))}
    </fieldset>
  );
}

function StepPicker({
  calls,
  call,
  onPick,
}: {
  calls: readonly ModelCallView[];
  call: ModelCallView;
  onPick: (step: number) => void;
}) {
  return (
    <select
      className="h-[26px] rounded-md border border-line bg-bg-2 px-1 text-xs"
      aria-label={TEXTS.modelCall}
      value={calls.indexOf(call)}
      onChange={(event) => onPick(Number(event.target.value))}
    >
      {calls.map((one, index) => (
        <option key={`${one.step}/${one.sampling?.callId}/${one.startedAt}`} value={index}>
          {TEXTS.call} {index + 1} of {calls.length}
          {one.prompt?.purpose ? ` · ${TEXTS.purposes[one.prompt.purpose]}` : ""}
        </option>
      ))}
    </select>
  );
}

const SHARE_TITLES: Record<ShareKind, string> = {
  system: TEXTS.shareSystem,
  history: TEXTS.shareHistory,
  retrieval: TEXTS.shareRetrieval,
  memory: TEXTS.shareMemory,
  tools: TEXTS.shareTools,
  steps: TEXTS.shareSteps,
  partner: TEXTS.sharePartner,
  question: TEXTS.shareQuestion,
  attachments: TEXTS.shareAttachments,
  reserve: TEXTS.shareReserve,
  free: TEXTS.shareFree,
};

/** The context window as one bar: the parts of the prompt, free room, and the reserve for the reply. */
function WindowUse({ prompt, shares }: { prompt: PromptRecord; shares: readonly PromptShare[] }) {
  const whole = Math.max(
    1,
    shares.reduce((sum, share) => sum + share.tokens, 0),
  );
  const percent = Math.round((100 * prompt.tokens) / Math.max(1, prompt.window));
  return (
    <>
      <p className="mb-1 text-right font-mono text-xs tabular-nums">
        {TEXTS.usedOf(formatCount(prompt.tokens), formatCount(prompt.window))}
      </p>
      <div
        className="flex h-[22px] overflow-hidden rounded-md bg-bg-3"
        role="img"
        aria-label={TEXTS.tokensContextWindow(formatCount(prompt.tokens), formatCount(prompt.window))}
        data-testid="prompt-bar"
      >
        {shares.map(({ kind, tokens }) => (
          <i
            key={kind}
            className={`part-${kind} block`}
            style={{ width: `${(100 * tokens) / whole}%` }}
            title={`${SHARE_TITLES[kind]}: ${formatCount(tokens)}`}
          />
        ))}
      </div>
      <dl className="mt-1.5 grid grid-cols-2 gap-x-4 gap-y-0.5 text-fg-2 text-xs">
        {shares.map(({ kind, tokens }) => (
          <div key={kind} className="flex items-center gap-2">
            <i
              aria-hidden
              className={`part-${kind} size-2 shrink-0 rounded-[2px] ${kind === "free" ? "border border-line-2" : ""}`}
            />
            <dt>{SHARE_TITLES[kind]}</dt>
            <dd className="ml-auto font-mono text-fg tabular-nums">{formatCount(tokens)}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-1.5 text-fg-3 text-xs" data-testid="prompt-use">
        {percent} % of {formatCount(prompt.window)}
        {prompt.counted === undefined
          ? ""
          : TEXTS.countedCalibratedUsageReported(formatCount(prompt.counted), prompt.provider)}
      </p>
    </>
  );
}

const STOP_TEXTS: Record<Extract<StopReason, string>, string | undefined> = {
  end: undefined,
  toolCalls: TEXTS.stopToolCalls,
  maxTokens: TEXTS.stopMaxTokens,
  windowFull: TEXTS.stopWindowFull,
  contentFilter: TEXTS.stopContentFilter,
  malformedToolCall: TEXTS.stopMalformedToolCall,
  unsupportedLanguage: TEXTS.stopUnsupportedLanguage,
  paused: TEXTS.stopPaused,
  interrupted: TEXTS.stopInterrupted,
};

/** Why the model stopped, unless its reply is complete. */
function stopText(reason: StopReason): string | undefined {
  return typeof reason === "object" ? reason.other : STOP_TEXTS[reason];
}

function isTruncated(reason: StopReason): boolean {
  return reason === "maxTokens" || reason === "windowFull";
}

function Reply({ call, place }: { call: ModelCallView; place: CallPlace }) {
  const { runs } = useWorkspace();
  const { reply, account, reused } = call;
  if (!reply) return null;
  const { node, epoch } = place;
  const spot = { kind: "reply", node, epoch: epoch.epoch, call: epoch.calls.indexOf(call) } as const;
  const stop = stopText(reply.stopReason);
  const took = call.endedAt === undefined ? undefined : formatDuration(call.endedAt - call.startedAt);
  return (
    <div className="mt-3">
      <Section title={TEXTS.reply} trailing={[took, stop].filter(Boolean).join(" · ")}>
        {reply.reasoning ? <Reasoning text={reply.reasoning} /> : null}
        {reply.text ? (
          <Traceable run={place.run} spot={spot} value={reply.text}>
            <p className="whitespace-pre-wrap break-words text-sm">{reply.text}</p>
          </Traceable>
        ) : null}
        {isTruncated(reply.stopReason) ? <Truncated className="mt-0.5" /> : null}
        {reply.toolCalls?.length ? (
          <p className="text-sm text-tools">{TEXTS.called(reply.toolCalls.map((one) => one.name).join(", "))}</p>
        ) : null}
        {reply.usage ? (
          <p className="mt-1 text-fg-3 text-xs tabular-nums">
            {account?.estimated
              ? account.disbelieved
                ? TEXTS.estimatedImplausibleUsageReported
                : TEXTS.estimatedNoUsageReported
              : TEXTS.reported}
            {describeTokens(reply.usage)}.
            {account && call.prompt && !account.estimated ? TEXTS.expectedIn(formatCount(call.prompt.tokens)) : ""}
          </p>
        ) : null}
        {reused ? (
          <button
            type="button"
            className="block text-left text-accent text-xs hover:underline"
            data-testid="call-reused"
            onClick={() => void runs.open(reused.run)}
          >
            {TEXTS.reusedFromRun(reused.run)}
          </button>
        ) : null}
        {account && !reused ? (
          <p className="text-fg-3 text-xs tabular-nums" data-testid="call-cost">
            {account.costNanoUsd === undefined
              ? TEXTS.unknownPriceSetModel
              : TEXTS.cost(formatCost({ nanoUsd: account.costNanoUsd }))}
          </p>
        ) : null}
        {account && account.costNanoUsd === undefined ? <SettingsButton className="mt-1" /> : null}
      </Section>
    </div>
  );
}
