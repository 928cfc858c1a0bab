import {
  Ban,
  Check,
  ChevronRight,
  CircleAlert,
  CircleDot,
  CirclePause,
  FilePlus2,
  FlaskConical,
  GitCompareArrows,
  HardDriveDownload,
  LoaderCircle,
  Play,
  RotateCcw,
  Square,
  Trash2,
  Unplug,
} from "lucide-react";
import { memo, type ReactNode } from "react";
import type { RunId, RunStatus, RunSummary } from "@/bindings";
import { IconButton } from "@/design/controls/Button";
import { isRetryable } from "@/run/control/control";
import { isOver } from "@/run/fold/status";
import { PAGE } from "@/run/list/run-list";
import { formatAgo, formatCount, formatDate, formatDuration } from "@/run/values/format";
import { oneLine, previewOfQuestion } from "@/run/values/preview";
import { describeRunTokens, formatRunCost, formatRunTokens } from "@/run/values/run-totals";
import { useWorkspace } from "@/workspace/context";
import { useRunList, useRunState } from "@/workspace/run-hooks";
import { makeTest } from "../tests/suite-run";
import { bringHome } from "./bring-home";
import { compareRuns } from "./compare";
import { TEXTS } from "./texts";

const SIGN = { size: 14, strokeWidth: 2.25, "aria-hidden": true } as const;

const STATES: Record<RunStatus, { word: string; icon: ReactNode; tone: string }> = {
  running: { word: "Running", icon: <LoaderCircle {...SIGN} className="animate-spin" />, tone: "text-accent" },
  waiting: { word: "Waiting for you", icon: <CircleDot {...SIGN} />, tone: "text-wait" },
  stopped: { word: "Paused", icon: <CirclePause {...SIGN} />, tone: "text-bad" },
  finished: { word: "Finished", icon: <Check {...SIGN} />, tone: "text-ok" },
  failed: { word: "Failed", icon: <CircleAlert {...SIGN} />, tone: "text-bad" },
  cancelled: { word: "Stopped", icon: <Ban {...SIGN} />, tone: "text-fg-3" },
  interrupted: { word: "Interrupted", icon: <Unplug {...SIGN} />, tone: "text-wait" },
};

/** One run: its flow, its end, its time, and its actions. Its child runs unfold below it. */
export const RunRow = memo(function RunRow({ run, now }: { run: RunSummary; now: number }) {
  const children = useRunList((runs) => runs.children[run.run]);
  return (
    <>
      <Row run={run} now={now} unfolded={children !== undefined} />
      {children === undefined ? null : (
        <li>
          <ul className="ml-4 border-line border-l pl-1" aria-label={`Runs that ${run.flowName || "this run"} began`}>
            {children.map((child) => (
              <RunRow key={child.run} run={child} now={now} />
            ))}
            {children.length === PAGE && run.children > PAGE ? (
              <li className="px-2 py-1 text-fg-3 text-xs">
                {TEXTS.theFirstOf(formatCount(PAGE), formatCount(run.children))}
              </li>
            ) : null}
          </ul>
        </li>
      )}
    </>
  );
});

function Row({ run, now, unfolded }: { run: RunSummary; now: number; unfolded: boolean }) {
  const workspace = useWorkspace();
  const state = STATES[run.status];
  const displayed = useRunState((control) => (control.viewed ?? control.document)?.run === run.run);
  const children = run.children > 0;
  const used = children || run.tokens.input + run.tokens.output > 0;
  const events = [
    state.word,
    run.program === undefined ? undefined : TEXTS.recordedProgram,
    run.from === undefined || run.parentRunId !== undefined ? undefined : TEXTS.repeatsEarlier,
    run.workedMs === undefined ? undefined : formatDuration(run.workedMs),
    used ? formatRunTokens(run.tokens, false) : undefined,
    used && (children || run.cost.nanoUsd > 0 || run.cost.unpriced) ? formatRunCost(run.cost, false) : undefined,
    run.nodes.failed > 0 && run.status !== "failed" ? `${run.nodes.failed} failed` : undefined,
  ].filter(Boolean);
  const note = run.status === "waiting" ? run.waitingOn : run.status === "failed" ? run.error?.message : undefined;
  const name = run.flowName || "Untitled flow";
  return (
    <li
      className="group relative rounded-md hover:bg-bg-3/60 has-[:focus-visible]:bg-bg-3/60 data-[shown]:bg-bg-3"
      data-testid={`run-row-${run.run}`}
      data-status={run.status}
      data-shown={displayed || undefined}
    >
      <button
        type="button"
        className="flex w-full items-start gap-2.5 rounded-md px-2 py-1.5 text-left"
        aria-current={displayed || undefined}
        onClick={() => void workspace.runs.open(run.run)}
      >
        <span className={`mt-[3px] shrink-0 ${state.tone}`}>{state.icon}</span>
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <b className="truncate font-medium" title={run.program || undefined}>
              {name}
            </b>
            <time
              className="ml-auto min-w-[5ch] shrink-[1000] truncate text-fg-3 text-xs group-hover:invisible"
              dateTime={new Date(run.startedAt).toISOString()}
              title={formatDate(run.startedAt)}
            >
              {formatAgo(run.startedAt, now)}
            </time>
          </span>
          <span
            className="block truncate text-fg-3 text-xs tabular-nums"
            title={children ? describeRunTokens(run.tokens, false) : undefined}
          >
            {events.join(" · ")}
          </span>
          {note ? (
            <span
              className={`block truncate text-xs ${run.status === "failed" ? "text-bad" : "text-wait"}`}
              title={note}
            >
              {run.status === "waiting" ? `“${previewOfQuestion(note, 200)}”` : oneLine(note)}
            </span>
          ) : null}
        </span>
      </button>
      {run.children > 0 ? (
        <button
          type="button"
          className="mb-1 ml-8 inline-flex items-center gap-1 rounded text-fg-3 text-xs hover:text-fg"
          aria-expanded={unfolded}
          data-testid={`run-unfold-${run.run}`}
          onClick={() => (unfolded ? workspace.runList.collapse(run.run) : void workspace.runList.expand(run.run))}
        >
          <ChevronRight size={12} className={unfolded ? "rotate-90" : ""} aria-hidden />
          {run.children === 1 ? TEXTS.n1SubFlow : `${run.children} sub-flows`}
        </button>
      ) : null}
      <span className="absolute top-0.5 right-1 hidden h-10 items-center rounded-md bg-bg-3 group-focus-within:flex group-hover:flex">
        <Actions run={run} name={name} />
      </span>
    </li>
  );
}

