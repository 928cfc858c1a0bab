import { CircleAlert, TriangleAlert } from "lucide-react";
import type { SkipReason } from "@/bindings";
import { Markdown } from "@/design/markdown/Markdown";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { InlineCode } from "@/design/text/InlineCode";
import type { EpochView, NodeState } from "@/run/fold/types";
import { answerAttachments, answerValue } from "@/run/values/answers";
import { describeTokens, formatCost, formatDuration } from "@/run/values/format";
import { wasStopped } from "@/run/values/outputs";
import { Truncated } from "@/run/values/Truncated";
import { ValueView } from "@/run/values/ValueView";
import { AttachmentList } from "@/workspace/attachments/AttachmentList";
import { ErrorActionButton } from "@/workspace/errors/ErrorActionButton";
import { Box, Section } from "./Section";
import { TEXTS } from "./texts";

const STATE_LABELS: Record<NodeState, string> = {
  ready: "Ready",
  running: "Running",
  paused: "Waiting for your answer",
  retrying: "Waiting to retry",
  done: "Done",
  skipped: "Skipped",
  failed: "Failed",
  cached: "Done (cached)",
};

const SKIP_REASONS: Record<SkipReason, string> = {
  deadInput: "a required input has no value",
  runFailed: "the run failed first",
  runCancelled: "the run was stopped first",
  targetReached: "the run ended at its target node",
  loopFailed: "the loop around it failed first",
  byPerson: "by a person, at a pause",
  loopEnded: "an earlier item ended the loop first",
};

/** How the activation went: state, time, tries, tokens, cost, what went wrong. */
export function ActivationSummary({ view }: { view: EpochView }) {
  const stopped = wasStopped(view);
  const parts = [stopped ? "Stopped" : STATE_LABELS[view.state]];
  if (view.metadata?.pinned) parts.push(TEXTS.pinned);
  if (view.skipped) parts.push(SKIP_REASONS[view.skipped]);
  if (view.metadata) parts.push(formatDuration(view.metadata.durationMs));
  else if (view.startedAt !== undefined && view.endedAt !== undefined) {
    parts.push(formatDuration(view.endedAt - view.startedAt));
  }
  if (view.forced) parts.push(TEXTS.forcedWay(view.forced.to, view.forced.from));
  if (view.attempts.length > 1) parts.push(`${view.attempts.length} attempts`);
  if (view.usage.input + view.usage.output > 0) {
    parts.push(describeTokens(view.usage));
    parts.push(formatCost(view.cost));
  }
  return (
    <div className="mb-3">
      <p className="text-fg-2 text-sm" data-testid="io-state" data-state={view.state}>
        {parts.join(" · ")}
      </p>
      {view.metadata?.truncated ? <Truncated className="mt-0.5" /> : null}
      {view.progress ? <p className="mt-0.5 text-fg-2 text-sm">{view.progress.message}</p> : null}
      {view.notices?.map((notice, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: notices are only ever added at the end.
          key={index}
          className="mt-2 flex gap-2 rounded-lg border border-warn/60 px-2.5 py-2"
          data-testid="io-notice"
        >
          <TriangleAlert size={15} className="mt-0.5 shrink-0 text-wait" aria-hidden />
          <ErrorMessage error={notice} plain />
        </div>
      ))}
      {view.error ? (
        <div
          className={`mt-2 flex gap-2 rounded-lg border px-2.5 py-2 ${stopped ? "border-line text-fg-2" : "border-bad/60"}`}
          data-testid="io-error"
        >
          <CircleAlert size={15} className={`mt-0.5 shrink-0 ${stopped ? "" : "text-bad"}`} aria-hidden />
          <ErrorMessage error={view.error} plain note={view.handled ? TEXTS.handledByErrorOutput : ""}>
            <ErrorActionButton error={view.error} className="my-1" />
            {view.error.details !== undefined && view.error.details !== null ? (
              <details className="mt-1 text-xs">
                <summary className="w-fit text-fg-3">{TEXTS.details}</summary>
                <ValueView value={view.error.details} label={TEXTS.errorDetails} />
              </details>
            ) : null}
          </ErrorMessage>
        </div>
      ) : null}
    </div>
  );
}

/** The tries before the one that counts: those that failed, and those that a person dropped. */
export function Attempts({ view }: { view: EpochView }) {
  const failed = view.attempts.filter((attempt) => attempt.error && attempt.delayMs !== undefined);
  if (failed.length === 0) return null;
  return (
    <Section title={failed.some((attempt) => attempt.dropped) ? TEXTS.earlierAttempts : TEXTS.failedAttempts}>
      {failed.map((attempt) => (
        <Box
          key={attempt.attempt}
          head={
            <>
              <b className="font-semibold text-fg-2">{TEXTS.attempt(attempt.attempt)}</b>
              {attempt.endedAt === undefined ? null : (
                <span>{formatDuration(attempt.endedAt - attempt.startedAt)}</span>
              )}
              <span>{attempt.dropped ? TEXTS.runAgain : TEXTS.retriedAfter(formatDuration(attempt.delayMs ?? 0))}</span>
            </>
          }
        >
          <p className="break-words text-sm">
            <InlineCode text={attempt.error?.message} />
          </p>
          <p className="font-mono text-fg-3 text-xs">{attempt.error?.code}</p>
          {Object.entries(attempt.dropped ?? {}).map(([port, value]) => (
            <ValueView key={port} value={value} label={port} />
          ))}
        </Box>
      ))}
    </Section>
  );
}

/** The questions of the activation, with their answers. */
export function Questions({ view }: { view: EpochView }) {
  if (view.pauses.length === 0) return null;
  return (
    <Section title={TEXTS.questions}>
      {view.pauses.map((pause) => (
        <Box
          key={pause.askedAt}
          head={
            <span>
              {pause.answeredAt === undefined
                ? TEXTS.waitingAnswer
                : TEXTS.answeredAfter(formatDuration(pause.answeredAt - pause.askedAt))}
            </span>
          }
        >
          <Markdown text={pause.prompt} />
          {pause.answer === undefined ? null : (
            <div className="mt-1 border-line border-t pt-1">
              {pause.answer === "end" ? (
                <p className="text-fg-2">{TEXTS.endedWithoutAnswer}</p>
              ) : (
                <>
                  <ValueView value={answerValue(pause.answer)} label={TEXTS.answer} />
                  <AttachmentList attachments={answerAttachments(pause.answer)} />
                </>
              )}
            </div>
          )}
        </Box>
      ))}
    </Section>
  );
}
