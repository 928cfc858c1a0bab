import { Bug, Check, Circle, CircleAlert, LoaderCircle, Play, Table2 } from "lucide-react";
import type { CaseOutcome, TestResult } from "@/bindings";
import { Button, IconButton } from "@/design/controls/Button";
import { InlineCode } from "@/design/text/InlineCode";
import { formatDuration } from "@/run/values/format";
import { useWorkspace } from "@/workspace/context";
import { debugCase, showMatrix, type TestCaseRef, titleOf } from "./suite-run";
import { TEXTS } from "./texts";

const SIGN = { size: 14, strokeWidth: 2.25 } as const;

/** Buttons in a row of a narrow list. */
const SMALL = "!h-6 !px-2 !text-xs";

type Props = { test: TestCaseRef; outcome: CaseOutcome | undefined; isRunning: boolean; onRun: () => void };

/** One case: what came of it, why it failed, and what to do. */
export function CaseRow({ test, outcome, isRunning, onRun }: Props) {
  const workspace = useWorkspace();
  const title = titleOf(test.case);
  const state = isRunning ? "running" : outcome === undefined ? "open" : outcome.passed ? "passed" : "failed";
  const hasFailed = outcome !== undefined && !outcome.passed && !isRunning;
  return (
    <li
      className="group relative rounded-md px-2 py-1.5 hover:bg-bg-3/60 has-[:focus-visible]:bg-bg-3/60"
      data-testid={`test-case-${title}`}
      data-state={state}
    >
      <div className="flex items-start gap-2.5">
        <StateSign state={state} />
        <div className="min-w-0 flex-1">
          <p className="flex items-baseline gap-2">
            <b className="min-w-0 truncate font-medium" title={TEXTS.checks(test.case.checks)}>
              {title}
            </b>
            {test.case.live ? <span className="shrink-0 text-fg-3 text-xs">{TEXTS.live}</span> : null}
            <span className="ml-auto shrink-0 text-fg-3 text-xs tabular-nums group-focus-within:invisible group-hover:invisible">
              {outcome?.results.length === 1 ? formatDuration(outcome.results[0]?.durationMs ?? 0) : null}
            </span>
          </p>
          {outcome && outcome.results.length > 1 ? <Rate outcome={outcome} /> : null}
          {outcome && !isRunning ? <Varies results={outcome.results} /> : null}
          {hasFailed ? <Failures results={outcome.results} /> : null}
          {hasFailed ? (
            <div className="mt-1.5 flex flex-wrap gap-1.5">
              <Button className={SMALL} data-testid="test-debug" onClick={() => void debugCase(workspace, test)}>
                <Bug size={13} aria-hidden />
                {TEXTS.openInDebugger}
              </Button>
              <OpenRun results={outcome.results} />
            </div>
          ) : null}
        </div>
      </div>
      <span className="absolute top-0.5 right-1 hidden rounded-md bg-bg-3 group-focus-within:flex group-hover:flex">
        <IconButton
          label={TEXTS.runCase}
          data-testid="test-run"
          icon={<Play size={14} />}
          disabled={isRunning}
          onClick={onRun}
        />
      </span>
    </li>
  );
}

export type TestState = "running" | "open" | "passed" | "failed";

const SIGNS = {
  running: { label: TEXTS.running, tone: "text-accent", icon: <LoaderCircle {...SIGN} className="animate-spin" /> },
  open: { label: TEXTS.notRun, tone: "text-fg-3", icon: <Circle {...SIGN} /> },
  passed: { label: TEXTS.passed, tone: "text-ok", icon: <Check {...SIGN} /> },
  failed: { label: TEXTS.failed, tone: "text-bad", icon: <CircleAlert {...SIGN} /> },
} as const;

export function StateSign({ state }: { state: TestState }) {
  const { label, tone, icon } = SIGNS[state];
  return (
    <span className={`mt-[3px] shrink-0 ${tone}`} role="img" aria-label={label}>
      {icon}
    </span>
  );
}

/** How many of the repeats passed, with a bar from the lower to the upper end of the interval. */
function Rate({ outcome: { rate } }: { outcome: CaseOutcome }) {
  const percent = (part: number) => `${part * 100}%`;
  return (
    <div className="mt-0.5 mb-2 text-fg-2 text-xs tabular-nums" data-testid="test-rate">
      {TEXTS.rate(rate.passed, rate.runs, rate.low, rate.high)}
      <div className="relative mt-1 h-1 rounded-full bg-bg-3" aria-hidden>
        <div
          className="absolute h-full rounded-full bg-accent-fill opacity-40"
          style={{ left: percent(rate.low), width: percent(rate.high - rate.low) }}
        />
        <div
          className="-top-0.5 absolute h-2 w-0.5 bg-accent-fill"
          style={{ left: percent(rate.runs === 0 ? 0 : rate.passed / rate.runs) }}
        />
      </div>
    </div>
  );
}

function Failures({ results }: { results: readonly TestResult[] }) {
  return (
    <ul className="mt-1 flex flex-col gap-1 text-xs" data-testid="test-failures">
      {results.flatMap(({ failures }, result) =>
        failures.map(({ check, message }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: results don't change places.
          <li key={`${result}-${index}`} className="break-words">
            <b className="font-medium text-bad">
              {results.length > 1 ? TEXTS.ofRun(result + 1) : ""}
              {check}
            </b>{" "}
            <span className="text-fg-2">
              <InlineCode text={message} />
            </span>
          </li>
        )),
      )}
    </ul>
  );
}

/** The most runs that are put side by side. */
const MAX_MATRIX_RUNS = 100;

/** Leads to what varies between the repeats that have left runs. */
function Varies({ results }: { results: readonly TestResult[] }) {
  const workspace = useWorkspace();
  const runs = results.flatMap(({ run }) => run ?? []).slice(0, MAX_MATRIX_RUNS);
  return runs.length < 2 ? null : (
    <Button className={`${SMALL} mb-1`} data-testid="test-matrix" onClick={() => void showMatrix(workspace, runs)}>
      <Table2 size={13} aria-hidden />
      {TEXTS.whatVaries}
    </Button>
  );
}

function OpenRun({ results }: { results: readonly TestResult[] }) {
  const { runs } = useWorkspace();
  const run = results.find((result) => result.failures.length > 0)?.run;
  return run === undefined ? null : (
    <Button className={SMALL} onClick={() => void runs.open(run)}>
      {TEXTS.openRun}
    </Button>
  );
}
