import { useMemo, useState } from "react";
import { useStore } from "zustand";
import type { NodeId, PromptRecord, StopReason } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { ChoiceBar } from "@/design/controls/ChoiceBar";
import { Switch } from "@/design/controls/Switch";
import { plain } from "@/design/markdown/plain-text";
import { Empty } from "@/design/text/Empty";
import type { EpochView, ModelCallView, NodeView } from "@/run/fold/types";
import type { RunSession } from "@/run/live/session";
import { diffPrompts, type PromptDiff } from "@/run/prompt/prompt-diff";
import { hasLoopHistory, isOwnCall, type Line, previousCall, type Share, sharesOf } from "@/run/prompt/prompt-parts";
import { describeTokens, formatCost, formatCount, formatDuration } from "@/run/values/format";
import { Reasoning } from "@/run/values/Reasoning";
import { Truncated } from "@/run/values/Truncated";
import { CopyButton, ValueView } from "@/run/values/ValueView";
import { useWorkspace } from "@/workspace/context";
import { SettingsButton } from "@/workspace/errors/ErrorActionButton";
import { useActiveSession, useChosenEpoch } from "@/workspace/run-hooks";
import { Forecast } from "./Forecast";
import { Knowledge } from "./Knowledge";
import { CopyAsCurl } from "./PromptActions";
import { PromptMessages, promptLines, usePromptLines } from "./PromptMessages";
import { PromptSearch } from "./PromptSearch";
import { RunPage } from "./RunPage";
import { Section } from "./Section";
import { SourceLink } from "./SourceLink";
import { SCHEMA_FORMS, TEXTS } from "./texts";

