import { FlaskConical, Play, Square, Table2 } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { CaseOutcome, OpenedSuite } from "@/bindings";
import { Button, IconButton } from "@/design/controls/Button";
import { Empty } from "@/design/text/Empty";
import { isDirty } from "@/flow/document/flow-state";
import { useFlow, useWorkspace } from "@/workspace/context";
import { useRunHead, useSessionValue } from "@/workspace/run-hooks";
import { LoadError, useLoaded } from "../Loaded";
import { CaseRow } from "./CaseRow";
import { DatasetItem } from "./DatasetItem";
import { keyOf, listed, loadSuites, makeTest, runCases, type TestCaseRef } from "./suite-run";
import { TEXTS } from "./texts";

/** The suites beside the open flow: their cases, what came of them, and running them. */
export function TestsPanel() {
  const path = useFlow((flow) => flow.path);
  return (
    <section className="flex h-full min-h-0 flex-col" aria-label={TEXTS.title}>
      {path === undefined ? (
        <Empty title={TEXTS.noFile}>
          <p>{TEXTS.noFileHelp}</p>
        </Empty>
      ) : (
        <TestsOfFlow key={path} path={path} />
      )}
    </section>
  );
}

function TestsOfFlow({ path }: { path: string }) {
  const workspace = useWorkspace();
  const dirty = useFlow(isDirty);
  const read = useCallback(() => loadSuites(workspace, path), [workspace, path]);
  const { value: suites, error, load } = useLoaded(read);
  useEffect(() => void load(), [load]);
  useEffect(
    () => workspace.queryInvalidation.subscribe("suite.open", () => void load()),
    [workspace.queryInvalidation, load],
  );
  if (error) {
    return (
      <LoadError title={TEXTS.couldntLoad} error={error} tryAgain={TEXTS.tryAgain} onTryAgain={() => void load()} />
    );
  }
  if (suites === undefined) return <Empty title={TEXTS.loading} />;
  if (suites.length === 0) return <NoTests />;
  return <Suites suites={suites} dirty={dirty} />;
}

function NoTests() {
  const workspace = useWorkspace();
  const run = useSessionValue((session) => session?.run);
  const hasFinished = useRunHead((head) => head.status === "finished");
  return (
    <Empty title={TEXTS.none}>
      <p>{TEXTS.noneHelp}</p>
      <Button disabled={!hasFinished} onClick={() => run && void makeTest(workspace, run)}>
        <FlaskConical size={14} aria-hidden />
        {TEXTS.makeTest}
      </Button>
    </Empty>
  );
}

function Suites({ suites, dirty }: { suites: readonly OpenedSuite[]; dirty: boolean }) {
  const tests = useMemo(
    () => suites.flatMap(({ file, cases }) => cases.map((found): TestCaseRef => ({ file, case: found }))),
    [suites],
  );
  const { results } = useWorkspace();
  const { running, outcomes, run, stop } = useRuns();
  const outcomeOf = (test: TestCaseRef) => outcomes.get(keyOf(test)) ?? test.case.outcome;
  const passed = tests.filter((test) => outcomeOf(test)?.passed === true).length;
  const open = tests.filter((test) => outcomeOf(test) === undefined).length;
  return (
    <>
      <div className="flex shrink-0 items-center gap-2 p-2.5">
        <Button kind="main" data-testid="tests-run-all" disabled={running.size > 0} onClick={() => run(tests)}>
          <Play size={13} aria-hidden />
          {TEXTS.runAll}
        </Button>
        {running.size > 0 ? (
          <Button data-testid="tests-stop" onClick={stop}>
            <Square size={12} aria-hidden />
            {TEXTS.stop}
          </Button>
        ) : null}
        <span
          className="ml-auto text-balance text-right text-fg-2 text-xs tabular-nums"
          role="status"
          data-testid="tests-summary"
        >
          {TEXTS.summary(passed, tests.length - passed - open, open)}
        </span>
      </div>
      {dirty ? <p className="shrink-0 px-2.5 pb-1.5 text-wait text-xs">{TEXTS.unsaved}</p> : null}
      <div className="min-h-0 flex-1 overflow-auto px-1.5 pb-2">
        {suites.map((suite) => (
          <section key={suite.file} aria-label={nameOf(suite.file)}>
            <div className="flex items-center pr-1">
              <h2 className="min-w-0 truncate px-2 py-1 text-fg-3 text-xs" title={suite.file}>
                {nameOf(suite.file)}
              </h2>
              <IconButton
                label={TEXTS.resultsOfSuite}
                className="!size-6 ml-auto"
                data-testid="suite-results"
                icon={<Table2 size={14} />}
                disabled={running.size > 0}
                onClick={() => void results.ask({ file: suite.file })}
              />
            </div>
            <ul data-testid="tests">
              {listed(suite).map((item) =>
                "test" in item ? (
                  <CaseRow
                    key={keyOf(item.test)}
                    test={item.test}
                    outcome={outcomeOf(item.test)}
                    isRunning={running.has(keyOf(item.test))}
                    onRun={() => run([item.test])}
                  />
                ) : (
                  <DatasetItem
                    key={item.dataset}
                    file={suite.file}
                    name={item.dataset}
                    rows={item.rows}
                    outcomeOf={outcomeOf}
                    isRunning={item.rows.some((row) => running.has(keyOf(row)))}
                    onRun={() => run(item.rows)}
                  />
                ),
              )}
            </ul>
          </section>
        ))}
      </div>
    </>
  );
}

/** The cases that run now, and what came of those that ran since the panel was opened. */
function useRuns() {
  const workspace = useWorkspace();
  const [running, setRunning] = useState<ReadonlySet<string>>(new Set());
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, CaseOutcome>>(new Map());
  const stopped = useRef(false);
  const run = (tests: readonly TestCaseRef[]) => {
    stopped.current = false;
    void runCases(workspace, tests, {
      isStopped: () => stopped.current,
      onStart: (key) => setRunning((before) => new Set(before).add(key)),
      onEnd: (key, outcome) => {
        setRunning((before) => new Set([...before].filter((other) => other !== key)));
        if (outcome !== undefined) setOutcomes((before) => new Map(before).set(key, outcome));
      },
    });
  };
  const stop = () => {
    stopped.current = true;
  };
  return { running, outcomes, run, stop };
}

function nameOf(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? file;
}
