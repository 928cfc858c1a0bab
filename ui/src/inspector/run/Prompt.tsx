import { useState } from "react";
import type { NodeId, PromptRecord } from "@/bindings";
import { Empty } from "@/design/Empty";
import type { EpochView, ModelCallView, NodeView } from "@/run/fold/types";
import type { RunSession } from "@/run/live/session";
import { fullInIteration, isOwnCall, type Share, sharesOf } from "@/run/prompt-parts";
import { describeTokens, formatCost, formatCount, formatDuration } from "@/run/values/format";
import { Reasoning } from "@/run/values/Reasoning";
import { CopyButton } from "@/run/values/ValueView";
import { SettingsButton } from "@/workspace/ErrorActionButton";
import { useActiveSession, useChosenEpoch } from "@/workspace/run-hooks";
import { Knowledge } from "./Knowledge";
import { PromptMessages, usePromptLines } from "./PromptMessages";
import { Section } from "./Section";
import { SourceLink } from "./SourceLink";
import { TEXTS } from "./texts";

/** Exactly what was sent to the model. */
export function Prompt({ nodeId }: { nodeId: NodeId }) {
  const session = useActiveSession();
  const { view, epoch } = useChosenEpoch(nodeId);
  const [step, setStep] = useState<number>();
  const calls = epoch?.calls ?? [];
  const call = calls.find((_, index) => index === step) ?? calls.findLast(isOwnCall) ?? calls.at(-1);
  if (!session || !view || !epoch || !call?.prompt) {
    return (
      <Empty title={TEXTS.noModelCall}>
        <p>{session && epoch ? TEXTS.nodeCalledNoModel : TEXTS.showsExactPromptEach}</p>
      </Empty>
    );
  }
  return (
    <div className="h-full overflow-auto p-3" data-testid="prompt-lens">
      <div className="mb-1 flex items-center gap-2">
        <b className="truncate font-semibold">{TEXTS.prompt}</b>
        <span className="flex-1" />
        {calls.length > 1 ? <StepPicker calls={calls} call={call} onPick={setStep} /> : null}
        <CopyButton value={call.prompt} label={TEXTS.copyPromptAsJson} />
      </div>
      <Sent session={session} node={nodeId} view={view} epoch={epoch} call={call} prompt={call.prompt} />
      <Reply call={call} />
      <Knowledge view={epoch} />
    </div>
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

function Sent({ session, node, view, epoch, call, prompt }: SentProps) {
  const lines = usePromptLines(session, node, epoch, prompt);
  const iteration = epoch.epoch.at(-1);
  const full = iteration === undefined ? undefined : fullInIteration(view, call, iteration);
  return (
    <>
      <WindowUse prompt={prompt} shares={sharesOf(prompt, lines)} full={full} />
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
      <MessageSources prompt={prompt} epoch={epoch} />
      <PromptMessages lines={lines} />
    </>
  );
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
function WindowUse({ prompt, shares, full }: { prompt: PromptRecord; shares: readonly Share[]; full?: number }) {
  const whole = Math.max(
    1,
    shares.reduce((sum, share) => sum + share.tokens, 0),
  );
  const percent = Math.round((100 * prompt.tokens) / Math.max(1, prompt.window));
  return (
    <>
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
        {full === undefined ? "" : ` · full in iteration ${full + 1} at this rate`}
        {prompt.counted === undefined
          ? ""
          : TEXTS.countedCalibratedUsageReported(formatCount(prompt.counted), prompt.provider)}
      </p>
    </>
  );
}

function Reply({ call }: { call: ModelCallView }) {
  const { reply, account } = call;
  if (!reply) return null;
  const stop = typeof reply.stopReason === "string" ? reply.stopReason : "other";
  const took = call.endedAt === undefined ? undefined : formatDuration(call.endedAt - call.startedAt);
  return (
    <div className="mt-3">
      <Section title={TEXTS.reply} trailing={[took, stop === "end" ? undefined : stop].filter(Boolean).join(" · ")}>
        {reply.reasoning ? <Reasoning text={reply.reasoning} /> : null}
        {reply.text ? <p className="whitespace-pre-wrap break-words text-sm">{reply.text}</p> : null}
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