/** The exact messages of a model call. */
export function Prompt({ nodeId }: { nodeId: NodeId }) {
  const workspace = useWorkspace();
  const session = useActiveSession();
  const { view, epoch } = useChosenEpoch(nodeId);
  const chosen = useStore(workspace.epochChoice.store, (choices) => workspace.epochChoice.callOf(nodeId, choices));
  const calls = epoch?.calls ?? [];
  const call = calls.find((_, index) => index === chosen) ?? calls.findLast(isOwnCall) ?? calls.at(-1);
  if (!session || !view || !epoch || !call?.prompt) {
    return (
      <RunPage label={TEXTS.prompt}>
        <Forecast node={nodeId} detailed />
        <Empty title={TEXTS.noModelCall}>
          <p>{session && epoch ? TEXTS.nodeCalledNoModel : TEXTS.showsExactPromptEach}</p>
        </Empty>
      </RunPage>
    );
  }
  const { prompt } = call;
  return (
    <RunPage label={TEXTS.prompt} data-testid="prompt-lens">
      <PromptSearch session={session} />
      <div className="mb-1 flex flex-wrap items-center gap-2">
        <b className="truncate font-semibold">{TEXTS.sentToModel}</b>
        {hasLoopHistory(prompt) ? <InjectedBadge /> : null}
        <span className="flex-1" />
        {calls.length > 1 ? (
          <StepPicker
            calls={calls}
            call={call}
            onPick={(step) => workspace.epochChoice.chooseCall(nodeId, epoch.epoch, step)}
          />
        ) : null}
      </div>
      <Sent session={session} node={nodeId} view={view} epoch={epoch} call={call} prompt={prompt} />
      {prompt.refused ? (
        <p className="mt-1.5 text-warn text-xs" title={plain(prompt.refused.message)} data-testid="prompt-refused">
          {TEXTS.refusedPrompt(prompt.refused.tokens, prompt.refused.limit)}
        </p>
      ) : null}
      <Reply call={call} />
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
  session: RunSession;
  node: NodeId;
  view: NodeView;
  epoch: EpochView;
  call: ModelCallView;
  prompt: PromptRecord;
};

const VIEWS = [
  { id: "messages", label: TEXTS.asMessages },
  { id: "json", label: TEXTS.asJson },
] as const;

function Sent({ session, node, view, epoch, call, prompt }: SentProps) {
  const lines = usePromptLines(session, node, epoch, prompt);
  const [shown, setShown] = useState<(typeof VIEWS)[number]["id"]>("messages");
  const [folded, setFolded] = useState(false);
  const [compared, setCompared] = useState(false);
  const diff = useDiff({ session, node, view, epoch, call, prompt }, lines, compared);
  return (
    <>
      <WindowUse prompt={prompt} shares={sharesOf(prompt, lines)} />
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
        <CopyAsCurl session={session} node={node} epoch={epoch} call={epoch.calls.indexOf(call)} />
        <CopyButton
          value={shown === "json" ? prompt : textOf(lines)}
          label={shown === "json" ? TEXTS.copyPromptAsJson : TEXTS.copyMessages}
        />
      </div>
      {compared ? <DiffSummary diff={diff} /> : null}
      {shown === "messages" ? (
        <PromptMessages lines={lines} folded={folded} changes={diff?.changes} />
      ) : (
        <div className="mt-2.5">
          <ValueView value={prompt} label={TEXTS.promptAsJson} />
        </div>
      )}
    </>
  );
}

/** What differs from the node's previous call, while that is wanted. */
function useDiff(sent: SentProps, lines: readonly Line[], wanted: boolean): PromptDiff | undefined {
  const { session, node, view, epoch, call } = sent;
  const before = wanted ? previousCall(view, epoch, call) : undefined;
  const earlier = before?.call.prompt;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an earlier prompt does not change; its activation may.
  return useMemo(
    () => (before && earlier ? diffPrompts(promptLines(session, node, before.epoch, earlier), lines) : undefined),
    [session, node, earlier, lines],
  );
}

function DiffSummary({ diff }: { diff: PromptDiff | undefined }) {
  return (
    <p className="mt-1.5 text-fg-3 text-xs" role="status" data-testid="prompt-diff">
      {diff
        ? `${TEXTS.changedMessages(diff.count)} · ${TEXTS.tokensChanged(formatCount(diff.added), formatCount(diff.removed))}`
        : TEXTS.noPreviousCall}
    </p>
  );
}

/** The messages as one text. */
function textOf(lines: readonly Line[]): string {
  const texts = lines.flatMap((line) => {
    if (line.kind === "message") return [`${line.role}:\n${line.text}`];
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

/** The context window as one bar: the parts of the prompt, free room, and the reserve for the reply. */
function WindowUse({ prompt, shares }: { prompt: PromptRecord; shares: readonly Share[] }) {
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
        {shares.map((share) =>
          share.tokens > 0 ? (
            <i
              key={share.part}
              className={`part-${share.part} block`}
              style={{ width: `${(100 * share.tokens) / whole}%` }}
              title={`${share.title}: ${formatCount(share.tokens)}`}
            />
          ) : null,
        )}
      </div>
      <dl className="mt-1.5 grid grid-cols-2 gap-x-4 gap-y-0.5 text-fg-2 text-xs">
        {shares.map((share) => (
          <div key={share.part} className="flex items-center gap-2">
            <i
              aria-hidden
              className={`part-${share.part} size-2 shrink-0 rounded-[2px] ${share.part === "free" ? "border border-line-2" : ""}`}
            />
            <dt>{share.title}</dt>
            <dd className="ml-auto font-mono text-fg tabular-nums">{formatCount(share.tokens)}</dd>
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

function Reply({ call }: { call: ModelCallView }) {
  const { reply, account } = call;
  if (!reply) return null;
  const stop = stopText(reply.stopReason);
  const took = call.endedAt === undefined ? undefined : formatDuration(call.endedAt - call.startedAt);
  return (
    <div className="mt-3">
      <Section title={TEXTS.reply} trailing={[took, stop].filter(Boolean).join(" · ")}>
        {reply.reasoning ? <Reasoning text={reply.reasoning} /> : null}
        {reply.text ? <p className="whitespace-pre-wrap break-words text-sm">{reply.text}</p> : null}
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
        {call.reused ? (
          <p className="text-fg-3 text-xs" data-testid="call-reused">
            {TEXTS.reusedFromRun(call.reused.run)}
          </p>
        ) : null}
        {account && !call.reused ? (
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