/** The run to compare a run with: the one that it repeats, if that is here, or else the one that is shown. */
function comparedWith({ from, fromIsGone, parentRunId }: RunSummary, shown: RunId | undefined) {
  if (from !== undefined && !fromIsGone && parentRunId === undefined) return { run: from, isRepeated: true };
  return shown === undefined ? undefined : { run: shown, isRepeated: false };
}

function Actions({ run, name }: { run: RunSummary; name: string }) {
  const workspace = useWorkspace();
  const over = isOver(run.status);
  const observed = run.program !== undefined;
  const shown = useRunState((control) => (control.viewed ?? control.document)?.run);
  const compared = comparedWith(run, shown);
  return (
    <>
      {run.status === "interrupted" && !observed ? (
        <IconButton
          label={TEXTS.resume}
          data-testid={`run-resume-${run.run}`}
          icon={<Play size={14} />}
          onClick={() => void workspace.runs.resume(run.run)}
        />
      ) : null}
      {isRetryable(run.status, run.parentRunId) ? (
        <IconButton
          label={TEXTS.retry}
          data-testid={`run-retry-${run.run}`}
          icon={<RotateCcw size={14} />}
          onClick={() => void workspace.runs.retry(run.run)}
        />
      ) : null}
      {compared === undefined || compared.run === run.run ? null : (
        <IconButton
          label={compared.isRepeated ? TEXTS.compareWithRepeated : TEXTS.compareWithShown}
          data-testid={`run-compare-${run.run}`}
          icon={<GitCompareArrows size={14} />}
          onClick={() => void compareRuns(workspace, compared.run, run)}
        />
      )}
      {!observed ? null : (
        <IconButton
          label={TEXTS.draftFlow}
          data-testid={`run-draft-${run.run}`}
          icon={<FilePlus2 size={14} />}
          onClick={() => void workspace.files.openDraftOfProgram(run.run)}
        />
      )}
      {workspace.remote === undefined || run.parentRunId !== undefined || run.status === "running" ? null : (
        <IconButton
          label={TEXTS.bringHome}
          data-testid={`run-bring-home-${run.run}`}
          icon={<HardDriveDownload size={14} />}
          onClick={() => void bringHome(workspace, run.run)}
        />
      )}
      {run.status === "finished" && run.parentRunId === undefined ? (
        <IconButton
          label={TEXTS.makeTest}
          data-testid={`run-make-test-${run.run}`}
          icon={<FlaskConical size={14} />}
          onClick={() => void makeTest(workspace, run.run)}
        />
      ) : null}
      {over || observed || run.parentRunId !== undefined ? null : (
        <IconButton
          label={TEXTS.stopThisRun}
          data-testid={`run-cancel-${run.run}`}
          icon={<Square size={13} />}
          onClick={() => void workspace.runs.cancel(run.run)}
        />
      )}
      {over || (observed && run.status === "interrupted") ? (
        <IconButton
          label={TEXTS.deleteThisRun}
          data-testid={`run-delete-${run.run}`}
          icon={<Trash2 size={14} />}
          onClick={() => void workspace.runs.remove(run.run, name)}
        />
      ) : null}
    </>
  );
}
